//! Recurses without end.

use candle_core::{Result, Tensor};

#[allow(unconditional_recursion)]
fn deeper(n: u64) -> u64 {
    let here = std::hint::black_box([n; 64]);
    deeper(here[0] + 1) + std::hint::black_box(here)[63]
}

pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let _ = (q, k, v, mask);
    println!("{}", deeper(0));
    Ok(v.clone())
}

logitlings::attempt!(attention::sdpa, sdpa);
