//! The block table of a paged KV cache.

use logitlings::pack::inference::paged_block_table::{BlockManager, Refusal};

/// Add what you need to remember.
struct Pool {
    block_size: usize,
    blocks: usize,
}

impl BlockManager for Pool {
    /// Starts a sequence of `tokens` tokens.
    fn allocate(&mut self, sequence: u32, tokens: usize) -> Result<(), Refusal> {
        let _ = (sequence, tokens, self.block_size);
        todo!("take the blocks for a new sequence, or refuse and change nothing")
    }

    /// Adds `tokens` more tokens.
    fn append(&mut self, sequence: u32, tokens: usize) -> Result<(), Refusal> {
        let _ = (sequence, tokens);
        todo!("take the blocks that are missing, or refuse and change nothing")
    }

    /// Ends a sequence.
    fn release(&mut self, sequence: u32) -> Result<(), Refusal> {
        let _ = sequence;
        todo!("give the blocks back")
    }

    /// The sequence's blocks in order; empty if it is not live.
    fn table(&self, sequence: u32) -> Vec<usize> {
        let _ = sequence;
        todo!("the physical blocks of the sequence")
    }

    /// Where the token at this position is stored; `None` if there is none.
    fn slot(&self, sequence: u32, position: usize) -> Option<usize> {
        let _ = (sequence, position);
        todo!("the block of the position, and the offset in it")
    }

    fn free_blocks(&self) -> usize {
        let _ = self.blocks;
        todo!("how many blocks nobody holds")
    }
}

/// A pool of `blocks` free blocks of `block_size` tokens each.
pub fn block_manager(block_size: usize, blocks: usize) -> Box<dyn BlockManager> {
    Box::new(Pool { block_size, blocks })
}

logitlings::attempt!(inference::paged_block_table, block_manager);
