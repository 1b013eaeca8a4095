//! What goes wrong at speed in a prefix cache: one cache that searches its blocks, with a flaw of choice.

use super::PrefixCache;
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flaw {
    #[cfg(test)]
    Flawless,
    WithoutParent,
    ParentOnly,
    ByIndex,
    OrderBlind,
    WholePrompt,
    LastBlockAlways,
    PartialShared,
    ReturnsBlocks,
    EvictsReferenced,
    NoCount,
    ShallowestFirst,
    NewestFirst,
    OldestMade,
    OldestStart,
    DropsOnFinish,
    CachedAtFinish,
    RefusalKeepsReferences,
    EvictsItsOwnHit,
    EvictsBeforeEmpty,
    NeverEvicts,
    EvictsAll,
    CopyTakesOver,
    CopyJudgedEarly,
    OneQueue,
    CopiesCached,
    AsInVllm,
}

use Flaw::*;

#[derive(Clone, Default)]
struct Block {
    key: Option<Vec<u32>>,
    references: usize,
    depth: usize,
    made: u64,
    started: u64,
    /// The `finish` that took the last reference.
    released: u64,
}

struct Sequence {
    tokens: Vec<u32>,
    table: Vec<usize>,
}

struct Cache {
    flaw: Flaw,
    size: usize,
    blocks: Vec<Block>,
    live: BTreeMap<u32, Sequence>,
    clock: u64,
}

impl Cache {
    /// What stands for block `i` of a prompt.
    fn key(&self, tokens: &[u32], i: usize) -> Vec<u32> {
        let (start, end) = (i * self.size, ((i + 1) * self.size).min(tokens.len()));
        match self.flaw {
            WithoutParent => tokens[start..end].to_vec(),
            ParentOnly => tokens[start.saturating_sub(self.size)..end].to_vec(),
            ByIndex => [&[i as u32], &tokens[start..end]].concat(),
            OrderBlind => {
                let sorted = |block: &[u32]| {
                    let mut block = block.to_vec();
                    block.sort_unstable();
                    block
                };
                tokens[..end].chunks(self.size).flat_map(sorted).collect()
            }
            _ => tokens[..end].to_vec(),
        }
    }

    fn find(&self, key: &[u32]) -> Option<usize> {
        let holds = |&index: &usize| self.blocks[index].key.as_deref() == Some(key);
        (0..self.blocks.len()).filter(holds).min_by_key(|&index| self.blocks[index].made)
    }

    /// The blocks that are hit, and how many tokens that makes.
    fn hits(&self, tokens: &[u32]) -> (Vec<usize>, usize) {
        let full = tokens.len() / self.size;
        let most = match self.flaw {
            WholePrompt => full,
            LastBlockAlways => full.saturating_sub(1),
            _ => (tokens.len() - 1) / self.size,
        };
        let mut found: Vec<usize> = (0..most).map_while(|i| self.find(&self.key(tokens, i))).collect();
        let mut count = found.len() * self.size;
        if self.flaw == PartialShared {
            let starts = |index: &usize| {
                let key = self.blocks[*index].key.as_deref().unwrap_or_default();
                key.len() > count
                    && key.len() < (found.len() + 1) * self.size
                    && key.len() < tokens.len()
                    && tokens.starts_with(key)
            };
            if let Some(index) = (0..self.blocks.len()).find(starts) {
                count = self.blocks[index].key.as_ref().map_or(count, Vec::len);
                found.push(index);
            }
        }
        (found, count)
    }

    fn empty(&self, index: usize) -> bool {
        self.blocks[index].references == 0 && self.blocks[index].key.is_none()
    }

    /// Of the blocks that may go, the one that goes first: by this rank, smallest first.
    fn rank(&self, index: usize) -> (u64, Reverse<usize>) {
        let block = &self.blocks[index];
        let order = match self.flaw {
            NewestFirst => u64::MAX - block.released,
            OldestMade => block.made,
            OldestStart => block.started,
            EvictsReferenced => block.started.max(block.released),
            _ => block.released,
        };
        let depth =
            if self.flaw == ShallowestFirst { self.blocks.len() + usize::MAX / 2 - block.depth } else { block.depth };
        (order, Reverse(depth))
    }

    fn take(&mut self) -> Option<usize> {
        let all = 0..self.blocks.len();
        let empty = all.clone().filter(|&index| self.empty(index)).min_by_key(|&index| self.rank(index));
        let may_go = |&index: &usize| {
            let block = &self.blocks[index];
            let idle = block.references == 0 || self.flaw == EvictsReferenced;
            idle && (block.key.is_some() || matches!(self.flaw, OneQueue | AsInVllm))
        };
        let oldest = all.clone().filter(may_go).min_by_key(|&index| self.rank(index));
        let taken = match self.flaw {
            EvictsBeforeEmpty | OneQueue | AsInVllm => oldest.or(empty),
            NeverEvicts => empty,
            _ => empty.or(oldest),
        }?;
        if self.flaw == EvictsAll && !self.empty(taken) {
            self.blocks.iter_mut().filter(|block| block.references == 0).for_each(|block| block.key = None);
        }
        self.blocks[taken].key = None;
        Some(taken)
    }

    /// Blocks that could be had without those of the hit.
    fn available(&self, hit: &[usize]) -> usize {
        let may = |index: usize| match self.flaw {
            NeverEvicts => self.empty(index),
            EvictsReferenced => true,
            _ => self.blocks[index].references == 0,
        };
        let counts = |index: &usize| may(*index) && (self.flaw == EvictsItsOwnHit || !hit.contains(index));
        (0..self.blocks.len()).filter(counts).count()
    }

    fn hold(&mut self, index: usize) {
        self.blocks[index].references += 1;
        self.blocks[index].started = self.clock;
    }

    fn cache(&mut self, tokens: &[u32], table: &[usize]) {
        let full = tokens.len() / self.size;
        let last = if self.flaw == PartialShared { table.len() } else { full };
        for (i, &index) in table.iter().enumerate().take(last) {
            let key = self.key(tokens, i);
            let older = self.find(&key).filter(|&older| older != index);
            if let Some(older) = older.filter(|_| self.flaw == CopyTakesOver) {
                self.blocks[older].key = None;
            }
            if older.is_none() || matches!(self.flaw, CopyTakesOver | CopiesCached | AsInVllm) {
                self.blocks[index].key = Some(key);
            }
        }
    }
}

impl PrefixCache for Cache {
    fn lookup(&self, tokens: &[u32]) -> usize {
        let (blocks, count) = self.hits(tokens);
        if self.flaw == ReturnsBlocks { blocks.len() } else { count }
    }

    fn start(&mut self, id: u32, tokens: &[u32]) -> Option<usize> {
        let told = self.lookup(tokens);
        let (mut table, _) = self.hits(tokens);
        let wanted = tokens.len().div_ceil(self.size) - table.len();
        let refused = wanted > self.available(&table);
        self.clock += 1;
        if !refused || self.flaw == RefusalKeepsReferences {
            let held: &[usize] = if self.flaw == EvictsItsOwnHit { &[] } else { &table };
            held.iter().for_each(|&index| self.hold(index));
        }
        if refused {
            return None;
        }
        let hit = table.len();
        let early: Vec<usize> =
            (hit..tokens.len() / self.size).filter(|&i| self.find(&self.key(tokens, i)).is_some()).collect();
        for depth in hit..hit + wanted {
            let index = self.take()?;
            self.blocks[index] =
                Block { references: 1, depth, made: self.clock, started: self.clock, ..Block::default() };
            table.push(index);
        }
        if self.flaw == EvictsItsOwnHit {
            table[..hit].iter().for_each(|&index| self.hold(index));
        }
        if self.flaw != CachedAtFinish {
            self.cache(tokens, &table);
        }
        if self.flaw == CopyJudgedEarly {
            early.into_iter().for_each(|i| self.blocks[table[i]].key = None);
        }
        self.live.insert(id, Sequence { tokens: tokens.to_vec(), table });
        Some(told)
    }

    fn finish(&mut self, id: u32) {
        let Some(Sequence { tokens, table }) = self.live.remove(&id) else { return };
        self.clock += 1;
        if self.flaw == CachedAtFinish {
            self.cache(&tokens, &table);
        }
        for &index in &table {
            let block = &mut self.blocks[index];
            block.references = if self.flaw == NoCount { 0 } else { block.references.saturating_sub(1) };
            if block.references == 0 {
                block.released = self.clock;
                if self.flaw == DropsOnFinish {
                    block.key = None;
                }
            }
        }
    }

    fn table(&self, id: u32) -> Vec<usize> {
        self.live.get(&id).map_or_else(Vec::new, |sequence| sequence.table.clone())
    }

    fn free_blocks(&self) -> usize {
        let counts =
            |&index: &usize| self.empty(index) || (self.blocks[index].references == 0 && self.flaw != NeverEvicts);
        (0..self.blocks.len()).filter(counts).count()
    }
}

pub fn make(flaw: Flaw, block_size: usize, blocks: usize) -> Box<dyn PrefixCache> {
    Box::new(Cache { flaw, size: block_size, blocks: vec![Block::default(); blocks], live: BTreeMap::new(), clock: 0 })
}
