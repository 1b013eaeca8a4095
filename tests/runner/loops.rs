//! Never returns.

use candle_core::{Result, Tensor};

pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    loop {
        std::hint::black_box((q, k, v, mask));
    }
}

logitlings::attempt!(attention::sdpa, sdpa);
