//! A low-rank adapter beside a linear layer: at its start, at work, merged into the weight and taken out again.

use candle_core::{Result, Tensor};
use logitlings::pack::inference::lora_merge::Layer;

/// weight (out, in) → a layer with an adapter that changes nothing yet. `uniform` gives numbers of [0, 1).
pub fn init(weight: &Tensor, rank: usize, alpha: f64, uniform: &mut dyn FnMut() -> f64) -> Result<Layer> {
    let _ = (weight, rank, alpha, uniform);
    todo!("A (rank, in) from the uniforms, B (out, rank)")
}

/// x (n, in) → (n, out).
pub fn forward(layer: &Layer, x: &Tensor) -> Result<Tensor> {
    let _ = (&layer.weight, &layer.a, &layer.b, layer.alpha, x);
    todo!("the weight, and the adapter where it is not merged")
}

/// Adds the adapter to the weight.
pub fn merge(layer: &mut Layer) -> Result<()> {
    let _ = layer.merged;
    todo!("once")
}

/// Takes the adapter out of the weight.
pub fn unmerge(layer: &mut Layer) -> Result<()> {
    let _ = layer.merged;
    todo!("only where it is in")
}

logitlings::attempt!(inference::lora_merge, { init, forward, merge, unmerge });
