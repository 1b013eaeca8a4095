//! Contrastive search (Su et al. 2022, "A Contrastive Framework for Neural Text Generation", equation 5).

use candle_core::{D, Result, Tensor};
use candle_nn::ops::softmax;

/// logits (B, V), candidate ids (B, k), their hidden states (B, k, D), the text's (B, T, D) with mask (B, T), α →
/// scores (B, k) and the chosen id of each row.
pub fn contrastive_search(
    logits: &Tensor,
    candidates: &Tensor,
    hidden: &Tensor,
    context: &Tensor,
    mask: &Tensor,
    alpha: f64,
) -> Result<(Tensor, Vec<u32>)> {
    let confidence = softmax(logits, D::Minus1)?.contiguous()?.gather(&candidates.contiguous()?, 1)?; // (B, k)
    let cosines = unit(hidden)?.matmul(&unit(context)?.transpose(1, 2)?.contiguous()?)?; // (B, k, T)
    let is_text = mask.unsqueeze(1)?.broadcast_as(cosines.shape())?;
    let never = Tensor::full(f32::NEG_INFINITY, cosines.shape(), cosines.device())?;
    let penalty = is_text.where_cond(&cosines, &never)?.max(D::Minus1)?; // (B, k)

    let scores = ((confidence * (1.0 - alpha))? - (penalty * alpha)?)?;
    let best = scores.argmax_keepdim(D::Minus1)?; // (B, 1)
    let chosen = candidates.contiguous()?.gather(&best, 1)?.flatten_all()?.to_vec1()?;
    Ok((scores, chosen))
}

/// Every vector of the last axis at length 1; a vector of zeros stays as it is.
fn unit(x: &Tensor) -> Result<Tensor> {
    let length = x.sqr()?.sum_keepdim(D::Minus1)?.sqrt()?;
    x.broadcast_div(&length.maximum(1e-12)?)?.contiguous()
}
