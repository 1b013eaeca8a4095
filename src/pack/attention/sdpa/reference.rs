//! softmax(Q·Kᵀ/√d_k + M)·V, "Attention Is All You Need" (Vaswani et al. 2017), equation 1.

use candle_core::{D, DType, Result, Tensor};

/// q (B, H, Tq, d_k), k (B, H, Tk, d_k), v (B, H, Tk, d_v), mask broadcastable to (B, H, Tq, Tk) → (B, H, Tq, d_v).
pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scale = 1.0 / (q.dim(D::Minus1)? as f64).sqrt();
    let scores = q.contiguous()?.matmul(&k.transpose(2, 3)?.contiguous()?)?; // (B, H, Tq, Tk)
    // The softmax runs in f32 whatever the inputs are: in bf16 the floor below would itself round to −inf.
    let mut scores = (scores.to_dtype(DType::F32)? * scale)?;
    if let Some(mask) = mask {
        scores = scores.broadcast_add(&mask.to_dtype(DType::F32)?)?;
    }
    // A row of −inf has the maximum −inf, and −inf − (−inf) is NaN: with a finite floor it becomes exp(−inf) = 0.
    let max = scores.max_keepdim(D::Minus1)?.maximum(f32::MIN)?; // (B, H, Tq, 1)
    let weights = scores.broadcast_sub(&max)?.exp()?;
    let sum = weights.sum_keepdim(D::Minus1)?.maximum(f32::MIN_POSITIVE)?; // 0 only where all is hidden
    weights.broadcast_div(&sum)?.to_dtype(v.dtype())?.matmul(&v.contiguous()?)
}
