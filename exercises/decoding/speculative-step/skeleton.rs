//! Speculative decoding: which of the draft's tokens stand, and which token comes after them.

/// `draft`: k tokens; `draft_probs`: k rows of V, the distributions they were drawn from; `target_probs`: k + 1 rows of V.
/// `uniform` gives numbers in [0, 1): one for each tested token, then one for the final draw.
/// Returns the accepted tokens and one more.
pub fn speculative_step(
    draft: &[u32],
    draft_probs: &[Vec<f64>],
    target_probs: &[Vec<f64>],
    uniform: &mut dyn FnMut() -> f64,
) -> Vec<u32> {
    let _ = (draft, draft_probs, target_probs, uniform());
    todo!("test each draft token, stop at the first rejection with a draw from the residual, otherwise draw the bonus")
}

logitlings::attempt!(decoding::speculative_step, speculative_step);
