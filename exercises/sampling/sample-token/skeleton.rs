//! One token from logits: temperature, top-k, top-p, and a draw.

use candle_core::{Result, Tensor};

/// logits (B, V) → one id a row. `uniform` gives numbers of [0, 1).
pub fn sample_token(
    logits: &Tensor,
    temperature: f64,
    top_k: usize,
    top_p: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Vec<u32>> {
    let _ = (logits, temperature, top_k, top_p, uniform);
    todo!("temperature, top-k, top-p, softmax, draw")
}

logitlings::attempt!(sampling::sample_token, sample_token);
