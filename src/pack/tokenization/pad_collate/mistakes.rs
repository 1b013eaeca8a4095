//! What goes wrong at speed when a batch is padded.

use candle_core::{Device, Result, Tensor};

type Batch = Result<(Tensor, Tensor)>;

fn longest(sequences: &[Vec<i64>]) -> usize {
    sequences.iter().map(Vec::len).max().unwrap_or(0)
}

fn tensors(rows: usize, width: usize, ids: Vec<i64>, mask: Vec<u8>) -> Batch {
    Ok((Tensor::from_vec(ids, (rows, width), &Device::Cpu)?, Tensor::from_vec(mask, (rows, width), &Device::Cpu)?))
}

/// A batch of this width by two rules for each place: its id, and whether it is masked. A rule is given the sequence, the
/// column, the width and the pad.
fn batch(
    sequences: &[Vec<i64>],
    pad: i64,
    width: usize,
    id: fn(&[i64], usize, usize, i64) -> i64,
    masked: fn(&[i64], usize, usize, i64) -> bool,
) -> Batch {
    let places = || sequences.iter().flat_map(|sequence| (0..width).map(move |column| (sequence, column)));
    let ids = places().map(|(sequence, column)| id(sequence, column, width, pad)).collect();
    let mask = places().map(|(sequence, column)| u8::from(masked(sequence, column, width, pad))).collect();
    tensors(sequences.len(), width, ids, mask)
}

fn right_id(sequence: &[i64], column: usize, _: usize, pad: i64) -> i64 {
    sequence.get(column).copied().unwrap_or(pad)
}

fn left_id(sequence: &[i64], column: usize, width: usize, pad: i64) -> i64 {
    (column + sequence.len()).checked_sub(width).map_or(pad, |at| sequence[at])
}

fn right_mask(sequence: &[i64], column: usize, _: usize, _: i64) -> bool {
    column >= sequence.len()
}

fn right(sequences: &[Vec<i64>], pad: i64, width: usize) -> Batch {
    batch(sequences, pad, width, right_id, right_mask)
}

pub fn mask_inverted(sequences: &[Vec<i64>], pad: i64) -> Batch {
    batch(sequences, pad, longest(sequences), right_id, |sequence, column, _, _| column < sequence.len())
}

pub fn mask_from_ids(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let masked = |sequence: &[i64], column: usize, width: usize, pad| right_id(sequence, column, width, pad) == pad;
    batch(sequences, pad, longest(sequences), right_id, masked)
}

pub fn trailing_pads(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let masked = |sequence: &[i64], column: usize, _: usize, pad| sequence.iter().skip(column).all(|&id| id == pad);
    batch(sequences, pad, longest(sequences), right_id, masked)
}

pub fn nothing_masked(sequences: &[Vec<i64>], pad: i64) -> Batch {
    batch(sequences, pad, longest(sequences), right_id, |_, _, _, _| false)
}

pub fn last_token_masked(sequences: &[Vec<i64>], pad: i64) -> Batch {
    batch(sequences, pad, longest(sequences), right_id, |sequence, column, _, _| column + 1 >= sequence.len())
}

pub fn first_pad_unmasked(sequences: &[Vec<i64>], pad: i64) -> Batch {
    batch(sequences, pad, longest(sequences), right_id, |sequence, column, _, _| column > sequence.len())
}

pub fn left_padding(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let masked = |sequence: &[i64], column: usize, width: usize, _| column + sequence.len() < width;
    batch(sequences, pad, longest(sequences), left_id, masked)
}

pub fn left_ids_right_mask(sequences: &[Vec<i64>], pad: i64) -> Batch {
    batch(sequences, pad, longest(sequences), left_id, right_mask)
}

pub fn length_of_first(sequences: &[Vec<i64>], pad: i64) -> Batch {
    right(sequences, pad, sequences.first().map_or(0, Vec::len))
}

pub fn length_of_shortest(sequences: &[Vec<i64>], pad: i64) -> Batch {
    right(sequences, pad, sequences.iter().map(Vec::len).min().unwrap_or(0))
}

pub fn pads_with_zero(sequences: &[Vec<i64>], _: i64) -> Batch {
    right(sequences, 0, longest(sequences))
}

pub fn multiple_of_eight(sequences: &[Vec<i64>], pad: i64) -> Batch {
    right(sequences, pad, longest(sequences).next_multiple_of(8))
}

pub fn time_first(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let (ids, mask) = right(sequences, pad, longest(sequences))?;
    Ok((ids.t()?.contiguous()?, mask.t()?.contiguous()?))
}

pub fn mask_time_first(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let (ids, mask) = right(sequences, pad, longest(sequences))?;
    Ok((ids, mask.t()?.contiguous()?))
}

pub fn sorted_by_length(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let mut sorted = sequences.to_vec();
    sorted.sort_by_key(|sequence| std::cmp::Reverse(sequence.len()));
    right(&sorted, pad, longest(sequences))
}

pub fn empty_rows_dropped(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let real: Vec<Vec<i64>> = sequences.iter().filter(|sequence| !sequence.is_empty()).cloned().collect();
    right(&real, pad, longest(sequences))
}

pub fn empty_batch_fails(sequences: &[Vec<i64>], pad: i64) -> Batch {
    let Some(width) = sequences.iter().map(Vec::len).max() else {
        candle_core::bail!("max of no lengths");
    };
    right(sequences, pad, width)
}
