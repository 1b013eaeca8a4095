//! What goes wrong at speed in a block table: one pool, with a flaw of choice.

use super::{BlockManager, Refusal};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flaw {
    #[cfg(test)]
    Flawless,
    CapacityAsTotal,
    FloorPlusOne,
    FloorDivision,
    OneBlockAtMost,
    AlwaysABlock,
    OwnBlocks,
    NotRemoved,
    AppendAsTotal,
    LengthNotUpdated,
    LeaksPartial,
    KeepsPartial,
    Reallocates,
    Unchecked,
    LastBlockRefused,
    RegistersFailed,
    LengthGrowsOnRefusal,
    ReleaseForgets,
    ReleaseKeeps,
    ReleaseShrugs,
    Overwrites,
    CreatesOnAppend,
    EmptyTakesABlock,
    SlotTransposed,
    SlotIsPosition,
    SlotWithoutOffset,
    SlotBeyondLength,
}

use Flaw::*;

struct Sequence {
    table: Vec<usize>,
    length: usize,
}

struct Pool {
    flaw: Flaw,
    size: usize,
    free: Vec<usize>,
    live: BTreeMap<u32, Sequence>,
}

impl Pool {
    fn needed(&self, tokens: usize) -> usize {
        match self.flaw {
            FloorPlusOne => tokens / self.size + 1,
            FloorDivision => tokens / self.size,
            EmptyTakesABlock => tokens.div_ceil(self.size).max(1),
            _ => tokens.div_ceil(self.size),
        }
    }

    /// Takes `count` blocks, or refuses.
    fn take(&mut self, count: usize, table: &mut Vec<usize>) -> Result<(), Refusal> {
        let free = self.free.len();
        let enough = if self.flaw == LastBlockRefused { count == 0 || count < free } else { count <= free };
        match self.flaw {
            NotRemoved => table.extend(self.free.iter().rev().take(count)),
            Unchecked => table.extend((0..count).map(|_| self.free.remove(0))),
            LeaksPartial if !enough => self.free.clear(),
            KeepsPartial if !enough => table.append(&mut self.free),
            _ if enough => table.extend(self.free.drain(free - count..)),
            _ => {}
        }
        if enough { Ok(()) } else { Err(Refusal::OutOfBlocks) }
    }

    /// How many blocks an append takes.
    fn missing(&self, sequence: &Sequence, tokens: usize) -> usize {
        let has = sequence.table.len();
        let right = self.needed(sequence.length + tokens).saturating_sub(has);
        match self.flaw {
            CapacityAsTotal => usize::from(has * self.size < tokens),
            OneBlockAtMost => right.min(1),
            AlwaysABlock => 1,
            OwnBlocks => self.needed(tokens),
            AppendAsTotal => self.needed(tokens).saturating_sub(has),
            _ => right,
        }
    }

    fn grow(&mut self, sequence: &mut Sequence, tokens: usize) -> Result<(), Refusal> {
        let taken = if self.flaw == Reallocates {
            let mut fresh = Vec::new();
            self.take(self.needed(sequence.length + tokens), &mut fresh).map(|()| {
                self.free.append(&mut sequence.table);
                sequence.table = fresh;
            })
        } else {
            self.take(self.missing(sequence, tokens), &mut sequence.table)
        };
        match self.flaw {
            LengthNotUpdated => {}
            AppendAsTotal if taken.is_ok() => sequence.length = tokens,
            _ if taken.is_ok() || self.flaw == LengthGrowsOnRefusal => sequence.length += tokens,
            _ => {}
        }
        taken
    }
}

impl BlockManager for Pool {
    fn allocate(&mut self, id: u32, tokens: usize) -> Result<(), Refusal> {
        if self.live.contains_key(&id) && self.flaw != Overwrites {
            return Err(Refusal::AlreadyLive);
        }
        let mut table = Vec::new();
        let taken = self.take(self.needed(tokens), &mut table);
        if taken.is_ok() {
            self.live.insert(id, Sequence { table, length: tokens });
        } else if self.flaw == RegistersFailed {
            self.live.insert(id, Sequence { table: Vec::new(), length: 0 });
        } else if self.flaw == KeepsPartial {
            self.free.append(&mut table);
        }
        taken
    }

    fn append(&mut self, id: u32, tokens: usize) -> Result<(), Refusal> {
        let unknown = || Sequence { table: Vec::new(), length: 0 };
        let found = self.live.remove(&id).or_else(|| (self.flaw == CreatesOnAppend).then(unknown));
        let mut sequence = found.ok_or(Refusal::UnknownSequence)?;
        let grown = self.grow(&mut sequence, tokens);
        self.live.insert(id, sequence);
        grown
    }

    fn release(&mut self, id: u32) -> Result<(), Refusal> {
        match self.live.get(&id) {
            None if self.flaw == ReleaseShrugs => return Ok(()),
            None => return Err(Refusal::UnknownSequence),
            Some(_) if self.flaw == ReleaseForgets => {}
            Some(sequence) => self.free.extend(&sequence.table),
        }
        if self.flaw != ReleaseKeeps {
            self.live.remove(&id);
        }
        Ok(())
    }

    fn table(&self, id: u32) -> Vec<usize> {
        self.live.get(&id).map_or_else(Vec::new, |sequence| sequence.table.clone())
    }

    fn slot(&self, id: u32, position: usize) -> Option<usize> {
        let sequence = self.live.get(&id)?;
        let unbounded = matches!(self.flaw, SlotBeyondLength | CapacityAsTotal);
        let limit = if unbounded { sequence.table.len() * self.size } else { sequence.length };
        if position >= limit {
            return None;
        }
        let (block, offset) = (position / self.size, position % self.size);
        match self.flaw {
            SlotTransposed => sequence.table.get(offset).map(|physical| physical * self.size + block),
            SlotIsPosition => Some(position),
            SlotWithoutOffset => sequence.table.get(block).map(|physical| physical * self.size),
            _ => sequence.table.get(block).map(|physical| physical * self.size + offset),
        }
    }

    fn free_blocks(&self) -> usize {
        self.free.len()
    }
}

pub fn make(flaw: Flaw, block_size: usize, blocks: usize) -> Box<dyn BlockManager> {
    // Free blocks in an order of their own: no attempt may depend on it.
    Box::new(Pool { flaw, size: block_size, free: (0..blocks).rev().collect(), live: BTreeMap::new() })
}
