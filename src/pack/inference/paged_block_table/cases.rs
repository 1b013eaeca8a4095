//! The cases: scripts of calls. What is observed does not depend on which free block an attempt takes.

use super::{Attempt, BlockManager, Refusal};
use crate::judge::{Case, Problem, Result, Value};
use std::collections::BTreeMap;

/// One call. Sequence, and tokens where there are any.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    Allocate(u32, usize),
    Append(u32, usize),
    Release(u32),
}

use Call::{Allocate, Append, Release};

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    edges(problem)
        .case("two sequences grow in turn", |attempt, case| {
            let mut calls = vec![Allocate(1, 3), Allocate(2, 5)];
            calls.extend((0..7).flat_map(|_| [Append(1, 1), Append(2, 1)]));
            played(attempt, case, 3, 9, &calls)
        })
        .case("sequences come and go", |attempt, case| {
            let calls = [
                Allocate(1, 4),
                Allocate(2, 3),
                Allocate(3, 2),
                Release(2),
                Append(1, 4),
                Append(3, 1),
                Allocate(4, 2),
                Release(1),
                Append(4, 5),
                Release(3),
                Allocate(2, 1),
                Release(4),
                Release(2),
                Allocate(9, 14),
            ];
            played(attempt, case, 2, 7, &calls)
        })
        .case("a hundred calls at random", |attempt, case| {
            let calls = random(case, 100, 6, 12);
            played(attempt, case, 3, 17, &calls)
        })
        .case("a hundred calls in a small pool", |attempt, case| {
            let calls = random(case, 100, 4, 9);
            played(attempt, case, 4, 5, &calls)
        })
        .cost("20 000 calls on 4096 blocks", |attempt, case| {
            let calls = random(case, 20_000, 256, 200);
            let mut pool = attempt(16, 4096);
            let mut refused = 0;
            for call in calls {
                refused += usize::from(made(&mut *pool, call).is_err());
            }
            case.observe("refused calls", Value::ints(&[refused]));
            case.observe("free blocks", Value::ints(&[pool.free_blocks()]));
            Ok(())
        })
}

fn edges(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the example, call by call", |attempt, case| {
            played(
                attempt,
                case,
                4,
                8,
                &[Allocate(1, 6), Append(1, 2), Append(1, 1), Append(1, 20), Append(1, 3), Append(1, 1)],
            )
        })
        .case("exact multiples of a block", |attempt, case| {
            played(attempt, case, 4, 9, &[Allocate(1, 8), Allocate(2, 4), Append(1, 4), Append(2, 8), Append(2, 1)])
        })
        .case("an append over several blocks", |attempt, case| {
            played(attempt, case, 4, 12, &[Allocate(1, 6), Append(1, 3), Append(1, 11), Append(1, 13)])
        })
        .case("no tokens at all", |attempt, case| {
            played(
                attempt,
                case,
                4,
                3,
                &[Allocate(1, 0), Append(1, 0), Allocate(2, 4), Append(2, 0), Append(1, 1), Append(1, 0)],
            )
        })
        .case("the pool is empty, and then it is not", |attempt, case| {
            let calls = [
                Allocate(1, 9),
                Allocate(2, 8),
                Allocate(2, 5),
                Append(1, 7),
                Append(1, 3),
                Append(1, 1),
                Release(2),
                Append(1, 6),
                Append(1, 1),
                Append(1, 1),
            ];
            played(attempt, case, 4, 5, &calls)
        })
        .case("the last block is there to be taken", |attempt, case| {
            played(attempt, case, 2, 4, &[Allocate(1, 2), Allocate(2, 6), Release(1), Append(2, 2), Allocate(1, 1)])
        })
        .case("live twice, never live, released twice", |attempt, case| {
            let calls = [
                Allocate(1, 5),
                Allocate(1, 2),
                Append(2, 1),
                Release(2),
                Append(1, 2),
                Release(1),
                Release(1),
                Append(1, 1),
                Allocate(1, 3),
            ];
            played(attempt, case, 4, 6, &calls)
        })
        .case("blocks of one token", |attempt, case| {
            played(
                attempt,
                case,
                1,
                5,
                &[Allocate(1, 2), Append(1, 1), Allocate(2, 3), Allocate(2, 2), Release(1), Append(2, 3)],
            )
        })
        .case("one block larger than all", |attempt, case| {
            played(
                attempt,
                case,
                64,
                1,
                &[
                    Allocate(1, 3),
                    Append(1, 50),
                    Allocate(2, 1),
                    Allocate(3, 0),
                    Append(1, 12),
                    Release(1),
                    Append(3, 64),
                ],
            )
        })
        .case("a pool without blocks", |attempt, case| {
            played(attempt, case, 4, 0, &[Allocate(1, 1), Allocate(1, 0), Append(1, 1), Release(1)])
        })
}

/// Calls that are mostly sensible: appends of a token or some, now and then a release.
fn random(case: &mut Case, count: usize, sequences: i64, most: i64) -> Vec<Call> {
    let mut call = |_| {
        let id = case.int(0..sequences) as u32;
        match case.int(0..10) {
            0..3 => Allocate(id, case.int(0..most) as usize),
            3..7 => Append(id, 1),
            7..9 => Append(id, case.int(0..most) as usize),
            _ => Release(id),
        }
    };
    (0..count).map(&mut call).collect()
}

pub(super) fn made(pool: &mut dyn BlockManager, call: Call) -> std::result::Result<(), Refusal> {
    match call {
        Allocate(id, tokens) => pool.allocate(id, tokens),
        Append(id, tokens) => pool.append(id, tokens),
        Release(id) => pool.release(id),
    }
}

fn sequence(call: Call) -> u32 {
    match call {
        Allocate(id, _) | Append(id, _) | Release(id) => id,
    }
}

fn played(attempt: &Attempt, case: &mut Case, block_size: usize, blocks: usize, calls: &[Call]) -> Result<()> {
    case.given("block_size", block_size);
    case.given("blocks", blocks);
    case.given("calls", calls);
    let mut pool = attempt(block_size, blocks);
    let mut watch = Watch::new(block_size, blocks, calls);
    let lines: Vec<String> = calls.iter().map(|&call| watch.call(&mut *pool, call)).collect();
    case.observe("after each call", Value::text(&lines));
    case.observe("broken rules", Value::text(&watch.broken));
    Ok(())
}

/// Follows a pool from outside: how long each sequence is by what was accepted, and what its table was before.
struct Watch {
    block_size: usize,
    blocks: usize,
    lengths: BTreeMap<u32, Option<usize>>,
    tables: BTreeMap<u32, Vec<usize>>,
    broken: Vec<String>,
}

impl Watch {
    fn new(block_size: usize, blocks: usize, calls: &[Call]) -> Self {
        let lengths = calls.iter().map(|&call| (sequence(call), None)).collect();
        Self { block_size, blocks, lengths, tables: BTreeMap::new(), broken: Vec::new() }
    }

    /// Makes a call and says in a line what came of it.
    fn call(&mut self, pool: &mut dyn BlockManager, call: Call) -> String {
        let done = made(pool, call);
        if done.is_ok() {
            let length = self.lengths.entry(sequence(call)).or_default();
            *length = match call {
                Allocate(_, tokens) => Some(tokens),
                Append(_, tokens) => Some(length.unwrap_or(0) + tokens),
                Release(_) => None,
            };
        }
        self.check(pool, call);
        let id = sequence(call);
        let outcome = done.map_or_else(|refusal| format!("{refusal:?}"), |()| "ok".to_owned());
        format!("{call:?}: {outcome}, sequence {id} has {} blocks, {} free", pool.table(id).len(), pool.free_blocks())
    }

    fn check(&mut self, pool: &dyn BlockManager, call: Call) {
        let tables: BTreeMap<u32, Vec<usize>> = self.lengths.keys().map(|&id| (id, pool.table(id))).collect();
        let mut found = Vec::new();
        let mut held: Vec<usize> = tables.values().flatten().copied().collect();
        if held.iter().any(|&block| block >= self.blocks) {
            found.push("a block that the pool does not have".to_owned());
        }
        if held.len() + pool.free_blocks() != self.blocks {
            found.push(format!("{} used and {} free of {}", held.len(), pool.free_blocks(), self.blocks));
        }
        held.sort_unstable();
        if held.windows(2).any(|pair| pair[0] == pair[1]) {
            found.push("a block is held twice".to_owned());
        }
        for (id, table) in &tables {
            let length = self.lengths[id].unwrap_or(0);
            let before = self.tables.get(id).filter(|_| self.lengths[id].is_some());
            if before.is_some_and(|before| !table.starts_with(before)) {
                found.push(format!("the blocks that sequence {id} had are no longer at the start of its table"));
            }
            let right = |position: usize| {
                let block = table.get(position / self.block_size).filter(|_| position < length);
                block.map(|block| block * self.block_size + position % self.block_size)
            };
            let last = length + self.block_size + 1;
            if let Some(position) = (0..last).find(|&position| pool.slot(*id, position) != right(position)) {
                found.push(format!(
                    "sequence {id} has {length} tokens, and position {position} is not where it should be"
                ));
            }
        }
        self.tables = tables;
        self.broken.extend(found.into_iter().map(|text| format!("after {call:?}: {text}")));
    }
}
