//! Constrained decoding: which tokens may come next.

use logitlings::pack::sampling::grammar_mask::Dfa;

/// For every state (`dfa.states()`, 0 is the start) and every token of `vocab`: may it come next?
pub fn token_masks(dfa: &Dfa, vocab: &[&str], eos: u32) -> Vec<Vec<bool>> {
    let _ = (dfa, vocab, eos);
    todo!("read all characters of each token from each state; EOS only where dfa.accepts(state)")
}

/// Logits of allowed tokens as they are, −inf for all others; there can be more logits than `allowed` has tokens.
pub fn mask_logits(logits: &[f32], allowed: &[bool]) -> Vec<f32> {
    let _ = (logits, allowed);
    todo!("forbid")
}

/// The state after reading all of `text`, or `None` if `dfa.next(state, c)` is `None` on the way.
pub fn advance(dfa: &Dfa, state: usize, text: &str) -> Option<usize> {
    let _ = (dfa, state, text);
    todo!("one character after the other")
}

logitlings::attempt!(sampling::grammar_mask, { token_masks, mask_logits, advance });
