//! x / √(mean(x²) + ε) · w, "Root Mean Square Layer Normalization" (Zhang and Sennrich 2019).

use candle_core::{D, DType, Result, Tensor};

/// x (…, D), weight (D) → (…, D) in x's dtype; the mean runs over the last axis.
pub fn rms_norm(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let wide = x.to_dtype(DType::F32)?; // 300² is more than f16 can hold
    let mean_square = wide.sqr()?.mean_keepdim(D::Minus1)?; // (…, 1)
    let normed = wide.broadcast_div(&(mean_square + eps)?.sqrt()?)?;
    normed.broadcast_mul(&weight.to_dtype(DType::F32)?)?.to_dtype(x.dtype())
}
