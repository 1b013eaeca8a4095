//! What is tried: rounding and scales, and the product on its own and behind them.

use super::{Attempt, Int8};
use crate::judge::{Case, Problem, Result, Value, golden};

/// Weights to integers.
pub fn rounding(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("two rows, by hand", |attempt, case| quantised(attempt, case, &[-2.54, 1.0, 0.5, 0.3, 0.1, -0.2], 2, 3))
        .case("exact halves", |attempt, case| {
            // Scales of exactly 1 and 0.5.
            let weight =
                [[127.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5], [0.25, 0.75, 1.25, -63.5, -0.25, -0.75, 3.2, -0.3]];
            quantised(attempt, case, weight.as_flattened(), 2, 8)
        })
        .case("rows of zeros", |attempt, case| {
            let weight = [[0.0, 0.0, 0.0], [1.5, -0.2, 0.7], [0.0, 0.0, 0.0], [-0.03, 0.02, 0.013], [8.0, 1.0, -3.0]];
            quantised(attempt, case, weight.as_flattened(), 5, 3)
        })
        .case("rows of very different sizes", |attempt, case| {
            let weight = weights(case, &[1e4, 1.0, 1e-6, 1e-30, 30.0], 6);
            quantised(attempt, case, &weight, 5, 6)
        })
        .case("negative rows, and the largest weight anywhere", |attempt, case| {
            let weight =
                [[-1.0, -5.0, -2.2, -0.1], [9.0, -3.0, 2.0, 1.0], [0.1, 0.3, -0.21, 0.4], [-6.0, 2.9, 4.3, 0.0]];
            quantised(attempt, case, weight.as_flattened(), 4, 4)
        })
        .case("five outputs, seven inputs", |attempt, case| {
            let weight = weights(case, &[0.02, 0.5, 0.03, 0.01, 2.0], 7);
            quantised(attempt, case, &weight, 5, 7)
        })
        .case("more outputs than inputs", |attempt, case| {
            let weight = weights(case, &[1.0, 0.1, 4.0, 0.02, 0.3, 0.07, 2.0, 0.5], 3);
            quantised(attempt, case, &weight, 8, 3)
        })
        .case("one input", |attempt, case| quantised(attempt, case, &[0.7, -3.0, 0.0, 12.5], 4, 1))
        .case("one output", |attempt, case| {
            let weight = weights(case, &[0.4], 9);
            quantised(attempt, case, &weight, 1, 9)
        })
}

/// Integers times inputs.
pub fn product(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("a product, by hand", |attempt, case| {
            let weight = Int8 { rows: 2, columns: 3, q: vec![-127, 50, 25, 127, 42, -85], scale: vec![0.02, 0.0025] };
            multiplied(attempt, case, weight, &[1.0, 2.0, 3.0], 1)
        })
        .case("a product, every axis of another size", |attempt, case| random(attempt, case, [5, 7, 4], 1.0))
        .case("a product, as many outputs as inputs and tokens", |attempt, case| random(attempt, case, [4, 4, 4], 1.0))
        .case("more outputs than inputs and more tokens than both", |attempt, case| {
            random(attempt, case, [6, 3, 8], 1.0)
        })
        .case("inputs of ten thousand", |attempt, case| random(attempt, case, [3, 9, 2], 1e4))
        .case("no tokens", |attempt, case| random(attempt, case, [3, 2, 0], 1.0))
        .case("a weight quantised, then multiplied", |attempt, case| {
            let weight = weights(case, &[3.0, 0.1, 0.02, 1e3, 0.7], 11);
            let weight = case.given("weight", weight);
            let x = inputs(case, 3 * 11, 1.0);
            let y = (attempt.matmul)(&(attempt.quantize)(&weight, 5, 11), &case.given("x", x));
            case.observe("y", Value::floats(&y));
            Ok(())
        })
        .case("no f32 copy of the weight", |attempt, case| {
            // The weight takes 1 MiB in int8 and 4 MiB in f32; x and y take 16 KiB.
            let (weight, x) = large(case, [1024, 1024, 2]);
            case.given("size", "1024 outputs, 1024 inputs, 2 tokens");
            let y = case.within_memory("peak memory", 1 << 20, || (attempt.matmul)(&weight, &x));
            case.observe("y", Value::floats(&y));
            Ok(())
        })
        .cost("256 outputs, 512 inputs, 8 tokens", |attempt, case| {
            let (weight, x) = large(case, [256, 512, 8]);
            case.observe("y", Value::floats(&(attempt.matmul)(&weight, &x)));
            Ok(())
        })
}

/// Rows with the given scales times 127. Except for the largest, no weight is nearer than a tenth of a step to the middle
/// between two integers, so that rounding errors of the division decide nothing.
fn weights(case: &mut Case, largest: &[f32], columns: usize) -> Vec<f32> {
    let mut weight = Vec::with_capacity(largest.len() * columns);
    for &largest in largest {
        let peak = case.int(0..columns as i64) as usize;
        for column in 0..columns {
            let steps = case.int(-126..127) as f64 + 0.8 * (case.uniform() - 0.5);
            let sign = if case.uniform() < 0.5 { -127.0 } else { 127.0 };
            let steps = if column == peak { sign } else { steps };
            weight.push((steps / 127.0 * f64::from(largest)) as f32);
        }
    }
    weight
}

fn inputs(case: &mut Case, count: usize, std: f64) -> Vec<f32> {
    (0..count).map(|_| (case.normal() * std) as f32).collect()
}

fn large(case: &mut Case, [rows, columns, tokens]: [usize; 3]) -> (Int8, Vec<f32>) {
    let q = (0..rows * columns).map(|_| case.int(-127..128) as i8).collect();
    let scale = (0..rows).map(|_| (0.001 + 0.1 * case.uniform()) as f32).collect();
    (Int8 { rows, columns, q, scale }, inputs(case, tokens * columns, 1.0))
}

fn random(attempt: &Attempt, case: &mut Case, sizes: [usize; 3], std: f64) -> Result<()> {
    let (weight, x) = large(case, sizes);
    let x: Vec<f32> = x.iter().map(|x| x * std as f32).collect();
    multiplied(attempt, case, weight, &x, sizes[2])
}

fn quantised(attempt: &Attempt, case: &mut Case, weight: &[f32], rows: usize, columns: usize) -> Result<()> {
    case.given("weight", weight);
    case.given("rows", rows);
    case.given("columns", columns);
    let found = (attempt.quantize)(weight, rows, columns);
    case.observe("rows and columns", Value::ints(&[found.rows, found.columns]));
    case.observe("q", matrix(&found.q, rows, columns));
    // Which finite scale a row of zeros has is free.
    let zeros = |row: usize| found.q.get(row * columns..(row + 1) * columns).is_some_and(|q| q.iter().all(|&q| q == 0));
    let scale = found.scale.iter().enumerate();
    let scale: Vec<f32> = scale.map(|(row, &s)| if zeros(row) && s.is_finite() { 0.0 } else { s }).collect();
    case.observe("scale", Value::floats(&scale));
    Ok(())
}

fn matrix(q: &[i8], rows: usize, columns: usize) -> Value {
    let shape = if q.len() == rows * columns { vec![rows, columns] } else { vec![q.len()] };
    Value::Ints { shape, data: q.iter().map(|&q| i64::from(q)).collect() }
}

fn multiplied(attempt: &Attempt, case: &mut Case, weight: Int8, x: &[f32], tokens: usize) -> Result<()> {
    let weight = case.given("weight", weight);
    case.given("x", x);
    let y = (attempt.matmul)(&weight, x);
    if y.len() == tokens * weight.rows {
        let tensor = candle_core::Tensor::new(y.as_slice(), &candle_core::Device::Cpu)?;
        case.observe_tensor("y", &tensor.reshape((tokens, weight.rows))?)
    } else {
        case.observe("y", Value::floats(&y));
        Ok(())
    }
}

/// Integers exactly, products to 1e-5.
pub fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/int8-matmul.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let part = |name: &str| -> Result<Vec<f32>> {
                Ok(golden::floats(&entry[name])?.into_iter().map(|v| v as f32).collect())
            };
            let shape = golden::shape(&entry["weight"])?;
            let found = (attempt.quantize)(&part("weight")?, shape[0], shape[1]);
            let q: Vec<i64> = golden::floats(&entry["q"])?.into_iter().map(|v| v as i64).collect();
            fixture.expect("q", Value::ints(&q), Value::ints(&found.q));
            fixture.expect("scale", Value::floats(&part("scale")?), Value::floats(&found.scale));
            let y = (attempt.matmul)(&found, &part("x")?);
            fixture.expect("y", Value::floats(&part("y")?), Value::floats(&y));
        }
        Ok(())
    })
}
