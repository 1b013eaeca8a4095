//! The additive causal mask.

use candle_core::{Device, Result, Tensor};

/// (Tq, Tk) f32: 0 where a query may see a key, −inf elsewhere. The queries are the last Tq of the Tk positions.
pub fn causal_mask(tq: usize, tk: usize, device: &Device) -> Result<Tensor> {
    let _ = (tq, tk, device);
    todo!("0 on and below the diagonal, −inf above it; and where does the diagonal end?")
}

logitlings::attempt!(attention::causal_mask, causal_mask);
