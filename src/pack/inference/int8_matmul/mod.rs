//! Weights in int8 with a scale for each output. Witness: torch.round on weights divided by their row's scale.

mod cases;
mod mistakes;
mod reference;

use crate::judge::{self, Problem};
use std::process::ExitCode;

/// A quantised weight: W[o][i] ≈ q[o][i] · scale[o].
#[derive(Clone, Debug, PartialEq)]
pub struct Int8 {
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub columns: usize,
    /// rows · columns numbers, row by row, −127 to 127.
    pub q: Vec<i8>,
    /// One for each row.
    pub scale: Vec<f32>,
}

/// weight (rows, columns) row by row, rows, columns → quantised.
pub type Quantize = fn(&[f32], usize, usize) -> Int8;

/// weight, x (n, columns) row by row → y (n, rows) row by row.
pub type Matmul = fn(&Int8, &[f32]) -> Vec<f32>;

/// Both functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Weights to int8.
    pub quantize: Quantize,
    /// The product.
    pub matmul: Matmul,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { quantize: reference::quantize, matmul: reference::matmul };
    cases::golden_of(cases::product(cases::rounding(mistakes_of(Problem::new("int8-matmul", reference)))))
}

fn mistakes_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("per-tensor", "one scale serves the whole matrix: a single large row takes the precision of all the others", mistakes::per_tensor())
        .mistake("per-column", "the scales belong to the inputs (columns); they belong to the outputs, because only then can they be taken out of the sum", mistakes::per_column())
        .mistake("divides-by-128", "the scale is absmax/128: the largest weight becomes 128, which i8 does not have, and is cut to 127", mistakes::by_128())
        .mistake("wraps-around", "the scale is absmax/128 and the largest weight, 128, wraps around to −128", mistakes::wraps())
        .mistake("largest-not-absolute", "the scale comes from the largest weight and not from the largest absolute one: large negative weights are cut", mistakes::signed_maximum())
        .mistake("from-the-first", "the absolute values are compared from the second weight on, so that a row whose first weight is the largest is cut", mistakes::first_skipped())
        .mistake("truncated", "`as i8` without rounding cuts toward zero: up to a whole step of error, and every weight a little too small", mistakes::truncated())
        .mistake("floored", "the weights are rounded down (floor), which shifts all of them by half a step", mistakes::floored())
        .mistake("epsilon", "the row's absmax is raised to at least 1e-5 against a division by zero: rows of tiny weights become zeros", mistakes::epsilon())
        .mistake("zero-row-skipped", "a row of zeros is skipped and its scale never pushed: the rows after it use another row's scale", mistakes::zero_row_skipped())
        .mistake("inverse-stored", "127/absmax is stored as the scale: W ≈ q · scale does not hold, and a row of zeros has an infinite one", mistakes::inverse_stored())
        .mistake("scale-forgotten", "the sums of q · x are returned without the scale", mistakes::scale_forgotten())
        .mistake("scale-of-the-input", "the scale is taken by the index of the input; it belongs to the output", mistakes::scale_of_the_input())
        .mistake("transposed", "q is read as (columns, rows)", mistakes::transposed())
        .mistake("first-token-only", "every row of x gives the first one's result", mistakes::first_token_only())
        .mistake("output-transposed", "y comes out as (rows, n); it is (n, rows)", mistakes::output_transposed())
        .mistake("one-token-only", "y holds the first token's outputs and no others", mistakes::one_token_only())
        .mistake("dequantises-everything", "the whole matrix is turned back into f32 before the product: the memory, and the reading of it, that int8 should save", mistakes::dequantised())
        .convention("half-away", "halves are rounded away from zero (f32::round), as llama.cpp does; torch.round and this problem round them to the even neighbour", mistakes::half_away())
        .convention("full-range", "the scale is absmax/127.5 and −128 is used, as PyTorch's symmetric observers do; here it is absmax/127, and −128 stays unused", mistakes::full_range())
        .convention("inputs-quantised", "x is quantised to int8 as well and the sum runs in integers, as in LLM.int8() and SmoothQuant (W8A8); here only the weights are", mistakes::inputs_quantised())
}
