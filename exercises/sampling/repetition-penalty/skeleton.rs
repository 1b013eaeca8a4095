//! Repetition penalty: what has occurred becomes less likely.

use candle_core::{Result, Tensor};

/// logits (B, V), the ids that each row has seen, θ → new logits (B, V).
pub fn repetition_penalty(logits: &Tensor, context: &[Vec<u32>], penalty: f64) -> Result<Tensor> {
    let _ = (logits, context, penalty);
    todo!("weaken the logit of every id in the row's context, once")
}

logitlings::attempt!(sampling::repetition_penalty, repetition_penalty);
