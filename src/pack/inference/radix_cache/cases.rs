//! The cases: scripts of calls, and counts of the tokens that a lookup compares or hashes.

use super::play::Call::{self, Evict, Insert, Lock, Match, Unlock};
use super::play::{ids, played};
use super::{Attempt, RadixCache, Token};
use crate::judge::{Case, Problem, Value};

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    looks(locks(ages(structure(problem))))
        .case("eighty calls at random over two tokens", |attempt, case| {
            let calls = random(case, 80, 2, 9);
            played(attempt, case, &calls)
        })
        .case("a hundred and twenty calls at random over three tokens", |attempt, case| {
            let calls = random(case, 120, 3, 7);
            played(attempt, case, &calls)
        })
        .cost("1000 prompts of up to 200 tokens, 10 000 kept", |attempt, case| {
            let systems: Vec<Vec<u32>> = (0..5).map(|_| (0..150).map(|_| case.int(0..9) as u32).collect()).collect();
            let (mut tree, mut matched) = (attempt(), Vec::new());
            for n in 0..1000 {
                let shared = case.int(0..151) as usize;
                let mut prompt = systems[case.int(0..5) as usize][..shared].to_vec();
                prompt.extend((0..case.int(1..50)).map(|_| case.int(0..9) as u32));
                let tokens = ids(&prompt);
                matched.push(tree.match_prefix(&tokens).len());
                tree.insert(&tokens, &prompt);
                if n % 20 == 0 {
                    tree.evict(tree.cached().saturating_sub(10_000));
                }
            }
            case.observe("tokens matched", Value::ints(&matched));
            Ok(())
        })
}

fn structure(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the example, call by call", |attempt, case| {
            let calls = [
                Insert(vec![1, 2, 3, 4]),
                Insert(vec![1, 2, 5]),
                Match(vec![1, 2, 3, 9]),
                Lock(vec![1, 2, 3]),
                Evict(1),
                Evict(9),
                Unlock(0),
                Evict(1),
                Evict(1),
            ];
            played(attempt, case, &calls)
        })
        .case("the same again, a beginning of it, and more of it", |attempt, case| {
            let calls = [
                Insert(vec![4, 4, 7]),
                Insert(vec![4, 4, 7]),
                Insert(vec![4]),
                Insert(vec![4, 4, 7, 7, 1]),
                Match(vec![4, 4, 7, 7, 1, 3]),
                Match(vec![4, 4]),
                Insert(vec![]),
                Match(vec![]),
                Match(vec![5]),
                Evict(1),
                Match(vec![4, 4, 7, 7, 1]),
                Evict(1),
                Match(vec![4, 4, 7]),
            ];
            played(attempt, case, &calls)
        })
        .case("an edge is split again and again", |attempt, case| {
            let calls = [
                Insert((1..10).collect()),
                Insert(vec![1, 2, 3, 4, 5, 6, 30]),
                Insert(vec![1, 2, 3, 20]),
                Insert(vec![1, 40]),
                Insert(vec![50, 2, 3]),
                Match((1..12).collect()),
                Match(vec![1, 2, 3, 4, 5, 6, 30]),
                Match(vec![1, 2, 3, 4, 5]),
                Evict(1),
                Evict(2),
                Evict(2),
                Match((1..12).collect()),
            ];
            played(attempt, case, &calls)
        })
        .case("an empty cache", |attempt, case| {
            played(
                attempt,
                case,
                &[
                    Match(vec![1]),
                    Evict(5),
                    Lock(vec![1, 2]),
                    Unlock(0),
                    Insert(vec![]),
                    Evict(0),
                    Insert(vec![8]),
                    Evict(0),
                    Evict(1),
                    Match(vec![8]),
                ],
            )
        })
}

fn ages(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the leaf that was not used for longest", |attempt, case| {
            let calls = [
                Insert(vec![1, 1]),
                Insert(vec![2, 2, 2]),
                Insert(vec![3]),
                Match(vec![1, 1]),
                Evict(1),
                Evict(2),
                Match(vec![3]),
                Match(vec![1, 1, 1]),
                Match(vec![2]),
                Evict(4),
            ];
            played(attempt, case, &calls)
        })
        .case("a parent becomes a leaf", |attempt, case| {
            let calls = [
                Insert(vec![1, 2, 3]),
                Insert(vec![1, 2, 4]),
                Insert(vec![6, 6]),
                Insert(vec![7, 7, 7]),
                Match(vec![6, 6]),
                Evict(2),
                Evict(4),
                Evict(9),
            ];
            played(attempt, case, &calls)
        })
        .case("the path is used, and so is an old parent", |attempt, case| {
            let calls = [
                Insert(vec![1, 2]),
                Insert(vec![1, 2, 3]),
                Insert(vec![5]),
                Match(vec![1, 2, 3]),
                Insert(vec![6]),
                Evict(1),
                Evict(1),
                Insert(vec![9]),
                Evict(1),
                Evict(1),
                Evict(1),
            ];
            played(attempt, case, &calls)
        })
        .case("a parent is as young as what was below it", |attempt, case| {
            let calls = [
                Insert(vec![1, 2]),
                Insert(vec![7]),
                Lock(vec![7]),
                Insert(vec![1, 2, 3]),
                Insert(vec![9]),
                Evict(1),
                Unlock(0),
                Evict(1),
                Evict(1),
            ];
            played(attempt, case, &calls)
        })
        .case("one path, used at one time", |attempt, case| {
            let calls = [
                Insert(vec![1, 2]),
                Insert(vec![1, 2, 3, 4]),
                Insert(vec![1, 2, 3, 4, 5, 6]),
                Match((1..7).collect()),
                Evict(1),
                Match((1..7).collect()),
                Evict(3),
            ];
            played(attempt, case, &calls)
        })
        .case("the lower part of a split keeps its age", |attempt, case| {
            let calls = [
                Insert(vec![1, 2, 3, 4]),
                Insert(vec![8, 8]),
                Insert(vec![1, 2, 5]),
                Match(vec![8, 8]),
                Match(vec![1]),
                Evict(1),
                Match(vec![1, 2, 3]),
                Evict(1),
                Match(vec![8]),
            ];
            played(attempt, case, &calls)
        })
        .case("whole leaves, more than was asked for", |attempt, case| {
            played(
                attempt,
                case,
                &[
                    Insert((1..8).collect()),
                    Insert(vec![1, 2, 9]),
                    Evict(2),
                    Match((1..8).collect()),
                    Insert(vec![4, 5, 6]),
                    Evict(4),
                ],
            )
        })
}

fn locks(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("locked and unlocked", |attempt, case| {
            let calls = [
                Insert(vec![1, 2, 3]),
                Insert(vec![7, 8]),
                Lock(vec![1, 2, 3]),
                Evict(9),
                Match(vec![1, 2, 3]),
                Unlock(0),
                Evict(9),
            ];
            played(attempt, case, &calls)
        })
        .case("a lock that ends inside an edge", |attempt, case| {
            let calls = [
                Insert((1..8).collect()),
                Lock(vec![1, 2, 3, 40]),
                Evict(1),
                Match((1..8).collect()),
                Evict(1),
                Unlock(0),
                Evict(1),
            ];
            played(attempt, case, &calls)
        })
        .case("locks are counted", |attempt, case| {
            let calls = [
                Insert(vec![1, 2, 3, 4]),
                Lock(vec![1, 2, 3, 4]),
                Lock(vec![1, 2]),
                Lock(vec![1, 2, 3, 4]),
                Unlock(0),
                Evict(9),
                Unlock(2),
                Evict(9),
                Unlock(1),
                Evict(9),
            ];
            played(attempt, case, &calls)
        })
        .case("a locked edge is split", |attempt, case| {
            let calls = [
                Insert(vec![1, 2, 3, 4]),
                Lock(vec![1, 2, 3, 4]),
                Insert(vec![1, 2, 5]),
                Match(vec![1, 2, 3]),
                Insert(vec![9]),
                Evict(99),
                Match(vec![1, 2, 3, 4]),
                Insert(vec![1, 6, 6]),
                Unlock(0),
                Evict(99),
            ];
            played(attempt, case, &calls)
        })
        .case("a lock counts on the ancestors", |attempt, case| {
            let calls = [
                Insert(vec![1, 2]),
                Insert(vec![1, 2, 3, 3]),
                Insert(vec![1, 2, 4]),
                Lock(vec![1, 2, 3, 3]),
                Lock(vec![1, 2, 4]),
                Unlock(0),
                Evict(99),
                Unlock(1),
                Evict(99),
            ];
            played(attempt, case, &calls)
        })
        .case("a lock is a use", |attempt, case| {
            let calls =
                [Insert(vec![1, 1]), Insert(vec![2, 2, 2]), Lock(vec![1, 1]), Unlock(0), Evict(1), Match(vec![1, 1])];
            played(attempt, case, &calls)
        })
}

fn looks(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("a lookup among 3000 other sequences", |attempt, case| {
            let rest: Vec<u32> = (0..63).map(|_| case.int(0..50) as u32).collect();
            let sequence = |first: u32| [&[first], &rest[..]].concat();
            let mut tree = attempt();
            for first in (0..3000).map(|n| n * 7 % 3000) {
                tree.insert(&ids(&sequence(first)), &[first; 64]);
            }
            case.given("cached", "3000 sequences of 64 tokens, no two with the same first token");
            lookups(&mut *tree, case, &[sequence(0), sequence(1500), sequence(2999)], 1150);
            Ok(())
        })
        .case("a lookup of 3000 tokens over 300 nodes", |attempt, case| {
            let tokens: Vec<u32> = (0..3000).map(|_| case.int(0..50) as u32).collect();
            let mut tree = attempt();
            for length in (1..=300).map(|n| 10 * n) {
                tree.insert(&ids(&tokens[..length]), &tokens[..length]);
            }
            case.given("cached", "a sequence of 3000 tokens, inserted ten tokens longer each time");
            lookups(&mut *tree, case, &[tokens], 15_000);
            Ok(())
        })
        .case("a lookup of 4000 tokens of which 5 are cached", |attempt, case| {
            let tokens: Vec<u32> = (0..4000).map(|_| case.int(0..50) as u32).collect();
            let other = [&tokens[..5], &[99, 98, 97]].concat();
            let mut tree = attempt();
            tree.insert(&ids(&other), &other);
            for first in 100..120 {
                tree.insert(&ids(&[first, 1, 2]), &[first, 1, 2]);
            }
            case.given("cached", "the prompt's first five tokens with another end, and twenty other sequences");
            lookups(&mut *tree, case, &[tokens], 200);
            Ok(())
        })
}

/// Looks these prompts up; what is found must be right, and the looks must stay within the bound.
fn lookups(tree: &mut dyn RadixCache, case: &mut Case, prompts: &[Vec<u32>], bound: u64) {
    let mut sum = 0;
    for (index, prompt) in prompts.iter().enumerate() {
        let tokens = ids(prompt);
        let (slots, looks) = Token::looks(|| tree.match_prefix(&tokens));
        case.observe(&format!("slots of prompt {index}"), Value::ints(&slots));
        sum += looks;
    }
    case.observe(&format!("at most {bound} tokens are compared or hashed"), Value::Flag(sum <= bound));
}

/// Sequences over few tokens, so that they share beginnings; locks are taken back in any order.
fn random(case: &mut Case, count: usize, alphabet: i64, longest: i64) -> Vec<Call> {
    let (mut held, mut locks) = (Vec::new(), 0);
    let mut calls = Vec::new();
    for _ in 0..count {
        let length = case.int(0..longest + 1);
        let tokens = (0..length).map(|_| case.int(0..alphabet) as u32).collect();
        calls.push(match case.int(0..12) {
            0..4 => Insert(tokens),
            4..7 => Match(tokens),
            7 | 8 => {
                held.push(locks);
                locks += 1;
                Lock(tokens)
            }
            9 | 10 if !held.is_empty() => Unlock(held.remove(case.int(0..held.len() as i64) as usize)),
            _ => Evict(case.int(1..5) as usize),
        });
    }
    calls
}
