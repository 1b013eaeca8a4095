//! Block tables of a paged KV cache, Kwon et al. 2023 (PagedAttention).

use super::{BlockManager, Refusal};
use std::collections::HashMap;

/// A live sequence. The length is kept beside the table: a last block says nothing of how full it is.
struct Sequence {
    table: Vec<usize>,
    length: usize,
}

struct Pool {
    block_size: usize,
    free: Vec<usize>,
    live: HashMap<u32, Sequence>,
}

impl Pool {
    /// Brings `sequence` to `length` tokens. Checks before it takes, so that a refusal changes nothing.
    fn grow(&mut self, sequence: &mut Sequence, length: usize) -> Result<(), Refusal> {
        let missing = length.div_ceil(self.block_size) - sequence.table.len();
        let left = self.free.len().checked_sub(missing).ok_or(Refusal::OutOfBlocks)?;
        sequence.table.extend(self.free.drain(left..));
        sequence.length = length;
        Ok(())
    }
}

impl BlockManager for Pool {
    fn allocate(&mut self, id: u32, tokens: usize) -> Result<(), Refusal> {
        if self.live.contains_key(&id) {
            return Err(Refusal::AlreadyLive);
        }
        let mut sequence = Sequence { table: Vec::new(), length: 0 };
        self.grow(&mut sequence, tokens)?;
        self.live.insert(id, sequence);
        Ok(())
    }

    fn append(&mut self, id: u32, tokens: usize) -> Result<(), Refusal> {
        let mut sequence = self.live.remove(&id).ok_or(Refusal::UnknownSequence)?;
        let length = sequence.length + tokens;
        let grown = self.grow(&mut sequence, length);
        self.live.insert(id, sequence);
        grown
    }

    fn release(&mut self, id: u32) -> Result<(), Refusal> {
        let sequence = self.live.remove(&id).ok_or(Refusal::UnknownSequence)?;
        self.free.extend(sequence.table);
        Ok(())
    }

    fn table(&self, id: u32) -> Vec<usize> {
        self.live.get(&id).map_or_else(Vec::new, |sequence| sequence.table.clone())
    }

    fn slot(&self, id: u32, position: usize) -> Option<usize> {
        let sequence = self.live.get(&id).filter(|sequence| position < sequence.length)?;
        Some(sequence.table[position / self.block_size] * self.block_size + position % self.block_size)
    }

    fn free_blocks(&self) -> usize {
        self.free.len()
    }
}

/// A pool of `blocks` free blocks of `block_size` tokens each.
pub fn block_manager(block_size: usize, blocks: usize) -> Box<dyn BlockManager> {
    Box::new(Pool { block_size, free: (0..blocks).collect(), live: HashMap::new() })
}
