//! Is right.

use candle_core::{Result, Tensor};

pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    use candle_core::D;
    let scores = (q.matmul(&k.transpose(2, 3)?.contiguous()?)? / (q.dim(D::Minus1)? as f64).sqrt())?;
    let scores = mask.map_or(Ok(scores.clone()), |mask| scores.broadcast_add(mask))?;
    let max = scores.max_keepdim(D::Minus1)?.maximum(f32::MIN)?;
    let weights = scores.broadcast_sub(&max)?.exp()?;
    let sum = weights.sum_keepdim(D::Minus1)?.maximum(f32::MIN_POSITIVE)?;
    weights.matmul(v)?.broadcast_div(&sum)
}

logitlings::attempt!(attention::sdpa, sdpa);
