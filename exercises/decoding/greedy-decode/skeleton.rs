//! Greedy decoding.

/// The prompt and what the model says after it: at most `max_new_tokens` tokens, the last of which may be `eos`.
/// `model` maps T tokens to T rows of V logits; row i predicts the token after token i.
pub fn greedy_decode(
    model: &mut dyn FnMut(&[u32]) -> Vec<Vec<f32>>,
    prompt: &[u32],
    max_new_tokens: usize,
    eos: Option<u32>,
) -> Vec<u32> {
    let _ = (model, prompt, max_new_tokens, eos);
    todo!("run the model, take the most probable token, append it, and again until EOS or the limit")
}

logitlings::attempt!(decoding::greedy_decode, greedy_decode);
