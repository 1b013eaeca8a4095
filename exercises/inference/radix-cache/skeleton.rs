//! A prefix cache as a radix tree over tokens.

use logitlings::pack::inference::radix_cache::{RadixCache, Token};

/// Add what you need to remember.
struct Tree {}

impl RadixCache for Tree {
    /// Caches the sequence and returns how many of its tokens were cached already; those keep their old slots.
    fn insert(&mut self, tokens: &[Token], slots: &[u32]) -> usize {
        let _ = (tokens, slots);
        todo!("walk and split, then add a leaf for the tokens that are left")
    }

    /// The slots of the longest cached prefix.
    fn match_prefix(&mut self, tokens: &[Token]) -> Vec<u32> {
        let _ = tokens;
        todo!("walk and split, and collect the slots")
    }

    /// Protects the longest cached prefix from eviction and returns its length.
    fn lock(&mut self, tokens: &[Token]) -> usize {
        let _ = tokens;
        todo!("walk and split, and count a lock on the path")
    }

    /// Takes one lock off this prefix, which is locked.
    fn unlock(&mut self, tokens: &[Token]) {
        let _ = tokens;
        todo!("take the lock off the path")
    }

    /// Removes unlocked leaves, the least recently used first, until `tokens` tokens are gone; returns their slots.
    fn evict(&mut self, tokens: usize) -> Vec<u32> {
        let _ = tokens;
        todo!("leaf by leaf; a parent may become a leaf")
    }

    /// Tokens cached.
    fn cached(&self) -> usize {
        todo!("tokens of all nodes")
    }

    /// Tokens that `evict` could remove.
    fn evictable(&self) -> usize {
        todo!("tokens of the nodes without a lock")
    }
}

/// An empty cache.
pub fn radix_cache() -> Box<dyn RadixCache> {
    Box::new(Tree {})
}

logitlings::attempt!(inference::radix_cache, radix_cache);
