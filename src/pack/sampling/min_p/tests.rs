//! What must not be rejected, and what the cases may not hang on.

use super::{Attempt, mistakes, problem, reference};
use candle_core::{D, Result, Tensor};
use candle_nn::ops::softmax;

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

const NONE: [&str; 0] = [];

/// On logits, with the logarithm of min_p, and a softmax at the end.
fn by_logits(logits: &Tensor, temperature: f64, min_p: f64) -> Result<Tensor> {
    let logits = (logits / temperature)?;
    let floor = (logits.max_keepdim(D::Minus1)? + min_p.ln())?;
    let low = Tensor::full(f32::NEG_INFINITY, logits.shape(), logits.device())?;
    softmax(&logits.broadcast_lt(&floor)?.where_cond(&low, &logits)?, D::Minus1)
}

#[test]
fn the_logarithmic_form_is_right() {
    assert_eq!(failed(by_logits), NONE);
}

#[test]
fn f64_is_right() {
    assert_eq!(failed(mistakes::right), NONE);
}

/// Another floor, where it is neither off nor at the maximum.
fn nudged(min_p: f64, by: f64) -> f64 {
    if min_p < 1.0 { min_p * by } else { min_p }
}

#[test]
fn nothing_hangs_on_the_sixth_digit() {
    assert_eq!(failed(|l, t, m| reference::min_p(l, t, nudged(m, 1.0 + 1e-5))), NONE);
    assert_eq!(failed(|l, t, m| reference::min_p(l, t, nudged(m, 1.0 - 1e-5))), NONE);
}
