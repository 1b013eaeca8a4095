//! Contrastive search: probable, and unlike what was there before.

use candle_core::{Result, Tensor};

/// logits (B, V), candidate ids (B, k), their hidden states (B, k, D), the text's (B, T, D) with mask (B, T), α →
/// scores (B, k) and the chosen id of each row.
pub fn contrastive_search(
    logits: &Tensor,
    candidates: &Tensor,
    hidden: &Tensor,
    context: &Tensor,
    mask: &Tensor,
    alpha: f64,
) -> Result<(Tensor, Vec<u32>)> {
    let _ = (logits, candidates, hidden, context, mask, alpha);
    todo!("probability of each candidate, largest cosine with the text, score, choice")
}

logitlings::attempt!(sampling::contrastive_search, contrastive_search);
