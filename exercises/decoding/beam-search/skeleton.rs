//! Beam search: the most probable continuations that a beam finds.

/// `logits(prefixes)` is one forward pass: a row of V logits for the token after each prefix. Returns up to `beam`
/// hypotheses, best first: the prompt with what was generated (the EOS included), and the sum of its log-probabilities.
pub fn beam_search(
    logits: &mut dyn FnMut(&[Vec<u32>]) -> Vec<Vec<f64>>,
    prompt: &[u32],
    beam: usize,
    max_new_tokens: usize,
    eos: u32,
) -> Vec<(Vec<u32>, f64)> {
    let _ = (logits, prompt, beam, max_new_tokens, eos);
    todo!("extend the live hypotheses, rank the candidates, move finished ones to their pool, stop")
}

logitlings::attempt!(decoding::beam_search, beam_search);
