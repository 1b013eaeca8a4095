//! Reads standard input to its end.

use candle_core::{Result, Tensor};

pub fn sdpa(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let mut text = String::new();
    let read = std::io::Read::read_to_string(&mut std::io::stdin(), &mut text).unwrap();
    println!("read {read} bytes");
    let _ = (q, k, mask);
    Ok(v.clone())
}

logitlings::attempt!(attention::sdpa, sdpa);
