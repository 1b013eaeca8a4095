//! Length normalisation of beam scores, as transformers' `length_penalty`.

/// Sums of log-probabilities (N), lengths with the prompt (N) → scores (N): log P / Lᵅ over L generated tokens.
pub fn length_normalize(log_probs: &[f64], lengths: &[usize], prompt_len: usize, alpha: f64) -> Vec<f64> {
    let score = |(&log_p, &length): (&f64, &usize)| match length - prompt_len {
        0 => log_p, // nothing was generated, and there is nothing to divide by
        generated => log_p / (generated as f64).powf(alpha),
    };
    log_probs.iter().zip(lengths).map(score).collect()
}
