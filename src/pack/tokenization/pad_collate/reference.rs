//! A rectangle out of sequences of different lengths, and the mask that says where it is hollow.

use candle_core::{Device, Result, Tensor};

/// B sequences and the id that fills the rest → ids (B, T) and mask (B, T), 1 where there is only padding.
pub fn pad_collate(sequences: &[Vec<i64>], pad: i64) -> Result<(Tensor, Tensor)> {
    let (rows, width) = (sequences.len(), sequences.iter().map(Vec::len).max().unwrap_or(0));
    let (mut ids, mut mask) = (vec![pad; rows * width], vec![1u8; rows * width]);
    for (row, sequence) in sequences.iter().enumerate() {
        // What is real is known from the length; a real token may well have the pad's id.
        let real = row * width..row * width + sequence.len();
        ids[real.clone()].copy_from_slice(sequence);
        mask[real].fill(0);
    }
    let shape = (rows, width);
    Ok((Tensor::from_vec(ids, shape, &Device::Cpu)?, Tensor::from_vec(mask, shape, &Device::Cpu)?))
}
