//! Int8 weights with a scale for each output, and the product with them.

use logitlings::pack::inference::int8_matmul::Int8;

/// weight (rows, columns), row by row: rows are outputs, columns are inputs.
pub fn quantize(weight: &[f32], rows: usize, columns: usize) -> Int8 {
    let _ = (weight, rows, columns);
    todo!("a scale for each row, and the rounded weights")
}

/// x (n, columns), row by row → y (n, rows), row by row.
pub fn matmul(weight: &Int8, x: &[f32]) -> Vec<f32> {
    let _ = (&weight.q, &weight.scale, weight.rows, weight.columns, x);
    todo!("sums of q · x, times the scale")
}

logitlings::attempt!(inference::int8_matmul, { quantize, matmul });
