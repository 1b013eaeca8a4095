//! Prints without end.

use candle_core::{Result, Tensor};

pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let _ = (q, k, v, mask);
    loop {
        println!("and so on");
    }
}

logitlings::attempt!(attention::sdpa, sdpa);
