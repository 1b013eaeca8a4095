//! Sliding-window attention with a KV cache of W slots.

use candle_core::{Result, Tensor};
use logitlings::pack::inference::ring_buffer_kv::Ring;

/// The position that each of the `window` slots holds after `seen` tokens; `None` for a slot that was never written.
pub fn slot_positions(seen: usize, window: usize) -> Vec<Option<usize>> {
    let _ = (seen, window);
    todo!("the newest position below `seen` that belongs to each slot")
}

/// q, k (B, H, n, d_k) and v (B, H, n, d_v) of the n newest tokens, a slope for each head → (B, H, n, d_v).
pub fn window_step(q: &Tensor, k: &Tensor, v: &Tensor, slopes: &[f32], ring: &mut Ring) -> Result<Tensor> {
    let _ = (q, k, v, slopes, &ring.k, &ring.v, ring.window, ring.seen);
    todo!("write each token to its slot, and attend to the window")
}

logitlings::attempt!(inference::ring_buffer_kv, { slot_positions, window_step });
