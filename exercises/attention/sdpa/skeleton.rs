//! Scaled dot-product attention: softmax(Q·Kᵀ/√d_k + M)·V.

use candle_core::{Result, Tensor};

/// q (B, H, Tq, d_k), k (B, H, Tk, d_k), v (B, H, Tk, d_v); the mask is added to the scores: 0 keeps, −inf hides.
/// Returns (B, H, Tq, d_v).
pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let _ = (q, k, v, mask);
    todo!("scores, scale, mask, softmax, weighted sum of the values")
}

logitlings::attempt!(attention::sdpa, sdpa);
