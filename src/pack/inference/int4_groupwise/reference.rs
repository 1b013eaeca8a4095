//! Asymmetric four-bit weights in groups, with GPTQ's rule for scale and zero point.

use super::Int4;

const LEVELS: f32 = 15.0;

/// weight (rows, columns) → nibbles, with a scale and a zero point for each `group` inputs of a row.
pub fn quantize(weight: &[f32], rows: usize, columns: usize, group: usize) -> Int4 {
    let (mut packed, mut scales, mut zeros) = (Vec::new(), Vec::new(), Vec::new());
    for row in weight.chunks_exact(columns) {
        let mut numbers = Vec::with_capacity(columns);
        for part in row.chunks(group) {
            let (scale, zero) = grid(part);
            numbers.extend(part.iter().map(|w| ((w / scale).round_ties_even() + zero).clamp(0.0, LEVELS) as u8));
            scales.push(scale);
            zeros.push(zero as u8);
        }
        packed.extend(numbers.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 4));
    }
    Int4 { rows, columns, group, packed, scale: scales, zero: zeros }
}

/// Scale and zero point. The range always holds 0, so that 0 is exact and the zero point is one of the sixteen numbers.
fn grid(part: &[f32]) -> (f32, f32) {
    let (low, high) = part.iter().fold((0.0f32, 0.0f32), |(low, high), &w| (low.min(w), high.max(w)));
    let scale = if high > low { (high - low) / LEVELS } else { 1.0 };
    (scale, (-low / scale).round_ties_even())
}

/// (q − zero) · scale, (rows, columns).
pub fn dequantize(weight: &Int4) -> Vec<f32> {
    let groups = weight.columns.div_ceil(weight.group);
    let mut out = Vec::with_capacity(weight.rows * weight.columns);
    for (row, bytes) in weight.packed.chunks_exact(weight.columns.div_ceil(2)).enumerate() {
        for column in 0..weight.columns {
            let byte = bytes[column / 2];
            let q = if column % 2 == 0 { byte & 0x0f } else { byte >> 4 };
            let of = row * groups + column / weight.group;
            out.push((f32::from(q) - f32::from(weight.zero[of])) * weight.scale[of]);
        }
    }
    out
}
