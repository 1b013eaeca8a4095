//! What goes wrong at speed with int8 weights: one description, and the ways to deviate from it.

use super::reference::matmul;
use super::{Attempt, Int8};

/// How weights become integers.
#[derive(Clone, Copy)]
struct Way {
    /// The largest weight of a row.
    largest: fn(&[f32]) -> f32,
    /// The scale, from the largest weight.
    scale: fn(f32) -> f32,
    /// w / scale to an integer.
    round: fn(f32) -> i8,
}

const RIGHT: Way = Way {
    largest: |row| row.iter().fold(0.0, |largest: f32, w| largest.max(w.abs())),
    scale: |largest| largest / 127.0,
    round: |v| v.round_ties_even() as i8,
};

fn quantize(way: &Way, weight: &[f32], rows: usize, columns: usize) -> Int8 {
    let scale: Vec<f32> = weight.chunks_exact(columns).map(|row| (way.scale)((way.largest)(row))).collect();
    let q = weight.iter().enumerate().map(|(at, w)| (way.round)(w / scale[at / columns])).collect();
    Int8 { rows, columns, q, scale }
}

fn right(weight: &[f32], rows: usize, columns: usize) -> Int8 {
    quantize(&RIGHT, weight, rows, columns)
}

macro_rules! ways {
    ($($name:ident: { $($field:ident: $value:expr),+ })+) => {
        $(pub const fn $name() -> Attempt {
            const WAY: Way = Way { $($field: $value,)+ ..RIGHT };
            Attempt { quantize: |weight, rows, columns| quantize(&WAY, weight, rows, columns), matmul }
        })+
    };
}

ways! {
    by_128: { scale: |largest| largest / 128.0 }
    wraps: { scale: |largest| largest / 128.0, round: |v| v.round_ties_even() as i32 as i8 }
    signed_maximum: { largest: |row| row.iter().fold(0.0, |largest: f32, &w| largest.max(w)) }
    first_skipped: { largest: |row| row.iter().skip(1).fold(0.0, |largest: f32, w| largest.max(w.abs())) }
    truncated: { round: |v| v as i8 }
    floored: { round: |v| v.floor() as i8 }
    epsilon: { scale: |largest| largest.max(1e-5) / 127.0 }
    half_away: { round: |v| v.round() as i8 }
    full_range: { scale: |largest| largest / 127.5 }
}

macro_rules! attempts {
    ($($name:ident: $quantize:expr, $matmul:expr;)+) => {
        $(pub const fn $name() -> Attempt {
            Attempt { quantize: $quantize, matmul: $matmul }
        })+
    };
}

attempts! {
    per_tensor: |weight, rows, columns| {
        let scale = (RIGHT.scale)((RIGHT.largest)(weight));
        let q = weight.iter().map(|w| (RIGHT.round)(w / scale)).collect();
        Int8 { rows, columns, q, scale: vec![scale; rows] }
    }, matmul;
    per_column: by_column, matmul_by_input;
    zero_row_skipped: |weight, rows, columns| {
        let mut quantised = right(weight, rows, columns);
        quantised.scale.retain(|&scale| scale > 0.0);
        quantised
    }, |w, x| product(w, x, |w, o, i| w.number(o, i) * w.scale.get(o).copied().unwrap_or(0.0));
    inverse_stored: |weight, rows, columns| {
        let quantised = right(weight, rows, columns);
        Int8 { scale: quantised.scale.iter().map(|scale| 1.0 / scale).collect(), ..quantised }
    }, |w, x| product(w, x, |w, o, i| w.number(o, i) / w.scale[o]);
    scale_forgotten: right, |w, x| product(w, x, Int8::number);
    scale_of_the_input: right, matmul_by_input;
    transposed: right, |w, x| product(w, x, |w, o, i| f32::from(w.q[i * w.rows + o]) * w.scale[o]);
    first_token_only: right, |w, x| {
        let tokens = x.len() / w.columns;
        matmul(w, &x[..w.columns.min(x.len())]).repeat(tokens)
    };
    output_transposed: right, |w, x| {
        let (y, tokens) = (matmul(w, x), x.len() / w.columns);
        (0..y.len()).map(|at| y[at % tokens * w.rows + at / tokens]).collect()
    };
    one_token_only: right, |w, x| matmul(w, &x[..w.columns.min(x.len())]);
    dequantised: right, |w, x| {
        let full: Vec<f32> = w.q.iter().enumerate().map(|(at, &q)| f32::from(q) * w.scale[at / w.columns]).collect();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let rows = || full.chunks_exact(w.columns);
        x.chunks_exact(w.columns).flat_map(|token| rows().map(move |row| dot(row, token))).collect()
    };
    inputs_quantised: right, |w, x| {
        let inputs = right(x, x.len() / w.columns, w.columns);
        let sum = |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum::<i32>();
        let rows = || w.q.chunks_exact(w.columns).zip(&w.scale);
        let tokens = inputs.q.chunks_exact(w.columns).zip(&inputs.scale);
        tokens.flat_map(|(t, by)| rows().map(move |(row, scale)| sum(row, t) as f32 * scale * by)).collect()
    };
}

impl Int8 {
    fn number(&self, output: usize, input: usize) -> f32 {
        f32::from(self.q[output * self.columns + input])
    }
}

/// The product with the weight that `entry` says, from output and input.
fn product(w: &Int8, x: &[f32], entry: fn(&Int8, usize, usize) -> f32) -> Vec<f32> {
    let dot = |token: &[f32], o: usize| token.iter().enumerate().map(|(i, x)| entry(w, o, i) * x).sum::<f32>();
    x.chunks_exact(w.columns).flat_map(|token| (0..w.rows).map(move |o| dot(token, o))).collect()
}

/// Each term by the scale of its input, and by 1 where there is none.
fn matmul_by_input(w: &Int8, x: &[f32]) -> Vec<f32> {
    product(w, x, |w, o, i| w.number(o, i) * w.scale.get(i).copied().unwrap_or(1.0))
}

fn by_column(weight: &[f32], rows: usize, columns: usize) -> Int8 {
    let column = |i: usize| weight.iter().skip(i).step_by(columns).copied().collect::<Vec<f32>>();
    let scale: Vec<f32> = (0..columns).map(|i| (RIGHT.scale)((RIGHT.largest)(&column(i)))).collect();
    let q = weight.iter().enumerate().map(|(at, w)| (RIGHT.round)(w / scale[at % columns])).collect();
    Int8 { rows, columns, q, scale }
}
