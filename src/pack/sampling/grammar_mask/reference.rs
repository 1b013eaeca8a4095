//! Token masks of a character automaton (Willard and Louf 2023, "Efficient Guided Generation for Large Language Models").

use super::Dfa;

/// For every state and every token of `vocab`: may it come next?
pub fn token_masks(dfa: &Dfa, vocab: &[&str], eos: u32) -> Vec<Vec<bool>> {
    let allowed = |state: usize, id: usize| {
        if id == eos as usize {
            dfa.accepts(state) // its text is a name, not something to read
        } else {
            !vocab[id].is_empty() && advance(dfa, state, vocab[id]).is_some()
        }
    };
    (0..dfa.states()).map(|state| (0..vocab.len()).map(|id| allowed(state, id)).collect()).collect()
}

/// Logits of allowed tokens as they are, −inf for all others, padding behind the vocabulary included.
pub fn mask_logits(logits: &[f32], allowed: &[bool]) -> Vec<f32> {
    let masked = |(id, &logit): (usize, &f32)| if allowed.get(id) == Some(&true) { logit } else { f32::NEG_INFINITY };
    logits.iter().enumerate().map(masked).collect()
}

/// The state after reading all of `text`, or `None` if it cannot be read.
pub fn advance(dfa: &Dfa, state: usize, text: &str) -> Option<usize> {
    text.chars().try_fold(state, |state, c| dfa.next(state, c))
}
