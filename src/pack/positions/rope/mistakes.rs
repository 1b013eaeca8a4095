//! What goes wrong at speed in rotary embeddings.

use super::reference;
use candle_core::{DType, Result, Tensor};

/// How a variant departs from the right answer.
#[derive(Clone, Copy)]
struct Recipe {
    /// The angle of a position for pair k is position · base^(exponent · k / D).
    exponent: f64,
    /// Signs of the sine in the first and the second half of a pair.
    signs: (f64, f64),
    /// Where a pair's second half lies: next to the first, or D/2 further on.
    neighbours: (bool, bool),
}

/// `neighbours` says so for the input and for the output.
const RIGHT: Recipe = Recipe { exponent: -2.0, signs: (-1.0, 1.0), neighbours: (true, true) };

/// Angles (rows, D/2, 1) for positions `first`, `first` + 1, ….
fn angles(x: &Tensor, base: f64, exponent: f64, first: usize, rows: usize) -> Result<Tensor> {
    let d = x.dim(3)?;
    let angle = |p: usize, k: usize| (p as f64 * base.powf(exponent * k as f64 / d as f64)) as f32;
    let list: Vec<f32> = (first..first + rows).flat_map(|p| (0..d / 2).map(move |k| angle(p, k))).collect();
    Tensor::from_vec(list, (rows, d / 2, 1), x.device())
}

/// The two halves of every pair, (B, H, T, D/2, 1) each.
fn split(x: &Tensor, neighbours: bool) -> Result<(Tensor, Tensor)> {
    let (b, h, t, d) = x.dims4()?;
    let x = x.to_dtype(DType::F32)?;
    if neighbours {
        let pairs = x.reshape((b, h, t, d / 2, 2))?;
        return Ok((pairs.narrow(4, 0, 1)?, pairs.narrow(4, 1, 1)?));
    }
    let halves = x.reshape((b, h, t, 2, d / 2))?;
    let half = |i: usize| halves.narrow(3, i, 1)?.reshape((b, h, t, d / 2, 1));
    Ok((half(0)?, half(1)?))
}

fn join(first: &Tensor, second: &Tensor, neighbours: bool, like: &Tensor) -> Result<Tensor> {
    let axis = if neighbours { 4 } else { 3 };
    Tensor::cat(&[first, second], axis)?.reshape(like.shape())?.to_dtype(like.dtype())
}

fn rotate(x: &Tensor, cos: &Tensor, sin: &Tensor, recipe: Recipe) -> Result<Tensor> {
    let (first, second) = split(x, recipe.neighbours.0)?;
    let (minus, plus) = ((sin * recipe.signs.0)?, (sin * recipe.signs.1)?);
    let rotated_first = (first.broadcast_mul(cos)? + second.broadcast_mul(&minus)?)?;
    let rotated_second = (first.broadcast_mul(&plus)? + second.broadcast_mul(cos)?)?;
    join(&rotated_first, &rotated_second, recipe.neighbours.1, x)
}

fn rope(x: &Tensor, base: f64, offset: usize, recipe: Recipe) -> Result<Tensor> {
    let angles = angles(x, base, recipe.exponent, offset, x.dim(2)?)?;
    rotate(x, &angles.cos()?, &angles.sin()?, recipe)
}

pub fn half_split(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    rope(x, base, offset, Recipe { neighbours: (false, false), ..RIGHT })
}

pub fn not_interleaved(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    rope(x, base, offset, Recipe { neighbours: (true, false), ..RIGHT })
}

pub fn backwards(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    rope(x, base, offset, Recipe { signs: (1.0, -1.0), ..RIGHT })
}

pub fn both_plus(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    rope(x, base, offset, Recipe { signs: (1.0, 1.0), ..RIGHT })
}

pub fn exponent_without_two(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    rope(x, base, offset, Recipe { exponent: -1.0, ..RIGHT })
}

pub fn exponent_over_half(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    rope(x, base, offset, Recipe { exponent: -4.0, ..RIGHT })
}

pub fn exponent_positive(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    rope(x, base, offset, Recipe { exponent: 2.0, ..RIGHT })
}

pub fn positions_from_one(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    reference::rope(x, base, offset + 1)
}

pub fn offset_ignored(x: &Tensor, base: f64, _offset: usize) -> Result<Tensor> {
    reference::rope(x, base, 0)
}

pub fn base_ignored(x: &Tensor, _base: f64, offset: usize) -> Result<Tensor> {
    reference::rope(x, 10_000.0, offset)
}

pub fn cos_sin_swapped(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    let angles = angles(x, base, RIGHT.exponent, offset, x.dim(2)?)?;
    rotate(x, &angles.sin()?, &angles.cos()?, RIGHT)
}

pub fn positions_along_heads(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    let angles = angles(x, base, RIGHT.exponent, offset, x.dim(1)?)?.unsqueeze(1)?; // (H, 1, D/2, 1)
    rotate(x, &angles.cos()?, &angles.sin()?, RIGHT)
}

pub fn angles_in_half(x: &Tensor, base: f64, offset: usize) -> Result<Tensor> {
    let frequencies = angles(x, base, RIGHT.exponent, 1, 1)?.to_dtype(x.dtype())?; // position 1: the frequencies
    let positions: Vec<f32> = (offset..offset + x.dim(2)?).map(|p| p as f32).collect();
    let positions = Tensor::new(positions, x.device())?.to_dtype(x.dtype())?.reshape(((), 1, 1))?;
    let angles = positions.broadcast_mul(&frequencies)?;
    let (cos, sin) = (angles.cos()?.to_dtype(DType::F32)?, angles.sin()?.to_dtype(DType::F32)?);
    rotate(x, &cos, &sin, RIGHT)
}
