//! The cases: scripts of calls. What is observed does not depend on which empty block or which hash an attempt takes.

use super::Attempt;
use super::play::Call::{self, Finish, Lookup, Start};
use super::play::played;
use crate::judge::{Case, Problem, Value};

/// The tokens of a range.
fn run(range: std::ops::Range<u32>) -> Vec<u32> {
    range.collect()
}

fn joined(parts: &[&[u32]]) -> Vec<u32> {
    parts.concat()
}

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    pressure(hits(problem))
        .case("sixty calls at random, blocks of two", |attempt, case| {
            let calls = random(case, 60, 11);
            played(attempt, case, 2, 14, &calls)
        })
        .case("eighty calls at random, blocks of three, a small pool", |attempt, case| {
            let calls = random(case, 80, 14);
            played(attempt, case, 3, 8, &calls)
        })
        .cost("1500 prompts of up to 400 tokens on 1024 blocks", |attempt, case| {
            let systems: Vec<Vec<u32>> = (0..6).map(|_| (0..300).map(|_| case.int(0..9) as u32).collect()).collect();
            let mut cache = attempt(16, 1024);
            let mut hit = Vec::new();
            for id in 0..1500 {
                let shared = case.int(0..301) as usize;
                let mut prompt = systems[case.int(0..6) as usize][..shared].to_vec();
                prompt.extend((0..case.int(1..100)).map(|_| case.int(0..9) as u32));
                hit.push(cache.start(id, &prompt).unwrap_or(0));
                if id >= 20 {
                    cache.finish(id - 20);
                }
            }
            case.observe("tokens hit", Value::ints(&hit));
            Ok(())
        })
}

fn hits(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the first example, call by call", |attempt, case| {
            let calls = [
                Start(1, run(0..10)),
                Start(2, joined(&[&run(0..8), &[99]])),
                Lookup(run(0..13)),
                Lookup(run(0..8)),
                Lookup(run(0..9)),
                Finish(1),
                Start(3, run(0..13)),
            ];
            played(attempt, case, 4, 12, &calls)
        })
        .case("never the whole prompt", |attempt, case| {
            let calls = [
                Start(1, run(1..9)),
                Start(2, run(1..9)),
                Start(3, run(1..10)),
                Lookup(run(1..5)),
                Finish(1),
                Finish(2),
                Start(4, run(1..9)),
                Finish(3),
                Finish(4),
                Lookup(run(1..10)),
            ];
            played(attempt, case, 4, 9, &calls)
        })
        .case("the same block after another prefix", |attempt, case| {
            let (x, y) = ([5, 6, 7, 8], [9, 9, 2, 2]);
            let calls = [
                Start(1, joined(&[&[1, 2, 3, 4], &x, &y, &[0]])),
                Lookup(joined(&[&[4, 4, 4, 4], &x, &y, &[0]])),
                Lookup(joined(&[&x, &y, &[0]])),
                Lookup(joined(&[&[1, 2, 3, 4], &y, &x, &[0]])),
                Lookup(joined(&[&[1, 2, 3, 4], &x, &x, &[0]])),
                Start(2, joined(&[&[4, 4, 4, 4], &x, &y, &[0]])),
                Start(3, joined(&[&[3, 1, 2, 4], &x, &y, &[0]])),
                Lookup(joined(&[&[1, 2, 3, 4], &x, &y, &[7]])),
            ];
            played(attempt, case, 4, 14, &calls)
        })
        .case("a block that was not full", |attempt, case| {
            let calls = [
                Start(1, run(0..6)),
                Start(2, run(0..8)),
                Lookup(run(0..9)),
                Finish(1),
                Start(3, joined(&[&run(0..6), &[77, 78, 79]])),
                Finish(2),
                Lookup(run(0..9)),
                Lookup(joined(&[&run(0..6), &[77, 78, 79]])),
            ];
            played(attempt, case, 4, 8, &calls)
        })
        .case("prompts of one token, blocks of one token", |attempt, case| {
            let calls = [
                Start(1, vec![3]),
                Start(2, vec![3]),
                Start(3, vec![3, 3]),
                Finish(1),
                Lookup(vec![3]),
                Lookup(vec![3, 4]),
                Start(4, vec![3, 3, 3, 5]),
                Finish(2),
                Finish(3),
                Lookup(vec![3, 3, 3, 3, 3]),
            ];
            played(attempt, case, 1, 9, &calls)
        })
        .case("a block larger than every prompt", |attempt, case| {
            played(
                attempt,
                case,
                64,
                2,
                &[Start(1, run(0..20)), Start(2, run(0..21)), Start(3, vec![1]), Finish(1), Start(3, vec![1])],
            )
        })
}

fn pressure(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("three share, and leave one by one", |attempt, case| {
            let calls = [
                Start(1, run(0..9)),
                Start(2, joined(&[&run(0..8), &[50]])),
                Start(3, joined(&[&run(0..4), &[60, 61]])),
                Finish(1),
                Start(4, run(100..108)),
                Finish(3),
                Start(5, run(200..204)),
                Finish(2),
                Start(6, run(300..312)),
                Lookup(run(0..9)),
            ];
            played(attempt, case, 4, 7, &calls)
        })
        .case("the second example: the deepest of the oldest goes", |attempt, case| {
            let calls = [
                Start(1, run(1..9)),
                Finish(1),
                Start(2, run(9..13)),
                Finish(2),
                Start(3, run(20..28)),
                Lookup(run(1..10)),
                Lookup(run(9..14)),
                Finish(3),
                Start(4, run(40..44)),
                Lookup(run(1..10)),
                Lookup(run(20..29)),
            ];
            played(attempt, case, 4, 4, &calls)
        })
        .case("a hit makes old blocks young", |attempt, case| {
            let calls = [
                Start(1, run(10..14)),
                Finish(1),
                Start(2, run(20..24)),
                Finish(2),
                Start(3, run(10..13)),
                Finish(3),
                Start(4, run(30..36)),
                Lookup(run(10..14)),
                Lookup(run(20..24)),
            ];
            played(attempt, case, 2, 4, &calls)
        })
        .case("who ended last stays longest, whoever began last", |attempt, case| {
            let calls = [
                Start(1, run(10..14)),
                Start(2, run(20..24)),
                Finish(2),
                Finish(1),
                Start(3, run(30..32)),
                Lookup(run(10..15)),
                Lookup(run(20..25)),
                Start(4, run(40..43)),
                Lookup(run(10..15)),
                Lookup(run(20..25)),
            ];
            played(attempt, case, 2, 5, &calls)
        })
        .case("too few blocks: nothing has changed", |attempt, case| {
            let calls = [
                Start(1, run(0..6)),
                Start(2, joined(&[&run(0..4), &run(50..60)])),
                Finish(1),
                Start(3, joined(&[&run(0..6), &run(70..74)])),
                Lookup(run(0..7)),
                Start(4, joined(&[&run(0..4), &run(50..60)])),
                Start(5, run(80..86)),
                Lookup(run(0..7)),
                Finish(3),
                Start(6, run(0..9)),
            ];
            played(attempt, case, 2, 5, &calls)
        })
        .case("what is hit cannot be evicted for the rest", |attempt, case| {
            let calls = [
                Start(1, run(0..6)),
                Finish(1),
                Start(2, run(0..10)),
                Lookup(run(0..7)),
                Start(3, run(0..8)),
                Lookup(run(0..9)),
            ];
            played(attempt, case, 2, 4, &calls)
        })
        .case("a copy, and what it takes the place of", |attempt, case| {
            let calls = [
                Start(1, run(0..4)),
                Finish(1),
                Start(2, run(0..4)),
                Lookup(run(0..5)),
                Finish(2),
                Start(3, run(0..4)),
                Start(4, vec![9]),
                Lookup(run(0..5)),
                Finish(3),
                Finish(4),
                Start(5, run(30..34)),
                Lookup(run(0..5)),
            ];
            played(attempt, case, 2, 3, &calls)
        })
        .case("a copy that evicts its original", |attempt, case| {
            let calls =
                [Start(1, run(0..4)), Finish(1), Start(2, run(0..4)), Lookup(run(0..5)), Finish(2), Lookup(run(0..5))];
            played(attempt, case, 2, 2, &calls)
        })
        .case("a copy outlives its original", |attempt, case| {
            let calls = [
                Start(1, run(0..4)),
                Start(2, run(0..4)),
                Finish(1),
                Start(3, run(30..34)),
                Lookup(run(0..5)),
                Finish(3),
                Finish(2),
                Lookup(run(0..5)),
            ];
            played(attempt, case, 2, 4, &calls)
        })
        .case("empty blocks are taken first", |attempt, case| {
            let calls = [
                Start(1, run(0..4)),
                Start(2, run(20..23)),
                Finish(1),
                Finish(2),
                Start(3, run(30..32)),
                Lookup(run(0..5)),
                Lookup(run(20..23)),
                Start(4, run(40..42)),
                Lookup(run(0..5)),
                Lookup(run(20..23)),
            ];
            played(attempt, case, 2, 4, &calls)
        })
        .case("a pool without blocks", |attempt, case| {
            played(attempt, case, 4, 0, &[Start(1, vec![5]), Lookup(vec![5])])
        })
}

/// Prompts over two tokens, so that they share beginnings; sequences come and go.
fn random(case: &mut Case, count: u32, longest: i64) -> Vec<Call> {
    let mut live: Vec<u32> = Vec::new();
    let mut calls = Vec::new();
    for id in 0..count {
        let length = case.int(1..longest + 1);
        let prompt: Vec<u32> = (0..length).map(|_| u32::from(case.uniform() < 0.25)).collect();
        match case.int(0..5) {
            0 => calls.push(Lookup(prompt)),
            1 | 2 if !live.is_empty() => calls.push(Finish(live.remove(case.int(0..live.len() as i64) as usize))),
            _ => {
                calls.push(Start(id, prompt));
                live.push(id);
            }
        }
    }
    calls
}
