//! Mixture of experts: a router sends every token to its k best experts.

use candle_core::{Result, Tensor};

/// x (B, T, D); gate (N, D), the router's logits are x·gateᵀ; `expert(e, rows)` runs expert e on rows (n, D).
/// Returns (B, T, D): for every token the sum of its k best experts, weighted by the softmax of their k logits.
pub fn moe_topk(
    x: &Tensor,
    gate: &Tensor,
    k: usize,
    expert: &mut dyn FnMut(usize, &Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let _ = (x, gate, k, expert);
    todo!("logits, the k best experts of every token, their weights, each expert once on its own tokens, the sum")
}

logitlings::attempt!(moe::moe_topk, moe_topk);
