//! Min-p (Nguyen et al. 2024, "Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs").

use candle_core::{D, Result, Tensor};
use candle_nn::ops::softmax;

/// logits (B, V), temperature > 0, min_p from 0 to 1 → probabilities (B, V) of what is left.
pub fn min_p(logits: &Tensor, temperature: f64, min_p: f64) -> Result<Tensor> {
    let p = softmax(&(logits / temperature)?, D::Minus1)?; // (B, V)
    let floor = (p.max_keepdim(D::Minus1)? * min_p)?; // (B, 1)
    let kept = p.broadcast_ge(&floor)?.where_cond(&p, &p.zeros_like()?)?;
    kept.broadcast_div(&kept.sum_keepdim(D::Minus1)?)
}
