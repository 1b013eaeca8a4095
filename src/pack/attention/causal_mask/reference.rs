//! The additive causal mask, aligned at the bottom right: the last query sees every key.

use candle_core::{Device, Result, Tensor};

/// (Tq, Tk) f32: 0 where query `i` may see key `j`, −inf elsewhere. The queries are the last Tq of Tk positions, so query
/// `i` stands at position i + Tk − Tq.
pub fn causal_mask(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    let hidden = |i: usize, j: usize| j + tq > i + tk; // j > i + Tk − Tq, without going below zero
    let mask: Vec<f32> =
        (0..tq).flat_map(|i| (0..tk).map(move |j| if hidden(i, j) { f32::NEG_INFINITY } else { 0.0 })).collect();
    Tensor::from_vec(mask, (tq, tk), device)
}
