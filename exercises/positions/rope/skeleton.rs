//! Rotary position embedding: each pair of neighbours is turned by an angle that grows with the position.

use candle_core::{Result, Tensor};

/// x (B, H, T, D) with D even; its first token is at position `offset`.
/// Returns (B, H, T, D): the pair (x₂ₖ, x₂ₖ₊₁) at position p is rotated by p·base^(−2k/D).
pub fn rope(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    let _ = (x, base, offset);
    todo!("angles for every position and pair, their cosines and sines, the rotation, interleaved again")
}

logitlings::attempt!(positions::rope, rope);
