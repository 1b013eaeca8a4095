//! Where logits come from: a model with a cache, seen from the lab.

/// A causal language model in the middle of one sequence.
pub trait Source: Send {
    /// Size of the vocabulary.
    fn vocabulary(&self) -> usize;
    /// The most tokens that fit.
    fn context(&self) -> usize;
    /// Tokens in the cache.
    fn len(&self) -> usize;
    /// Whether the cache is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Feeds tokens behind those in the cache and returns the logits of the last one, (V).
    fn feed(&mut self, tokens: &[u32]) -> Result<Vec<f32>, String>;
    /// Forgets all but the first `len` tokens; nothing is computed again.
    fn truncate(&mut self, len: usize);
    /// The same sequence, to go on independently.
    fn fork(&self) -> Box<dyn Source>;
}
