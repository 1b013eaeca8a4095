//! What goes wrong at speed with an adapter: the right parts, and the ways to deviate from them.

use super::reference::{forward, init, merge, unmerge};
use super::{Attempt, Layer};
use candle_core::{Result, Tensor};

type Scale = fn(&Layer) -> f64;

const RIGHT: Attempt = Attempt { init, forward, merge, unmerge };

fn right_scale(layer: &Layer) -> f64 {
    layer.alpha / rank(layer)
}

fn one(_: &Layer) -> f64 {
    1.0
}

fn rank(layer: &Layer) -> f64 {
    layer.a.dims()[0] as f64
}

fn scaled(t: &Tensor, layer: &Layer, scale: Scale) -> Result<Tensor> {
    t * scale(layer)
}

fn base(layer: &Layer, x: &Tensor) -> Result<Tensor> {
    x.matmul(&layer.weight.t()?)
}

/// x·Aᵀ·Bᵀ, not scaled.
fn branch(layer: &Layer, x: &Tensor) -> Result<Tensor> {
    x.matmul(&layer.a.t()?)?.matmul(&layer.b.t()?)
}

/// B·A, not scaled.
fn product(layer: &Layer) -> Result<Tensor> {
    layer.b.matmul(&layer.a)
}

fn forward_by(layer: &Layer, x: &Tensor, scale: Scale) -> Result<Tensor> {
    if layer.merged { base(layer, x) } else { base(layer, x)? + scaled(&branch(layer, x)?, layer, scale)? }
}

fn merge_by(layer: &mut Layer, scale: Scale) -> Result<()> {
    if !layer.merged {
        layer.weight = (&layer.weight + scaled(&product(layer)?, layer, scale)?)?;
        layer.merged = true;
    }
    Ok(())
}

fn unmerge_by(layer: &mut Layer, scale: Scale) -> Result<()> {
    if layer.merged {
        layer.weight = (&layer.weight - scaled(&product(layer)?, layer, scale)?)?;
        layer.merged = false;
    }
    Ok(())
}

/// Numbers from uniforms, by `number`, as a tensor of this shape.
fn filled(
    shape: (usize, usize),
    like: &Tensor,
    uniform: &mut dyn FnMut() -> f64,
    number: impl Fn(f64) -> f64,
) -> Result<Tensor> {
    let data: Vec<f32> = (0..shape.0 * shape.1).map(|_| number(uniform()) as f32).collect();
    Tensor::from_vec(data, shape, like.device())?.to_dtype(like.dtype())
}

macro_rules! scales {
    ($($name:ident: $scale:expr;)+) => {
        $(pub const fn $name() -> Attempt {
            Attempt {
                forward: |layer, x| forward_by(layer, x, $scale),
                merge: |layer| merge_by(layer, $scale),
                unmerge: |layer| unmerge_by(layer, $scale),
                ..RIGHT
            }
        })+
    };
}

scales! {
    alpha_alone: |layer| layer.alpha;
    unscaled: one;
    inverted: |layer| rank(layer) / layer.alpha;
    rank_from_inputs: |layer| layer.alpha / layer.a.dims()[1] as f64;
    rank_stabilised: |layer| layer.alpha / rank(layer).sqrt();
}

macro_rules! deviations {
    ($($name:ident: { $($part:ident: $code:expr),+ })+) => {
        $(pub const fn $name() -> Attempt {
            Attempt { $($part: $code,)+ ..RIGHT }
        })+
    };
}

fn merge_transposed(layer: &mut Layer) -> Result<()> {
    if !layer.merged {
        layer.weight = (&layer.weight + scaled(&product(layer)?.t()?, layer, right_scale)?)?;
        layer.merged = true;
    }
    Ok(())
}

fn unmerge_transposed(layer: &mut Layer) -> Result<()> {
    if layer.merged {
        layer.weight = (&layer.weight - scaled(&product(layer)?.t()?, layer, right_scale)?)?;
        layer.merged = false;
    }
    Ok(())
}

fn forward_through_delta(layer: &Layer, x: &Tensor) -> Result<Tensor> {
    if layer.merged {
        return base(layer, x);
    }
    let delta = scaled(&product(layer)?, layer, right_scale)?;
    base(layer, x)? + x.matmul(&delta.t()?)?
}

fn merge_unguarded(layer: &mut Layer) -> Result<()> {
    layer.merged = false;
    merge(layer)
}

fn unmerge_unguarded(layer: &mut Layer) -> Result<()> {
    layer.merged = true;
    unmerge(layer)
}

fn merge_forgets(layer: &mut Layer) -> Result<()> {
    merge(layer)?;
    layer.merged = false;
    Ok(())
}

fn unmerge_forgets(layer: &mut Layer) -> Result<()> {
    let before = layer.merged;
    unmerge(layer)?;
    layer.merged = before;
    Ok(())
}

fn merge_replaces(layer: &mut Layer) -> Result<()> {
    if !layer.merged {
        layer.weight = scaled(&product(layer)?, layer, right_scale)?;
        layer.merged = true;
    }
    Ok(())
}

fn merge_and_clear(layer: &mut Layer) -> Result<()> {
    merge(layer)?;
    layer.b = layer.b.zeros_like()?;
    Ok(())
}

fn unmerge_adds(layer: &mut Layer) -> Result<()> {
    if layer.merged {
        merge_unguarded(layer)?;
        layer.merged = false;
    }
    Ok(())
}

deviations! {
    product_transposed: {
        forward: |layer, x| {
            if layer.merged {
                return base(layer, x);
            }
            base(layer, x)? + scaled(&x.matmul(&layer.b)?.matmul(&layer.a)?, layer, right_scale)?
        },
        merge: merge_transposed,
        unmerge: unmerge_transposed
    }
    merge_unscaled: { merge: |layer| merge_by(layer, one), unmerge: |layer| unmerge_by(layer, one) }
    merge_replaces_weight: { merge: merge_replaces }
    merged_twice: { merge: merge_unguarded }
    unmerged_twice: { unmerge: unmerge_unguarded }
    adapter_on_top: { forward: |layer, x| base(layer, x)? + scaled(&branch(layer, x)?, layer, right_scale)? }
    flag_not_set: { merge: merge_forgets }
    flag_not_cleared: { unmerge: unmerge_forgets }
    adapter_cleared: { merge: merge_and_clear }
    unmerge_adds_again: { unmerge: unmerge_adds }
    everything_scaled: { forward: |layer, x| {
        if layer.merged { base(layer, x) } else { scaled(&(base(layer, x)? + branch(layer, x)?)?, layer, right_scale) }
    } }
    base_forgotten: { forward: |layer, x| {
        if layer.merged { base(layer, x) } else { scaled(&branch(layer, x)?, layer, right_scale) }
    } }
    never_applied: { forward: base }
    weight_not_transposed: { forward: |layer, x| {
        let base = x.matmul(&layer.weight)?;
        if layer.merged { Ok(base) } else { base + scaled(&branch(layer, x)?, layer, right_scale)? }
    } }
    delta_in_forward: { forward: forward_through_delta }
    b_random: { init: |weight, rank, alpha, uniform| {
        let layer = init(weight, rank, alpha, uniform)?;
        let bound = 1.0 / (rank as f64).sqrt();
        let b = filled((weight.dim(0)?, rank), weight, uniform, |u| (2.0 * u - 1.0) * bound)?;
        Ok(Layer { b, ..layer })
    } }
    both_zero: { init: |weight, rank, alpha, _| init(weight, rank, alpha, &mut || 0.5) }
    one_sided: { init: |weight, rank, alpha, uniform| init(weight, rank, alpha, &mut || (1.0 + uniform()) / 2.0) }
    bound_by_rank: { init: |weight, rank, alpha, uniform| {
        let layer = init(weight, rank, alpha, uniform)?;
        let a = (&layer.a * (weight.dim(1)? as f64 / rank as f64).sqrt())?;
        Ok(Layer { a, ..layer })
    } }
    zero_a: { init: |weight, rank, alpha, uniform| {
        let (out, width) = weight.dims2()?;
        let b = filled((out, rank), weight, uniform, |u| (2.0 * u - 1.0) / (rank as f64).sqrt())?;
        let a = Tensor::zeros((rank, width), weight.dtype(), weight.device())?;
        Ok(Layer { weight: weight.clone(), a, b, alpha, merged: false })
    } }
}
