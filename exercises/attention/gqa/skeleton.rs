//! Grouped-query attention: H query heads share G key/value heads.

use candle_core::{Result, Tensor};
use logitlings::pack::attention::gqa::Weights;

/// x (B, T, D) → (B, T, D). `weights.q` and `weights.o` are (D, D), `weights.k` and `weights.v` (G·d_k, D): PyTorch's
/// Linear layout, y = x·Wᵀ. d_k = D / heads. No mask.
pub fn gqa(x: &Tensor, weights: &Weights, heads: usize, kv_heads: usize) -> Result<Tensor> {
    let _ = (x, weights, heads, kv_heads);
    todo!("project, split into heads, let each key/value head serve its group, attend, merge, project")
}

logitlings::attempt!(attention::gqa, gqa);
