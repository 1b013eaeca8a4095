//! Does not compile.
use candle_core::{Result, Tensor};

pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let scale: String = 1;
    Ok((q, k, v, mask, scale).2.clone())
}

logitlings::attempt!(attention::sdpa, sdpa);
