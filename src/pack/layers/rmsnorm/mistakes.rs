//! What goes wrong at speed in RMSNorm.

use super::reference;
use candle_core::{D, DType, Result, Tensor};

fn wide(x: &Tensor) -> Result<Tensor> {
    x.to_dtype(DType::F32)
}

fn mean_square(x: &Tensor) -> Result<Tensor> {
    wide(x)?.sqr()?.mean_keepdim(D::Minus1)
}

/// x / `divisor` · w, in x's dtype.
fn divided(x: &Tensor, divisor: &Tensor, weight: &Tensor) -> Result<Tensor> {
    wide(x)?.broadcast_div(divisor)?.broadcast_mul(&wide(weight)?)?.to_dtype(x.dtype())
}

pub fn no_upcast(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let mean_square = x.sqr()?.mean_keepdim(D::Minus1)?;
    x.broadcast_div(&(mean_square + eps)?.sqrt()?)?.broadcast_mul(weight)
}

pub fn not_cast_back(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    reference::rms_norm(&wide(x)?, weight, eps)
}

pub fn eps_outside(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    divided(x, &(mean_square(x)?.sqrt()? + eps)?, weight)
}

pub fn no_eps(x: &Tensor, weight: &Tensor, _eps: f64) -> Result<Tensor> {
    divided(x, &mean_square(x)?.sqrt()?, weight)
}

pub fn mean_subtracted(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let centred = wide(x)?.broadcast_sub(&wide(x)?.mean_keepdim(D::Minus1)?)?;
    reference::rms_norm(&centred, weight, eps)?.to_dtype(x.dtype())
}

pub fn variance(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let centred = wide(x)?.broadcast_sub(&wide(x)?.mean_keepdim(D::Minus1)?)?;
    divided(x, &(mean_square(&centred)? + eps)?.sqrt()?, weight)
}

pub fn sum_not_mean(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    divided(x, &(wide(x)?.sqr()?.sum_keepdim(D::Minus1)? + eps)?.sqrt()?, weight)
}

pub fn no_root(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    divided(x, &(mean_square(x)? + eps)?, weight)
}

pub fn mean_absolute(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    divided(x, &(wide(x)?.abs()?.mean_keepdim(D::Minus1)? + eps)?, weight)
}

pub fn no_weight(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    reference::rms_norm(x, &weight.ones_like()?, eps)
}

pub fn weight_first(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let weighted = wide(x)?.broadcast_mul(&wide(weight)?)?;
    reference::rms_norm(&weighted, &weight.ones_like()?, eps)?.to_dtype(x.dtype())
}

pub fn gemma(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    reference::rms_norm(x, &(wide(weight)? + 1.0)?, eps)
}

pub fn over_tokens(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let mean_square = wide(x)?.sqr()?.mean_keepdim(D::Minus2)?;
    divided(x, &(mean_square + eps)?.sqrt()?, weight)
}

pub fn over_everything(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    divided(x, &(wide(x)?.sqr()?.mean_all()?.reshape(1)? + eps)?.sqrt()?, weight)
}
