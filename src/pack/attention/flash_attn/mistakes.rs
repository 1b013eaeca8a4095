//! What goes wrong at speed in an online softmax: the loop once more, with a switch for each mistake.

use candle_core::{D, Result, Tensor};

#[derive(Clone, Copy, Default)]
struct Way {
    output_not_rescaled: bool,
    sum_not_rescaled: bool,
    max_not_running: bool,
    no_max: bool,
    tail_dropped: bool,
    no_scale: bool,
    global_max: bool,
    last_sum: bool,
    nan_when_hidden: bool,
    nan_in_hidden_row: bool,
    max_forgotten: bool,
    whole_mask: bool,
    causal_ignored: bool,
    top_left: bool,
    mask_from_zero: bool,
}

fn mask(tq: usize, tk: usize, start: usize, size: usize, way: Way, like: &Tensor) -> Result<Tensor> {
    let offset = if way.top_left { 0 } else { tk as i64 - tq as i64 };
    let start = if way.mask_from_zero { 0 } else { start as i64 };
    let see = |at: usize| start + (at % size) as i64 <= (at / size) as i64 + offset;
    let data: Vec<f32> = (0..tq * size).map(|at| if see(at) { 0.0 } else { f32::NEG_INFINITY }).collect();
    Tensor::from_vec(data, (tq, size), like.device())
}

fn run(way: Way, q: &Tensor, k: &Tensor, v: &Tensor, tile: usize, causal: bool) -> Result<Tensor> {
    let (tq, dk) = q.dims2()?;
    let (tk, dv) = v.dims2()?;
    let q = if way.no_scale { q.clone() } else { (q / (dk as f64).sqrt())? };
    let mut max = Tensor::full(f32::NEG_INFINITY, (tq, 1), q.device())?;
    let mut sum = Tensor::zeros((tq, 1), q.dtype(), q.device())?;
    let mut out = Tensor::zeros((tq, dv), q.dtype(), q.device())?;
    let starts: Vec<usize> =
        if way.tail_dropped { (0..tk / tile).map(|n| n * tile).collect() } else { (0..tk).step_by(tile).collect() };
    for start in starts {
        let size = tile.min(tk - start);
        let mut scores = q.matmul(&k.narrow(0, start, size)?.t()?)?;
        if causal && !way.causal_ignored {
            let tile_mask = if way.whole_mask {
                mask(tq, tk, 0, tk, way, &scores)?.narrow(1, start, size)?
            } else {
                mask(tq, tk, start, size, way, &scores)?
            };
            scores = scores.add(&tile_mask)?;
        }
        let tile_max = scores.max_keepdim(D::Minus1)?;
        let new_max = if way.no_max {
            Tensor::zeros((tq, 1), q.dtype(), q.device())?
        } else if way.global_max {
            max.maximum(&tile_max.max_keepdim(0)?.broadcast_as((tq, 1))?)?
        } else if way.max_not_running || way.max_forgotten {
            tile_max
        } else {
            max.maximum(&tile_max)?
        };
        let floor = if way.nan_in_hidden_row { new_max.clone() } else { new_max.maximum(f32::MIN)? };
        let weights = if way.nan_when_hidden {
            // The tile's softmax by itself, brought to the common scale afterwards, as FlashAttention-1 writes it.
            let own = scores.max_keepdim(D::Minus1)?;
            scores.broadcast_sub(&own)?.exp()?.broadcast_mul(&own.sub(&floor)?.exp()?)?
        } else {
            scores.broadcast_sub(&floor)?.exp()?
        };
        // With the tile's own maximum nothing is carried over to the next tile.
        let ones = Tensor::ones((tq, 1), q.dtype(), q.device())?;
        let shrink = if way.max_not_running || way.no_max { ones.clone() } else { max.sub(&floor)?.exp()? };
        let for_sum = if way.sum_not_rescaled { &ones } else { &shrink };
        let for_out = if way.output_not_rescaled { &ones } else { &shrink };
        let tile_sum = weights.sum_keepdim(D::Minus1)?;
        sum = if way.last_sum { tile_sum } else { (sum.mul(for_sum)? + tile_sum)? };
        out = (out.broadcast_mul(for_out)? + weights.matmul(&v.narrow(0, start, size)?)?)?;
        max = new_max;
    }
    out.broadcast_div(&if way.nan_in_hidden_row { sum } else { sum.maximum(f32::MIN_POSITIVE)? })
}

/// Right numbers through the whole score matrix.
pub fn materialises(q: &Tensor, k: &Tensor, v: &Tensor, _tile: usize, causal: bool) -> Result<Tensor> {
    let (tq, dk) = q.dims2()?;
    let tk = k.dim(0)?;
    let mut scores = (q.matmul(&k.t()?)? / (dk as f64).sqrt())?;
    if causal {
        scores = scores.add(&mask(tq, tk, 0, tk, Way::default(), &scores)?)?;
    }
    let max = scores.max_keepdim(D::Minus1)?.maximum(f32::MIN)?;
    let weights = scores.broadcast_sub(&max)?.exp()?;
    weights.matmul(v)?.broadcast_div(&weights.sum_keepdim(D::Minus1)?.maximum(f32::MIN_POSITIVE)?)
}

macro_rules! ways {
    ($($name:ident: $field:ident)+) => {
        $(pub fn $name(q: &Tensor, k: &Tensor, v: &Tensor, tile: usize, causal: bool) -> Result<Tensor> {
            run(Way { $field: true, ..Way::default() }, q, k, v, tile, causal)
        })+
    };
}

ways! {
    output_not_rescaled: output_not_rescaled
    sum_not_rescaled: sum_not_rescaled
    max_not_running: max_not_running
    no_max: no_max
    tail_dropped: tail_dropped
    no_scale: no_scale
    global_max: global_max
    last_sum: last_sum
    nan_when_hidden: nan_when_hidden
    nan_in_hidden_row: nan_in_hidden_row
    max_forgotten: max_forgotten
    whole_mask: whole_mask
    causal_ignored: causal_ignored
    top_left: top_left
    mask_from_zero: mask_from_zero
}
