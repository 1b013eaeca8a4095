//! FlashAttention, Dao et al. 2022, algorithm 1, with the normaliser applied once at the end (FlashAttention-2).

use candle_core::{D, Result, Tensor};

/// q (Tq, d_k), k (Tk, d_k), v (Tk, d_v) → (Tq, d_v), looking at `tile` keys at a time. With `causal` the queries are the
/// last Tq of the Tk positions; one that stands before all of them (Tq > Tk) sees nothing and gets zeros.
pub fn flash_attention(q: &Tensor, k: &Tensor, v: &Tensor, tile: usize, causal: bool) -> Result<Tensor> {
    let (tq, dk) = q.dims2()?;
    let (tk, dv) = v.dims2()?;
    let device = q.device();
    let q = (q / (dk as f64).sqrt())?;
    let mut max = Tensor::full(f32::NEG_INFINITY, (tq, 1), device)?; // m: the largest score so far
    let mut sum = Tensor::zeros((tq, 1), q.dtype(), device)?; // l: Σ exp(score − m) so far
    let mut out = Tensor::zeros((tq, dv), q.dtype(), device)?; // o: Σ exp(score − m)·v so far
    for start in (0..tk).step_by(tile) {
        let size = tile.min(tk - start); // the last tile may be smaller
        let mut scores = q.matmul(&k.narrow(0, start, size)?.t()?)?; // (Tq, tile)
        if causal {
            scores = scores.add(&hidden(tq, tk, start, size, device)?)?;
        }
        let new_max = max.maximum(&scores.max_keepdim(D::Minus1)?)?;
        // Where everything so far is hidden the maximum is −inf, and −inf − (−inf) is NaN: 0 stands in for it.
        let floor = new_max.maximum(f32::MIN)?;
        let weights = scores.broadcast_sub(&floor)?.exp()?;
        let shrink = max.sub(&floor)?.exp()?; // what was summed under the old maximum
        sum = (sum.mul(&shrink)? + weights.sum_keepdim(D::Minus1)?)?;
        out = (out.broadcast_mul(&shrink)? + weights.matmul(&v.narrow(0, start, size)?)?)?;
        max = new_max;
    }
    out.broadcast_div(&sum.maximum(f32::MIN_POSITIVE)?) // 0 only where all is hidden
}

/// (Tq, size) of 0 and −inf for the keys from `start` on.
fn hidden(tq: usize, tk: usize, start: usize, size: usize, device: &candle_core::Device) -> Result<Tensor> {
    let see = |i: usize, j: usize| start + j + tq <= i + tk;
    let mask: Vec<f32> =
        (0..tq * size).map(|at| if see(at / size, at % size) { 0.0 } else { f32::NEG_INFINITY }).collect();
    Tensor::from_vec(mask, (tq, size), device)
}
