//! Frequency and presence penalty as OpenAI's API defines them: μ[j] −= c[j]·α_f + 1(c[j] > 0)·α_p.

use candle_core::{Result, Tensor};

/// logits (B, V), ids of each row with the length of its prompt, α_f, α_p → new logits (B, V).
pub fn freq_presence_penalty(
    logits: &Tensor,
    ids: &[Vec<u32>],
    prompt_lengths: &[usize],
    frequency: f64,
    presence: f64,
) -> Result<Tensor> {
    let mut rows = logits.to_vec2::<f32>()?;
    for ((row, ids), &prompt) in rows.iter_mut().zip(ids).zip(prompt_lengths) {
        let mut counts = vec![0u32; row.len()];
        ids[prompt..].iter().for_each(|&id| counts[id as usize] += 1);
        for (logit, &count) in row.iter_mut().zip(&counts).filter(|(_, count)| **count > 0) {
            *logit -= (f64::from(count) * frequency + presence) as f32;
        }
    }
    Tensor::from_vec(rows.concat(), logits.shape(), logits.device())
}
