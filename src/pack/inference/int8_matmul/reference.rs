//! Symmetric int8 weights with a scale for each output channel (absmax).

use super::Int8;

/// weight (rows, columns) → q = round(w / scale), scale = the row's largest |w| / 127.
pub fn quantize(weight: &[f32], rows: usize, columns: usize) -> Int8 {
    let (mut q, mut scales) = (Vec::with_capacity(weight.len()), Vec::with_capacity(rows));
    for row in weight.chunks_exact(columns) {
        let largest = row.iter().fold(0.0f32, |largest, w| largest.max(w.abs()));
        // A row of zeros has no scale of its own: any number will do, as long as it does not divide by zero.
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        q.extend(row.iter().map(|w| (w / scale).round_ties_even().clamp(-127.0, 127.0) as i8));
        scales.push(scale);
    }
    Int8 { rows, columns, q, scale: scales }
}

/// x (n, columns) → (n, rows). The scale is the same for the whole sum, so it is applied once, after it.
pub fn matmul(weight: &Int8, x: &[f32]) -> Vec<f32> {
    let mut y = Vec::with_capacity(x.len() / weight.columns * weight.rows);
    for token in x.chunks_exact(weight.columns) {
        for (row, scale) in weight.q.chunks_exact(weight.columns).zip(&weight.scale) {
            let sum: f32 = row.iter().zip(token).map(|(&q, x)| f32::from(q) * x).sum();
            y.push(sum * scale);
        }
    }
    y
}
