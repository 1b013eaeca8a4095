//! Weights in four bits, with a scale and a zero point for each group. Witness: GPTQ's quantiser, in torch.

mod cases;
mod mistakes;
mod reference;

use crate::judge::{self, Problem};
use std::process::ExitCode;

/// A quantised weight (rows, columns) whose rows are cut into groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Int4 {
    /// Outputs.
    pub rows: usize,
    /// Inputs.
    pub columns: usize,
    /// Inputs of a group; the last group of a row may be shorter.
    pub group: usize,
    /// (rows, ⌈columns/2⌉): two numbers of 0 to 15 a byte, the first in the low nibble.
    pub packed: Vec<u8>,
    /// (rows, ⌈columns/group⌉).
    pub scale: Vec<f32>,
    /// (rows, ⌈columns/group⌉), 0 to 15: which number stands for 0.
    pub zero: Vec<u8>,
}

/// weight (rows, columns) row by row, rows, columns, group → quantised.
pub type Quantize = fn(&[f32], usize, usize, usize) -> Int4;

/// quantised → (rows, columns) row by row.
pub type Dequantize = fn(&Int4) -> Vec<f32>;

/// Both functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Weights to nibbles.
    pub quantize: Quantize,
    /// And back.
    pub dequantize: Dequantize,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { quantize: reference::quantize, dequantize: reference::dequantize };
    let problem = conventions(mistakes_of(Problem::new("int4-groupwise", reference)));
    cases::golden_of(cases::unpacking(cases::edges(cases::groups(problem))))
}

fn mistakes_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("unpacked-high-first", "numbers are packed low nibble first and unpacked high nibble first: neighbours change places", mistakes::unpacked_high_first())
        .mistake("sign-extended", "the nibbles are read as signed numbers (−8 to 7); they are 0 to 15, and the zero point makes them signed", mistakes::sign_extended())
        .mistake("not-packed", "each number takes a byte: twice the memory that four bits need", mistakes::not_packed())
        .mistake("rows-share-bytes", "the nibbles are packed without regard to rows: with an odd number of columns a byte holds the end of one row and the beginning of the next", mistakes::rows_share_bytes())
        .mistake("odd-nibble-lost", "only whole pairs are packed: the last number of an odd row is lost", mistakes::odd_nibble_lost())
        .mistake("padding-returned", "the unused nibble at the end of an odd row comes back as a weight", mistakes::padding_returned())
        .mistake("grouped-by-columns", "the groups run down the columns (outputs); they run along the rows (inputs), as the dot product does", mistakes::grouped_by_columns())
        .mistake("groups-across-rows", "the groups are cut from the whole list: where they do not divide a row, one group holds weights of two rows", mistakes::groups_across_rows())
        .mistake("tail-group-lost", "only whole groups are quantised: the shorter group at the end of a row is left out", mistakes::tail_group_lost())
        .mistake("one-group-a-row", "each row has one scale and one zero point: the groups are ignored", mistakes::one_group_a_row())
        .mistake("one-group", "the whole matrix has one scale and one zero point", mistakes::one_group())
        .mistake("sixteen-steps", "the range is divided by 16; sixteen numbers have fifteen steps between them, and the largest weight is cut", mistakes::sixteen_steps())
        .mistake("zero-truncated", "the zero point is cut to an integer (`as u8`) and not rounded", mistakes::zero_truncated())
        .mistake("zero-not-rounded", "q is round((w − min)/scale), which counts from the exact minimum, while dequantising subtracts the rounded zero point: the two do not fit, and 0 is no longer exact", mistakes::zero_not_rounded())
        .mistake("truncated", "w/scale is cut to an integer and not rounded", mistakes::truncated())
        .mistake("not-clamped", "q is not kept below 16: where minimum and maximum both lie half way between two steps, it reaches 16 and spills out of its nibble", mistakes::not_clamped())
        .mistake("epsilon", "the range is raised to at least 1e-5 against a division by zero (as llm-awq does): groups of tiny weights become zeros", mistakes::epsilon())
        .mistake("zero-not-scaled", "dequantising computes q · scale − zero; the zero point is one of the numbers, so it is (q − zero) · scale", mistakes::zero_not_scaled())
        .mistake("zero-added", "dequantising adds the zero point; it has to be subtracted", mistakes::zero_added())
        .mistake("zero-ignored", "dequantising subtracts 8 and not the group's zero point", mistakes::zero_ignored())
}

fn conventions(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .convention("high-nibble-first", "the first of two numbers goes into the high nibble, as in bitsandbytes; here it goes into the low one", mistakes::high_nibble_first())
        .convention("split-halves", "a byte holds a number of the group's first half and one of its second, as llama.cpp's Q4_0 does; here it holds two neighbours", mistakes::split_halves())
        .convention("range-without-zero", "the range is the group's minimum to maximum, as in llm-awq; here it is widened to hold 0, as in GPTQ, because otherwise a group of one sign has a zero point outside 0 to 15", mistakes::range_without_zero())
        .convention("symmetric", "the scale is 2·absmax/15 and the zero point 8, as GPTQ has it with sym=True; here each group has a zero point of its own", mistakes::symmetric())
        .convention("zero-minus-one", "the zero point is stored minus one, as in GPTQ's first checkpoint format; here it is stored as it is", mistakes::zero_minus_one())
        .convention("half-away", "halves are rounded away from zero (f32::round); torch.round and this problem round them to the even neighbour", mistakes::half_away())
}
