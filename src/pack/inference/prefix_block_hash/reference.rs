//! Automatic prefix caching as in vLLM: full blocks are found by a hash of their whole prefix.

use super::PrefixCache;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Clone, Default)]
struct Block {
    /// What it is cached as.
    hash: Option<u64>,
    /// Live sequences that hold it.
    references: usize,
    /// When the last reference went.
    idle_since: u64,
}

struct Cache {
    block_size: usize,
    blocks: Vec<Block>,
    empty: Vec<usize>,
    /// Cached blocks without a reference; the first one goes first.
    idle: BTreeMap<u64, usize>,
    cached: HashMap<u64, usize>,
    tables: HashMap<u32, Vec<usize>>,
    clock: u64,
}

impl Cache {
    /// Hashes of the full blocks, each over its parent's hash and its own tokens. 64 bits are enough for an exercise; a
    /// server hashes with SHA-256 or compares the tokens.
    fn chain(&self, tokens: &[u32]) -> Vec<u64> {
        let mut parent = 0;
        let next = |block: &[u32]| {
            let mut hasher = DefaultHasher::new();
            (parent, block).hash(&mut hasher);
            parent = hasher.finish();
            parent
        };
        tokens.chunks_exact(self.block_size).map(next).collect()
    }

    /// The cached blocks that a prompt of `length` tokens may use: never all of them, its last token is to be computed.
    fn hits(&self, chain: &[u64], length: usize) -> Vec<usize> {
        let most = length.saturating_sub(1) / self.block_size;
        chain.iter().take(most).map_while(|hash| self.cached.get(hash).copied()).collect()
    }

    /// An empty block, or else the idle one whose turn it is.
    fn take(&mut self) -> Option<usize> {
        self.empty.pop().or_else(|| {
            let (_, block) = self.idle.pop_first()?;
            self.blocks[block].hash.take().map(|hash| self.cached.remove(&hash));
            Some(block)
        })
    }
}

impl PrefixCache for Cache {
    fn lookup(&self, tokens: &[u32]) -> usize {
        self.hits(&self.chain(tokens), tokens.len()).len() * self.block_size
    }

    fn start(&mut self, sequence: u32, tokens: &[u32]) -> Option<usize> {
        let chain = self.chain(tokens);
        let mut table = self.hits(&chain, tokens.len());
        let hit = table.len();
        let wanted = tokens.len().div_ceil(self.block_size);
        // A hit that is idle is about to be referenced: it cannot be evicted for the rest.
        let idle_hits = table.iter().filter(|&&block| self.blocks[block].references == 0).count();
        if wanted - hit > self.free_blocks() - idle_hits {
            return None;
        }
        for &block in &table {
            self.idle.remove(&self.blocks[block].idle_since);
            self.blocks[block].references += 1;
        }
        for i in hit..wanted {
            let block = self.take()?;
            self.blocks[block].references = 1;
            // Only now, since the block that was taken may have been the one that held this hash.
            if let Some(&hash) = chain.get(i).filter(|hash| !self.cached.contains_key(hash)) {
                self.cached.insert(hash, block);
                self.blocks[block].hash = Some(hash);
            }
            table.push(block);
        }
        self.tables.insert(sequence, table);
        Some(hit * self.block_size)
    }

    fn finish(&mut self, sequence: u32) {
        let table = self.tables.remove(&sequence).unwrap_or_default();
        // From the end: the deepest block is the first to go.
        for index in table.into_iter().rev() {
            let block = &mut self.blocks[index];
            block.references -= 1;
            if block.references == 0 && block.hash.is_none() {
                self.empty.push(index);
            } else if block.references == 0 {
                self.clock += 1;
                block.idle_since = self.clock;
                self.idle.insert(self.clock, index);
            }
        }
    }

    fn table(&self, sequence: u32) -> Vec<usize> {
        self.tables.get(&sequence).cloned().unwrap_or_default()
    }

    fn free_blocks(&self) -> usize {
        self.empty.len() + self.idle.len()
    }
}

/// An empty cache of `blocks` blocks of `block_size` tokens each.
pub fn prefix_cache(block_size: usize, blocks: usize) -> Box<dyn PrefixCache> {
    Box::new(Cache {
        block_size,
        blocks: vec![Block::default(); blocks],
        empty: (0..blocks).collect(),
        idle: BTreeMap::new(),
        cached: HashMap::new(),
        tables: HashMap::new(),
        clock: 0,
    })
}
