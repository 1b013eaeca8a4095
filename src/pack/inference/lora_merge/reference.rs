//! Low-rank adaptation, Hu et al. 2021: y = x·Wᵀ + α/r · (x·Aᵀ)·Bᵀ, and the adapter folded into W.

use super::Layer;
use candle_core::{Result, Tensor};

/// An adapter of rank r for `weight` (out, in): A uniform in ±1/√in, as PEFT has it, and B zero, so that nothing changes yet.
pub fn init(weight: &Tensor, rank: usize, alpha: f64, uniform: &mut dyn FnMut() -> f64) -> Result<Layer> {
    let (out, width) = weight.dims2()?;
    let bound = 1.0 / (width as f64).sqrt();
    let a: Vec<f32> = (0..rank * width).map(|_| ((2.0 * uniform() - 1.0) * bound) as f32).collect();
    let a = Tensor::from_vec(a, (rank, width), weight.device())?.to_dtype(weight.dtype())?;
    let b = Tensor::zeros((out, rank), weight.dtype(), weight.device())?;
    Ok(Layer { weight: weight.clone(), a, b, alpha, merged: false })
}

/// x (n, in) → (n, out). Through the rank, r · (in + out) products a token, and never an (out, in) matrix.
pub fn forward(layer: &Layer, x: &Tensor) -> Result<Tensor> {
    let base = x.matmul(&layer.weight.t()?)?;
    if layer.merged {
        return Ok(base);
    }
    let adapter = x.matmul(&layer.a.t()?)?.matmul(&layer.b.t()?)?; // (n, r) → (n, out)
    base + (adapter * scale(layer)?)?
}

/// W ← W + α/r · B·A, once.
pub fn merge(layer: &mut Layer) -> Result<()> {
    if !layer.merged {
        layer.weight = (&layer.weight + delta(layer)?)?;
        layer.merged = true;
    }
    Ok(())
}

/// Takes a merge back.
pub fn unmerge(layer: &mut Layer) -> Result<()> {
    if layer.merged {
        layer.weight = (&layer.weight - delta(layer)?)?;
        layer.merged = false;
    }
    Ok(())
}

/// α/r · B·A, (out, in) like the weight.
fn delta(layer: &Layer) -> Result<Tensor> {
    layer.b.matmul(&layer.a)? * scale(layer)?
}

fn scale(layer: &Layer) -> Result<f64> {
    Ok(layer.alpha / layer.a.dim(0)? as f64)
}
