//! Scores of hypotheses that do not favour the short ones.

/// `log_probs`: sum of the log-probabilities of each hypothesis' generated tokens; `lengths`: tokens of each, the
/// `prompt_len` tokens of the prompt included. Returns one score for each.
pub fn length_normalize(log_probs: &[f64], lengths: &[usize], prompt_len: usize, alpha: f64) -> Vec<f64> {
    let _ = (log_probs, lengths, prompt_len, alpha);
    todo!("divide by a power of the length")
}

logitlings::attempt!(decoding::length_normalize, length_normalize);
