//! What goes wrong at speed in grouped-query attention: one description, and the ways to deviate from it.

use super::Weights;
use candle_core::{D, Error, Result, Tensor};
use candle_nn::ops::softmax;

/// How the key/value heads are brought to the number of the query heads.
#[derive(Clone, Copy, PartialEq)]
enum Share {
    /// 0 0 1 1.
    Each,
    /// 0 1 0 1.
    Tile,
    /// 0 0 0 0.
    First,
    /// Heads stay, the sequence is repeated.
    Sequence,
}

#[derive(Clone, Copy)]
struct Way {
    k: Share,
    v: Share,
    q_view_only: bool,
    kv_view_only: bool,
    causal: bool,
    merge_view_only: bool,
    unscaled: bool,
    scale_by_model: bool,
    no_max: bool,
    no_output: bool,
    unchecked: bool,
    asserts: bool,
}

const RIGHT: Way = Way {
    k: Share::Each,
    v: Share::Each,
    q_view_only: false,
    kv_view_only: false,
    causal: false,
    merge_view_only: false,
    unscaled: false,
    scale_by_model: false,
    no_max: false,
    no_output: false,
    unchecked: false,
    asserts: false,
};

fn share(x: &Tensor, heads: usize, how: Share) -> Result<Tensor> {
    let g = x.dim(1)?;
    let pick = |index: Vec<u32>| x.index_select(&Tensor::new(index, x.device())?, 1);
    match how {
        // i·G/H is i/(H/G) where the heads divide, and goes on without complaint where they do not.
        Share::Each => pick((0..heads).map(|i| (i * g / heads) as u32).collect()),
        Share::Tile => pick((0..heads).map(|i| (i % g) as u32).collect()),
        Share::First => pick(vec![0; heads]),
        Share::Sequence => {
            // Every token r times in a row, then (B, G, T·r, d_k) read as (B, H, T, d_k): a head gets a stretch of tokens.
            let (b, _, t, dk) = x.dims4()?;
            let r = heads / g;
            let twice = Tensor::new((0..t * r).map(|at| (at / r) as u32).collect::<Vec<u32>>(), x.device())?;
            x.index_select(&twice, 2)?.reshape((b, heads, t, dk))
        }
    }
}

fn run(way: Way, x: &Tensor, w: &Weights, heads: usize, kv_heads: usize) -> Result<Tensor> {
    let (b, t, d) = x.dims3()?;
    assert!(!way.asserts || heads.is_multiple_of(kv_heads), "{heads} heads over {kv_heads}");
    if !way.unchecked && (!heads.is_multiple_of(kv_heads) || !d.is_multiple_of(heads)) {
        return Err(Error::Msg("heads do not divide".to_owned()));
    }
    let dk = d / heads;
    let project = |w: &Tensor| x.broadcast_matmul(&w.t()?);
    let split = |y: Tensor, n: usize, view_only: bool| {
        if view_only { y.reshape((b, n, t, dk)) } else { y.reshape((b, t, n, dk))?.transpose(1, 2)?.contiguous() }
    };
    let q = split(project(&w.q)?, heads, way.q_view_only)?;
    let k = share(&split(project(&w.k)?, kv_heads, way.kv_view_only)?, heads, way.k)?;
    let v = share(&split(project(&w.v)?, kv_heads, way.kv_view_only)?, heads, way.v)?;
    let width = if way.scale_by_model { d } else { dk };
    let scale = if way.unscaled { 1.0 } else { (width as f64).sqrt() };
    let mut scores = (q.matmul(&k.t()?.contiguous()?)? / scale)?;
    if way.causal {
        let mask: Vec<f32> = (0..t * t).map(|at| if at % t > at / t { f32::NEG_INFINITY } else { 0.0 }).collect();
        scores = scores.broadcast_add(&Tensor::from_vec(mask, (t, t), x.device())?.to_dtype(x.dtype())?)?;
    }
    let weights = if way.no_max {
        let raw = scores.exp()?;
        raw.broadcast_div(&raw.sum_keepdim(D::Minus1)?)?
    } else {
        softmax(&scores, D::Minus1)?
    };
    let mixed = weights.matmul(&v.contiguous()?)?;
    let merged =
        if way.merge_view_only { mixed.reshape((b, t, d))? } else { mixed.transpose(1, 2)?.reshape((b, t, d))? };
    if way.no_output { Ok(merged) } else { merged.broadcast_matmul(&w.o.t()?) }
}

macro_rules! ways {
    ($($name:ident: { $($field:ident: $value:expr),+ })+) => {
        $(pub fn $name(x: &Tensor, w: &Weights, heads: usize, kv_heads: usize) -> Result<Tensor> {
            run(Way { $($field: $value,)+ ..RIGHT }, x, w, heads, kv_heads)
        })+
    };
}

ways! {
    tiled: { k: Share::Tile, v: Share::Tile }
    v_tiled: { v: Share::Tile }
    k_tiled: { k: Share::Tile }
    first_head_only: { k: Share::First, v: Share::First }
    sequence_repeated: { k: Share::Sequence, v: Share::Sequence }
    kv_not_transposed: { kv_view_only: true }
    heads_not_transposed: { q_view_only: true, kv_view_only: true }
    causal: { causal: true }
    merged_without_transpose: { merge_view_only: true }
    unscaled: { unscaled: true }
    scale_by_model: { scale_by_model: true }
    no_max: { no_max: true }
    no_output_projection: { no_output: true }
    unchecked: { unchecked: true }
    asserts: { asserts: true }
}
