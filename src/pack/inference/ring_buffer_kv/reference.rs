//! Sliding-window attention over a ring of W slots: position p lives in slot p mod W, where it replaces position p − W.

use super::Ring;
use candle_core::{Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// The position that each of the `window` slots holds after `seen` tokens; `None` where nothing was written yet.
pub fn slot_positions(seen: usize, window: usize) -> Vec<Option<usize>> {
    let position = |slot: usize| (slot < seen).then(|| seen - 1 - (seen - 1 - slot) % window);
    (0..window).map(position).collect()
}

/// q, k (B, H, n, d_k) and v (B, H, n, d_v) of the n newest tokens → (B, H, n, d_v). One after the other: a token's slot
/// still holds what the tokens before it in the chunk have to see.
pub fn window_step(q: &Tensor, k: &Tensor, v: &Tensor, slopes: &[f32], ring: &mut Ring) -> Result<Tensor> {
    let mut outputs = Vec::with_capacity(q.dim(2)?);
    for token in 0..q.dim(2)? {
        let newest = |t: &Tensor| t.narrow(2, token, 1)?.contiguous();
        ring.k.slice_set(&newest(k)?, 2, ring.seen % ring.window)?;
        ring.v.slice_set(&newest(v)?, 2, ring.seen % ring.window)?;
        ring.seen += 1;
        outputs.push(attend(&newest(q)?, slopes, ring)?);
    }
    Tensor::cat(&outputs, 2)
}

/// The newest token's q (B, H, 1, d_k) over the slots that are in use: the first ones until the ring is full, then all.
fn attend(q: &Tensor, slopes: &[f32], ring: &Ring) -> Result<Tensor> {
    let (_, heads, _, dk) = q.dims4()?;
    let used = ring.seen.min(ring.window);
    let (k, v) = (ring.k.narrow(2, 0, used)?.contiguous()?, ring.v.narrow(2, 0, used)?.contiguous()?);
    let scores = (q.matmul(&k.t()?)? / (dk as f64).sqrt())?; // (B, H, 1, used)

    let ages = slot_positions(ring.seen, ring.window).into_iter().flatten().map(|position| ring.seen - 1 - position);
    let ages: Vec<f32> = ages.map(|age| age as f32).collect();
    let bias: Vec<f32> = slopes.iter().flat_map(|slope| ages.iter().map(move |age| -slope * age)).collect();
    let bias = Tensor::from_vec(bias, (heads, 1, used), q.device())?.to_dtype(q.dtype())?;
    softmax_last_dim(&scores.broadcast_add(&bias)?)?.matmul(&v)
}
