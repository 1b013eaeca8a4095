//! Four-bit weights with a scale and a zero point for each group, two numbers a byte.

use logitlings::pack::inference::int4_groupwise::Int4;

/// weight (rows, columns), row by row. Groups are `group` neighbours of a row; the last one of a row may be shorter.
pub fn quantize(weight: &[f32], rows: usize, columns: usize, group: usize) -> Int4 {
    let _ = (weight, rows, columns, group);
    todo!("scale and zero point of each group, the numbers, and two of them in each byte")
}

/// The weights again, (rows, columns), row by row.
pub fn dequantize(weight: &Int4) -> Vec<f32> {
    let _ = (weight.rows, weight.columns, weight.group, &weight.packed, &weight.scale, &weight.zero);
    todo!("(q − zero) · scale")
}

logitlings::attempt!(inference::int4_groupwise, { quantize, dequantize });
