//! Aborts.

use candle_core::{Result, Tensor};

pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let _ = (q, k, v, mask);
    std::process::abort()
}

logitlings::attempt!(attention::sdpa, sdpa);
