//! What goes wrong at speed in a causal mask.

use candle_core::{DType, Device, Result, Tensor};

/// A mask that hides with `value` where `hidden(i, j)`; `i` is the query's position among the keys.
fn mask(tq: usize, tk: usize, device: &Device, value: f32, hidden: impl Fn(i64, i64) -> bool) -> Result<Tensor> {
    let offset = tk as i64 - tq as i64;
    let place = |at: usize| ((at / tk) as i64 + offset, (at % tk) as i64);
    let data: Vec<f32> = (0..tq * tk).map(place).map(|(i, j)| if hidden(i, j) { value } else { 0.0 }).collect();
    Tensor::from_vec(data, (tq, tk), device)
}

const INF: f32 = f32::NEG_INFINITY;

pub fn masks_self(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, INF, |i, j| j >= i)
}

pub fn sees_next(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, INF, |i, j| j > i + 1)
}

pub fn inverted(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, INF, |i, j| j <= i)
}

pub fn hides_the_past(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, INF, |i, j| j < i)
}

/// 0·(−inf) where nothing is hidden.
pub fn zero_times_inf(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, 1.0, |i, j| j > i)? * f64::NEG_INFINITY
}

pub fn minus_1e9(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, -1e9, |i, j| j > i)
}

pub fn finfo_min(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, f32::MIN, |i, j| j > i)
}

pub fn byte_hides(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    boolean_hides(tq, tk, device)?.to_dtype(DType::U8)
}

pub fn byte_keeps(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    boolean(tq, tk, device)?.to_dtype(DType::U8)
}

/// 1 keeps, 0 hides.
pub fn boolean(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, 1.0, |i, j| j <= i)
}

/// 1 hides, 0 keeps.
pub fn boolean_hides(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, 1.0, |i, j| j > i)
}

pub fn previous_only(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tq, tk, device, INF, |i, j| j > i || j < i - 1)
}

pub fn top_left(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    let offset = tk as i64 - tq as i64;
    mask(tq, tk, device, INF, |i, j| j > i - offset)
}

pub fn square(_tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    mask(tk, tk, device, INF, |i, j| j > i)
}
