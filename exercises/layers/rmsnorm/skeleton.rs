//! RMSNorm: every token is divided by its root mean square and multiplied by a weight.

use candle_core::{Result, Tensor};

/// x (…, D) of any rank from 1 on, weight (D) in x's dtype; `eps` is added to the mean square.
/// Returns (…, D) in x's dtype.
pub fn rms_norm(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    let _ = (x, weight, eps);
    todo!("mean square over the last axis in f32, root, division, weight, cast back")
}

logitlings::attempt!(layers::rmsnorm, rms_norm);
