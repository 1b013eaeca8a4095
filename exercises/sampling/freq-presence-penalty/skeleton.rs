//! Frequency and presence penalty: subtracted for what was generated.

use candle_core::{Result, Tensor};

/// logits (B, V), ids of each row with the length of its prompt, both penalties → new logits (B, V).
pub fn freq_presence_penalty(
    logits: &Tensor,
    ids: &[Vec<u32>],
    prompt_lengths: &[usize],
    frequency: f64,
    presence: f64,
) -> Result<Tensor> {
    let _ = (logits, ids, prompt_lengths, frequency, presence);
    todo!("count what was generated, subtract for each occurrence and once for being there")
}

logitlings::attempt!(sampling::freq_presence_penalty, freq_presence_penalty);
