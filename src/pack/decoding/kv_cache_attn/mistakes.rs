//! What goes wrong at speed with a KV cache.

use super::{Cache, Layer};
use candle_core::{Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// Axis along which a cache grows.
const TIME: usize = 2;

fn split(t: &Tensor, heads: usize) -> Result<Tensor> {
    let (b, n, d) = t.dims3()?;
    t.reshape((b, n, heads, d / heads))?.transpose(1, 2)?.contiguous()
}

fn merge(t: &Tensor) -> Result<Tensor> {
    t.transpose(1, 2)?.flatten_from(2)
}

/// Queries, keys and values of the new tokens, (B, H, n, d_k).
fn project(x: &Tensor, layer: &Layer) -> Result<[Tensor; 3]> {
    let heads = layer.heads();
    Ok([split(&layer.query(x)?, heads)?, split(&layer.key(x)?, heads)?, split(&layer.value(x)?, heads)?])
}

fn join(first: Option<&Tensor>, second: &Tensor, axis: usize) -> Result<Tensor> {
    first.map_or(Ok(second.clone()), |first| Tensor::cat(&[first, second], axis))
}

fn after(cached: &Option<Tensor>, new: &Tensor) -> Result<Tensor> {
    join(cached.as_ref(), new, TIME)
}

fn before(cached: &Option<Tensor>, new: &Tensor) -> Result<Tensor> {
    cached.as_ref().map_or(Ok(new.clone()), |old| Tensor::cat(&[new, old], TIME))
}

/// Which keys a query may see: its index, the key's index, number of queries, number of keys.
type Sees = fn(usize, usize, usize, usize) -> bool;

fn causal(i: usize, j: usize, n: usize, total: usize) -> bool {
    j + n <= total + i
}

/// The mixture (B, H, n, d_k), with scores divided by the root of `width`.
fn attend(q: &Tensor, k: &Tensor, v: &Tensor, sees: Sees, width: usize) -> Result<Tensor> {
    let (n, total) = (q.dim(TIME)?, k.dim(TIME)?);
    let bias = |i: usize, j: usize| if sees(i, j, n, total) { 0.0 } else { f32::NEG_INFINITY };
    let mask: Vec<f32> = (0..n).flat_map(|i| (0..total).map(move |j| bias(i, j))).collect();
    let mask = Tensor::from_vec(mask, (n, total), q.device())?.to_dtype(q.dtype())?;
    let scores = (q.matmul(&k.t()?)? / (width as f64).sqrt())?.broadcast_add(&mask)?;
    softmax_last_dim(&scores)?.matmul(v)
}

fn right(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
    attend(q, k, v, causal, q.dim(3)?)
}

fn keep(cache: &mut Cache, k: Tensor, v: Tensor) {
    (cache.k, cache.v) = (Some(k), Some(v));
}

/// A step that is right but for the mask and for the width whose root divides the scores.
fn step(x: &Tensor, layer: &Layer, cache: &mut Cache, sees: Sees, width: usize) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let (k, v) = (after(&cache.k, &k)?, after(&cache.v, &v)?);
    let mixed = attend(&q, &k, &v, sees, width)?;
    keep(cache, k, v);
    layer.output(&merge(&mixed)?)
}

pub fn concat_on_heads(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let (k, v) = (join(cache.k.as_ref(), &k, 1)?, join(cache.v.as_ref(), &v, 1)?);
    let mixed = right(&q, &k, &v)?;
    keep(cache, k, v);
    layer.output(&merge(&mixed)?)
}

pub fn prepended(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let (k, v) = (before(&cache.k, &k)?, before(&cache.v, &v)?);
    let mixed = right(&q, &k, &v)?;
    keep(cache, k, v);
    layer.output(&merge(&mixed)?)
}

pub fn keys_prepended(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let (k, v) = (before(&cache.k, &k)?, after(&cache.v, &v)?);
    let mixed = right(&q, &k, &v)?;
    keep(cache, k, v);
    layer.output(&merge(&mixed)?)
}

pub fn values_are_keys(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let (all_keys, all_values) = (after(&cache.k, &k)?, after(&cache.v, &v)?);
    let mixed = right(&q, &all_keys, &all_values)?;
    let stored = after(&cache.v, &k)?;
    keep(cache, all_keys, stored);
    layer.output(&merge(&mixed)?)
}

pub fn cache_ignored(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let mixed = right(&q, &k, &v)?;
    let (k, v) = (after(&cache.k, &k)?, after(&cache.v, &v)?);
    keep(cache, k, v);
    layer.output(&merge(&mixed)?)
}

pub fn only_new_kept(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let mixed = right(&q, &after(&cache.k, &k)?, &after(&cache.v, &v)?)?;
    keep(cache, k, v);
    layer.output(&merge(&mixed)?)
}

pub fn never_stored(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    step(x, layer, &mut cache.clone(), causal, x.dim(2)? / layer.heads())
}

pub fn top_left_mask(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    step(x, layer, cache, |i, j, _, _| j <= i, x.dim(2)? / layer.heads())
}

pub fn no_mask(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    step(x, layer, cache, |_, _, _, _| true, x.dim(2)? / layer.heads())
}

pub fn not_itself(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    step(x, layer, cache, |i, j, n, total| j + n < total + i, x.dim(2)? / layer.heads())
}

pub fn no_scale(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    step(x, layer, cache, causal, 1)
}

pub fn scale_by_model_width(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    step(x, layer, cache, causal, x.dim(2)?)
}

pub fn no_output_projection(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let (k, v) = (after(&cache.k, &k)?, after(&cache.v, &v)?);
    let mixed = right(&q, &k, &v)?;
    keep(cache, k, v);
    merge(&mixed)
}

pub fn heads_by_reshape(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let ((b, n, d), heads) = (x.dims3()?, layer.heads());
    let split = |t: Tensor| t.reshape((b, heads, n, d / heads));
    let (q, k, v) = (split(layer.query(x)?)?, split(layer.key(x)?)?, split(layer.value(x)?)?);
    let (k, v) = (after(&cache.k, &k)?, after(&cache.v, &v)?);
    let mixed = right(&q, &k, &v)?;
    keep(cache, k, v);
    layer.output(&merge(&mixed)?)
}

pub fn merged_by_reshape(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let [q, k, v] = project(x, layer)?;
    let (k, v) = (after(&cache.k, &k)?, after(&cache.v, &v)?);
    let mixed = right(&q, &k, &v)?;
    keep(cache, k, v);
    layer.output(&mixed.reshape(x.shape())?)
}

pub fn inputs_cached(x: &Tensor, layer: &Layer, cache: &mut Cache) -> Result<Tensor> {
    let all = after(&cache.k, &split(x, layer.heads())?)?;
    let tokens = merge(&all)?; // (B, P + n, D)
    let q = split(&layer.query(x)?, layer.heads())?;
    let (k, v) = (split(&layer.key(&tokens)?, layer.heads())?, split(&layer.value(&tokens)?, layer.heads())?);
    let mixed = right(&q, &k, &v)?;
    keep(cache, all.clone(), all);
    layer.output(&merge(&mixed)?)
}
