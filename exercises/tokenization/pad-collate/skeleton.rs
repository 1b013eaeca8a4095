//! Pad and collate: sequences of different lengths become one tensor of ids and one mask.

use candle_core::{Result, Tensor};

/// B sequences, and the id that fills the rest → ids (B, T) i64 and key-padding mask (B, T) u8, 1 where there is padding.
/// Both on the CPU.
pub fn pad_collate(sequences: &[Vec<i64>], pad: i64) -> Result<(Tensor, Tensor)> {
    let _ = (sequences, pad);
    todo!("pad on the right to the longest, and make the mask from the lengths")
}

logitlings::attempt!(tokenization::pad_collate, pad_collate);
