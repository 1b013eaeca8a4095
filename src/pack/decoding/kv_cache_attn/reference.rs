//! One step of causal attention with a KV cache: each token is projected once, when it arrives.

use super::{Cache, Layer};
use candle_core::{Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// The n newest tokens x (B, n, D) → their outputs (B, n, D); the cache grows from P to P + n positions.
pub fn kv_cache_attn(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let (b, n, d) = x.dims3()?;
    let heads = layer.heads();
    let split = |t: Tensor| t.reshape((b, n, heads, d / heads))?.transpose(1, 2)?.contiguous(); // (B, H, n, d_k)
    let q = split(layer.query(x)?)?;
    let k = append(cache.k.take(), split(layer.key(x)?)?)?; // (B, H, P + n, d_k)
    let v = append(cache.v.take(), split(layer.value(x)?)?)?;

    let scale = 1.0 / ((d / heads) as f64).sqrt();
    let scores = (q.matmul(&k.t()?)? * scale)?.broadcast_add(&causal(n, k.dim(2)?, x)?)?; // (B, H, n, P + n)
    let mixed = softmax_last_dim(&scores)?.matmul(&v)?; // (B, H, n, d_k)
    (cache.k, cache.v) = (Some(k), Some(v));
    layer.output(&mixed.transpose(1, 2)?.reshape((b, n, d))?)
}

fn append(cached: Option<Tensor>, new: Tensor) -> Result<Tensor> {
    cached.map_or(Ok(new.clone()), |old| Tensor::cat(&[&old, &new], 2))
}

/// (n, total): query i stands at position total − n + i and sees everything up to itself. For one query all is 0.
fn causal(n: usize, total: usize, like: &Tensor) -> Result<Tensor> {
    let bias = |i: usize, j: usize| if j > total - n + i { f32::NEG_INFINITY } else { 0.0 };
    let mask: Vec<f32> = (0..n).flat_map(|i| (0..total).map(move |j| bias(i, j))).collect();
    Tensor::from_vec(mask, (n, total), like.device())?.to_dtype(like.dtype())
}
