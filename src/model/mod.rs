//! Causal language models behind one trait.
//!
//! This room knows tensors and weights and nothing else: no text, no sampling, no judge. A model is handed token ids,
//! position ids and an attention mask, and returns the logits of every position it was fed; what was fed before is in a
//! [`Cache`] that the caller owns, forks by cloning and cuts back with [`Cache::truncate`].

mod cache;
mod error;
mod gpt2;
mod mask;
mod weights;

pub use cache::Cache;
pub use error::{Error, Result};
pub use gpt2::{Config, Gpt2};

use candle_core::{Device, Tensor};

/// A causal language model.
///
/// B rows are fed T new tokens each, after the P that the cache holds. Ids, positions and masks are integer tensors
/// (u8, u32 or i64). What cannot be computed (the context's end, an id, a position or a shape out of range) is an
/// [`Error`], and then the cache is as it was.
pub trait CausalLm: Send + Sync {
    /// Number of entries of the vocabulary, V.
    fn vocab(&self) -> usize;

    /// How many tokens a row can hold, cached ones and padding included.
    fn context(&self) -> usize;

    /// Where the weights are; inputs must be there too.
    fn device(&self) -> &Device;

    /// A cache that holds nothing.
    fn new_cache(&self) -> Cache;

    /// Feeds `input_ids` (B, T) at `position_ids` (B, T) and returns the logits (B, T, V) of all T positions, in f32.
    ///
    /// A token sees itself and what stands before it in its row, as far as `attention_mask` (B, P + T) holds 1 there;
    /// without a mask all of it. The mask covers the cached tokens too, so its last column belongs to the newest token.
    /// What a padding token itself gets as logits is finite and without meaning.
    fn forward(
        &self,
        input_ids: &Tensor,
        position_ids: &Tensor,
        attention_mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> Result<Tensor>;

    /// As [`CausalLm::forward`], with each layer's attention weights (B, H, T, P + T).
    fn forward_with_attention(
        &self,
        input_ids: &Tensor,
        position_ids: &Tensor,
        attention_mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> Result<(Tensor, Vec<Tensor>)>;
}
