//! Calls, and the one who makes them and watches the cache from outside.

use super::{Attempt, PrefixCache};
use crate::judge::{Case, Result, Value};
use std::collections::{BTreeMap, BTreeSet};

/// One call, with the prompt where there is one.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Lookup(Vec<u32>),
    Start(u32, Vec<u32>),
    Finish(u32),
}

use Call::{Finish, Lookup, Start};

pub(super) fn played(
    attempt: &Attempt,
    case: &mut Case,
    block_size: usize,
    blocks: usize,
    calls: &[Call],
) -> Result<()> {
    case.given("block_size", block_size);
    case.given("blocks", blocks);
    case.given("calls", calls);
    let mut cache = attempt(block_size, blocks);
    let mut watch = Watch { block_size, blocks, live: BTreeMap::new(), content: BTreeMap::new(), broken: Vec::new() };
    let lines: Vec<String> = calls.iter().map(|call| watch.call(&mut *cache, call)).collect();
    case.observe("after each call", Value::text(&lines));
    case.observe("broken rules", Value::text(&watch.broken));
    Ok(())
}

/// Follows a cache from outside: who is live with which tokens, and what was written into each block.
pub(super) struct Watch {
    pub(super) block_size: usize,
    pub(super) blocks: usize,
    pub(super) live: BTreeMap<u32, (Vec<u32>, Vec<usize>)>,
    /// The prefix up to its end, for each block that was written.
    pub(super) content: BTreeMap<usize, Vec<u32>>,
    pub(super) broken: Vec<String>,
}

impl Watch {
    /// Makes a call and says in a line what came of it. A sequence that was refused is not finished later.
    pub(super) fn call(&mut self, cache: &mut dyn PrefixCache, call: &Call) -> String {
        let outcome = match call {
            Lookup(tokens) => return format!("lookup of {} tokens: {}", tokens.len(), cache.lookup(tokens)),
            Finish(id) if !self.live.contains_key(id) => return format!("{id} was refused and has nothing to finish"),
            Finish(id) => {
                cache.finish(*id);
                self.live.remove(id);
                format!("finish {id}")
            }
            Start(id, tokens) => self.start(cache, *id, tokens),
        };
        self.check(cache);
        format!("{outcome}: {} free", cache.free_blocks())
    }

    fn start(&mut self, cache: &mut dyn PrefixCache, id: u32, tokens: &[u32]) -> String {
        let Some(hit) = cache.start(id, tokens) else { return format!("start {id} refused") };
        let table = cache.table(id);
        let prefix = |i: usize| tokens[..((i + 1) * self.block_size).min(tokens.len())].to_vec();
        for (i, &block) in table.iter().enumerate() {
            if i < hit / self.block_size {
                if self.content.get(&block) != Some(&prefix(i)) {
                    self.broken
                        .push(format!("{id} hits a block that does not hold its first {} tokens", prefix(i).len()));
                }
            } else {
                if self.live.values().any(|(_, other)| other.contains(&block)) {
                    self.broken.push(format!("{id} writes into a block that another live sequence holds"));
                }
                self.content.insert(block, prefix(i));
            }
        }
        let shared: Vec<String> =
            self.live.iter().map(|(other, (_, held))| format!("{} with {other}", common(held, &table))).collect();
        self.live.insert(id, (tokens.to_vec(), table.clone()));
        let shared = if shared.is_empty() { "none".to_owned() } else { shared.join(", ") };
        format!("start {id} hits {hit} tokens, has {} blocks, shares {shared}", table.len())
    }

    fn check(&mut self, cache: &dyn PrefixCache) {
        let mut held = BTreeSet::new();
        for (id, (tokens, table)) in &self.live {
            if cache.table(*id) != *table {
                self.broken.push(format!("the table of {id} has changed"));
            }
            if table.len() != tokens.len().div_ceil(self.block_size) {
                self.broken.push(format!("{id} has {} tokens and {} blocks", tokens.len(), table.len()));
            }
            held.extend(table.iter().copied());
        }
        if held.iter().any(|&block| block >= self.blocks) {
            self.broken.push("a block that the pool does not have".to_owned());
        }
        if held.len() + cache.free_blocks() != self.blocks {
            self.broken.push(format!("{} used and {} free of {}", held.len(), cache.free_blocks(), self.blocks));
        }
    }
}

/// How many blocks two tables have in common.
fn common(a: &[usize], b: &[usize]) -> usize {
    a.iter().filter(|block| b.contains(block)).count()
}
