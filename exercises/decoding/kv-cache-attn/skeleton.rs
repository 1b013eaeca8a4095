//! One step of causal attention with a KV cache.

use candle_core::{Result, Tensor};
use logitlings::pack::decoding::kv_cache_attn::{Cache, Layer};

/// x (B, n, D): the n newest tokens (the prompt in the first step, then usually one). The cache holds keys and values
/// (B, H, P, d_k) of the P tokens before them, or `None`. Returns (B, n, D) and leaves P + n positions in the cache.
pub fn kv_cache_attn(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let _ = (x, layer.heads(), &cache.k, &cache.v);
    todo!("project the new tokens, split heads, append to the cache, attend causally, merge heads, project")
}

logitlings::attempt!(decoding::kv_cache_attn, kv_cache_attn);
