//! What goes wrong at speed in attention.

use super::reference;
use candle_core::{D, Result, Tensor};
use candle_nn::ops::softmax;

fn scores(q: &Tensor, k: &Tensor) -> Result<Tensor> {
    q.contiguous()?.matmul(&k.transpose(2, 3)?.contiguous()?)
}

fn masked(scores: Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    mask.map_or(Ok(scores.clone()), |mask| scores.broadcast_add(mask))
}

/// Attention whose scores are multiplied by `scale`.
fn scaled(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>, scale: f64) -> Result<Tensor> {
    let right = (q.dim(D::Minus1)? as f64).sqrt();
    reference::sdpa(&(q * (right * scale))?, k, v, mask)
}

pub fn no_scale(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    scaled(q, k, v, mask, 1.0)
}

pub fn scale_by_d(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    scaled(q, k, v, mask, 1.0 / q.dim(D::Minus1)? as f64)
}

pub fn scale_by_dv(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    scaled(q, k, v, mask, 1.0 / (v.dim(D::Minus1)? as f64).sqrt())
}

pub fn scale_by_length(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    scaled(q, k, v, mask, 1.0 / (k.dim(2)? as f64).sqrt())
}

pub fn softmax_over_queries(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scores = masked((scores(q, k)? / (q.dim(D::Minus1)? as f64).sqrt())?, mask)?;
    softmax(&scores, 2)?.matmul(v)
}

pub fn mask_ignored(q: &Tensor, k: &Tensor, v: &Tensor, _mask: Option<&Tensor>) -> Result<Tensor> {
    reference::sdpa(q, k, v, None)
}

pub fn mask_after_softmax(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let weights = softmax(&(scores(q, k)? / (q.dim(D::Minus1)? as f64).sqrt())?, D::Minus1)?;
    masked(weights, mask)?.matmul(v)
}

pub fn mask_multiplied(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scores = (scores(q, k)? / (q.dim(D::Minus1)? as f64).sqrt())?;
    let scores = mask.map_or(Ok(scores.clone()), |mask| scores.broadcast_mul(mask))?;
    softmax(&scores, D::Minus1)?.matmul(v)
}

/// (Q·Kᵀ + M)/√d_k: −inf does not notice, a finite bias does.
pub fn mask_scaled(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scale = (q.dim(D::Minus1)? as f64).sqrt();
    let mask = mask.map(|mask| mask / scale).transpose()?;
    reference::sdpa(q, k, v, mask.as_ref())
}

/// K read as (B, H, d_k, Tk) without moving a number.
pub fn k_reshaped(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let (b, h, tk, dk) = k.dims4()?;
    reference::sdpa(q, &k.contiguous()?.reshape((b, h, dk, tk))?.transpose(2, 3)?, v, mask)
}

pub fn one_max_for_all(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scores = masked((scores(q, k)? / (q.dim(D::Minus1)? as f64).sqrt())?, mask)?;
    let weights = scores.broadcast_sub(&scores.max_all()?)?.exp()?;
    let sum = weights.sum_keepdim(D::Minus1)?.maximum(f32::MIN_POSITIVE)?;
    weights.matmul(v)?.broadcast_div(&sum)
}

pub fn no_max(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let weights = masked((scores(q, k)? / (q.dim(D::Minus1)? as f64).sqrt())?, mask)?.exp()?;
    let sum = weights.sum_keepdim(D::Minus1)?.maximum(f32::MIN_POSITIVE)?;
    weights.matmul(v)?.broadcast_div(&sum)
}

pub fn q_k_swapped(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scores = masked((scores(k, q)? / (q.dim(D::Minus1)? as f64).sqrt())?, mask)?;
    softmax(&scores, D::Minus1)?.matmul(v)
}

pub fn nan_when_all_hidden(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scores = masked((scores(q, k)? / (q.dim(D::Minus1)? as f64).sqrt())?, mask)?;
    softmax(&scores, D::Minus1)?.matmul(v)
}
