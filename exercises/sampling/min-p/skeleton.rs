//! Min-p: what is too improbable compared with the best token goes.

use candle_core::{Result, Tensor};

/// logits (B, V), temperature, min_p → probabilities (B, V) of what is left.
pub fn min_p(logits: &Tensor, temperature: f64, min_p: f64) -> Result<Tensor> {
    let _ = (logits, temperature, min_p);
    todo!("temperature, softmax, a floor for each row, renormalise")
}

logitlings::attempt!(sampling::min_p, min_p);
