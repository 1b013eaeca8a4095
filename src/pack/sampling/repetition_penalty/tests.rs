//! What must not be rejected.

use super::{Attempt, mistakes, problem};
use candle_core::{DType, Result, Tensor};

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

const NONE: [&str; 0] = [];

/// A mask over the vocabulary, and two selections.
fn with_tensors(logits: &Tensor, context: &[Vec<u32>], penalty: f64) -> Result<Tensor> {
    let (b, v) = logits.dims2()?;
    let mut seen = vec![0u8; b * v];
    for (row, ids) in context.iter().enumerate() {
        ids.iter().for_each(|&id| seen[row * v + id as usize] = 1);
    }
    let seen = Tensor::from_vec(seen, (b, v), logits.device())?.to_dtype(DType::U8)?;
    let penalised = logits.lt(0.0)?.where_cond(&(logits * penalty)?, &(logits / penalty)?)?;
    seen.where_cond(&penalised, logits)
}

#[test]
fn tensor_operations_are_right() {
    assert_eq!(failed(with_tensors), NONE);
}

#[test]
fn f64_and_a_sorted_set_are_right() {
    assert_eq!(failed(mistakes::right), NONE);
}
