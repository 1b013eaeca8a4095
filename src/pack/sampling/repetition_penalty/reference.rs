//! Repetition penalty (Keskar et al. 2019, CTRL, section 4.1), with the sign repaired as transformers does.

use candle_core::{Result, Tensor};

/// logits (B, V), the ids that each row has seen, θ > 0 → new logits (B, V).
pub fn repetition_penalty(logits: &Tensor, context: &[Vec<u32>], penalty: f64) -> Result<Tensor> {
    let mut rows = logits.to_vec2::<f32>()?;
    for (row, ids) in rows.iter_mut().zip(context) {
        let mut seen = vec![false; row.len()];
        for &id in ids {
            if !std::mem::replace(&mut seen[id as usize], true) {
                row[id as usize] = weakened(row[id as usize], penalty as f32);
            }
        }
    }
    Tensor::from_vec(rows.concat(), logits.shape(), logits.device())
}

/// Less likely for θ > 1 on either side of zero: a negative logit that is divided would come nearer to zero.
fn weakened(logit: f32, penalty: f32) -> f32 {
    if logit > 0.0 { logit / penalty } else { logit * penalty }
}
