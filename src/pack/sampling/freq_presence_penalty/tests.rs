//! What must not be rejected.

use super::{Attempt, mistakes, problem};
use candle_core::{DType, Result, Tensor};

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

const NONE: [&str; 0] = [];

/// Counts by scatter-add, then tensor operations, one row at a time.
fn with_tensors(logits: &Tensor, ids: &[Vec<u32>], prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let (b, v) = logits.dims2()?;
    let mut rows = Vec::new();
    for row in 0..b {
        let generated = &ids[row][prompts[row]..];
        let mut counts = Tensor::zeros(v, DType::F32, logits.device())?;
        if !generated.is_empty() {
            let ids = Tensor::new(generated, logits.device())?;
            counts = counts.scatter_add(&ids, &Tensor::ones(generated.len(), DType::F32, logits.device())?, 0)?;
        }
        let amount = ((&counts * f)? + (counts.gt(0.0)?.to_dtype(DType::F32)? * p)?)?;
        rows.push((logits.get(row)? - amount)?);
    }
    Tensor::stack(&rows, 0)
}

#[test]
fn tensor_operations_are_right() {
    assert_eq!(failed(with_tensors), NONE);
}

#[test]
fn f64_is_right() {
    assert_eq!(failed(mistakes::right), NONE);
}
