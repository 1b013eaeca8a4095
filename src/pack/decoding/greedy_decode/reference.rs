//! Greedy decoding: the most probable token, again and again.

/// The prompt, followed by at most `max_new_tokens` tokens, the last of which may be `eos`. `model` maps T tokens to T rows of
/// logits.
pub fn greedy_decode(
    model: &mut dyn FnMut(&[u32]) -> Vec<Vec<f32>>,
    prompt: &[u32],
    max_new_tokens: usize,
    eos: Option<u32>,
) -> Vec<u32> {
    let mut tokens = prompt.to_vec();
    for _ in 0..max_new_tokens {
        let logits = model(&tokens); // (T, V)
        let next = argmax(&logits[tokens.len() - 1]); // row i predicts what comes after token i
        tokens.push(next);
        if Some(next) == eos {
            break;
        }
    }
    tokens
}

/// The id of the largest logit; of equal ones the smallest id.
fn argmax(logits: &[f32]) -> u32 {
    let larger = |best, id| if logits[id] > logits[best] { id } else { best };
    (0..logits.len()).fold(0, larger) as u32
}
