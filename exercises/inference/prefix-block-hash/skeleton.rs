//! A prefix cache that finds full blocks by their hash.

use logitlings::pack::inference::prefix_block_hash::PrefixCache;

/// Add what you need to remember.
struct Cache {
    block_size: usize,
    blocks: usize,
}

impl PrefixCache for Cache {
    /// How many tokens of this prompt are cached, in full blocks and fewer than all. Changes nothing.
    fn lookup(&self, tokens: &[u32]) -> usize {
        let _ = (tokens, self.block_size);
        todo!("follow the chain of hashes as far as it is cached")
    }

    /// Starts a sequence and returns how many tokens were hit; `None` if the blocks are too few.
    fn start(&mut self, sequence: u32, tokens: &[u32]) -> Option<usize> {
        let _ = (sequence, tokens);
        todo!("share what is cached, take blocks for the rest, and cache the full ones")
    }

    /// Ends a live sequence; its full blocks stay cached.
    fn finish(&mut self, sequence: u32) {
        let _ = sequence;
        todo!("one reference less for each block")
    }

    /// A live sequence's physical blocks in order.
    fn table(&self, sequence: u32) -> Vec<usize> {
        let _ = sequence;
        todo!("the blocks of the sequence")
    }

    /// How many blocks no live sequence holds.
    fn free_blocks(&self) -> usize {
        let _ = self.blocks;
        todo!("empty ones, and cached ones without a reference")
    }
}

/// An empty cache of `blocks` blocks of `block_size` tokens each.
pub fn prefix_cache(block_size: usize, blocks: usize) -> Box<dyn PrefixCache> {
    Box::new(Cache { block_size, blocks })
}

logitlings::attempt!(inference::prefix_block_hash, prefix_cache);
