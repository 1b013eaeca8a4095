//! Rotary position embedding, "RoFormer" (Su et al. 2021), section 3.2.2, with neighbours as pairs.

use candle_core::{DType, Result, Tensor};

/// x (B, H, T, D), whose first position is `offset` → (B, H, T, D): the pair (x₂ₖ, x₂ₖ₊₁) at position p is rotated by
/// the angle p·base^(−2k/D).
pub fn rope(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    let (b, h, t, d) = x.dims4()?;
    let angle = |p: usize, k: usize| (p as f64 * base.powf(-2.0 * k as f64 / d as f64)) as f32;
    let angles: Vec<f32> = (offset..offset + t).flat_map(|p| (0..d / 2).map(move |k| angle(p, k))).collect();
    let angles = Tensor::from_vec(angles, (t, d / 2, 1), x.device())?;
    let (cos, sin) = (angles.cos()?, angles.sin()?); // (T, D/2, 1)

    // In f32 until the end: half precision cannot tell position 2048 from 2049.
    let pairs = x.to_dtype(DType::F32)?.reshape((b, h, t, d / 2, 2))?;
    let (first, second) = (pairs.narrow(4, 0, 1)?, pairs.narrow(4, 1, 1)?); // (B, H, T, D/2, 1)
    let rotated_first = (first.broadcast_mul(&cos)? - second.broadcast_mul(&sin)?)?;
    let rotated_second = (first.broadcast_mul(&sin)? + second.broadcast_mul(&cos)?)?;
    Tensor::cat(&[rotated_first, rotated_second], 4)?.reshape((b, h, t, d))?.to_dtype(x.dtype())
}
