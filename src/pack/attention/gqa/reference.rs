//! Grouped-query attention, Ainslie et al. 2023: H query heads share G key/value heads, H/G queries to each.

use candle_core::{D, Error, Result, Tensor};
use candle_nn::ops::softmax;

use super::Weights;

/// x (B, T, D) → (B, T, D), bidirectional. `heads` query heads and `kv_heads` key/value heads of width D / heads.
pub fn gqa(x: &Tensor, weights: &Weights, heads: usize, kv_heads: usize) -> Result<Tensor> {
    let (b, t, d) = x.dims3()?;
    if kv_heads == 0 || !heads.is_multiple_of(kv_heads) || !d.is_multiple_of(heads) {
        return Err(Error::Msg(format!("{heads} query heads over width {d} cannot share {kv_heads} key/value heads")));
    }
    let dk = d / heads;
    // (B, T, n·d_k) → (B, n, T, d_k)
    let split =
        |w: &Tensor, n: usize| x.broadcast_matmul(&w.t()?)?.reshape((b, t, n, dk))?.transpose(1, 2)?.contiguous();
    let q = split(&weights.q, heads)?;
    let k = repeat_each(&split(&weights.k, kv_heads)?, heads / kv_heads)?;
    let v = repeat_each(&split(&weights.v, kv_heads)?, heads / kv_heads)?;
    let scores = (q.matmul(&k.t()?.contiguous()?)? / (dk as f64).sqrt())?; // (B, H, T, T)
    let mixed = softmax(&scores, D::Minus1)?.matmul(&v)?; // (B, H, T, d_k)
    mixed.transpose(1, 2)?.reshape((b, t, d))?.broadcast_matmul(&weights.o.t()?)
}

/// Every head `times` times in a row: heads 0 0 1 1, not 0 1 0 1. Query head i then meets head i / times.
fn repeat_each(x: &Tensor, times: usize) -> Result<Tensor> {
    let (b, g, t, dk) = x.dims4()?;
    x.unsqueeze(2)?.broadcast_as((b, g, times, t, dk))?.reshape((b, g * times, t, dk))
}
