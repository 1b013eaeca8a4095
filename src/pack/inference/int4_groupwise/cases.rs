//! What is tried: groups and ranges, the edges of rounding and packing, and unpacking on its own.

use super::{Attempt, Int4};
use crate::judge::{Case, Problem, Result, Value, golden};

/// Rows, columns and groups that fit together in different ways.
pub fn groups(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("one group of eight, by hand", |attempt, case| {
            quantised(attempt, case, &[-4.0, -1.0, 0.0, 1.0, 2.0, 3.0, 6.0, 7.0], [1, 8, 8])
        })
        .case("groups that divide the row", |attempt, case| random(attempt, case, [3, 8, 4]))
        .case("a shorter group at the end", |attempt, case| random(attempt, case, [3, 10, 4]))
        .case("an odd number of columns", |attempt, case| random(attempt, case, [4, 7, 7]))
        .case("odd groups in odd rows", |attempt, case| random(attempt, case, [5, 11, 3]))
        .case("as many rows as columns as inputs of a group", |attempt, case| random(attempt, case, [4, 4, 4]))
        .case("a group longer than the row", |attempt, case| random(attempt, case, [2, 5, 32]))
        .cost("64 outputs, 1024 inputs, groups of 128", |attempt, case| {
            let weight: Vec<f32> = (0..64 * 1024).map(|_| case.normal() as f32).collect();
            let back = (attempt.dequantize)(&(attempt.quantize)(&weight, 64, 1024, 128));
            case.observe("dequantised", Value::floats(&back));
            Ok(())
        })
}

/// The edges of the grid.
pub fn edges(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("groups of one sign", |attempt, case| {
            let weight = [[3.0, 4.1, 7.0, 5.2], [-3.0, -7.0, -6.1, -0.2], [0.5, 0.5, 0.5, 0.5], [-2.0, 0.0, -1.1, 0.0]];
            quantised(attempt, case, weight.as_flattened(), [4, 4, 4])
        })
        .case("both ends half way, and sixteen is reached", |attempt, case| {
            // Steps of exactly 1 and 2.
            let weight = [[-5.5, 9.5, 0.5, 1.5, 2.5, -0.5, 3.0, -1.5], [19.0, -1.0, 3.0, -11.0, 5.0, 1.0, 7.0, 8.0]];
            quantised(attempt, case, weight.as_flattened(), [2, 8, 8])
        })
        .case("both ends half way, and fifteen is not reached", |attempt, case| {
            quantised(attempt, case, &[-4.5, 10.5, 2.5, 0.5, -3.5, 9.5, 7.2], [1, 7, 7])
        })
        .case("groups of very different sizes", |attempt, case| {
            let weight = weights(case, [3, 12, 4], &[1.0, 1e4, 1e-7, 1e-30, 0.01]);
            quantised(attempt, case, &weight, [3, 12, 4])
        })
        .case("groups of one", |attempt, case| quantised(attempt, case, &[0.3, -2.0, 5.0, 1e3, -1e-3, 7.5], [2, 3, 1]))
        .case("one weight", |attempt, case| quantised(attempt, case, &[-0.75], [1, 1, 1]))
        .case("groups of zeros", |attempt, case| {
            // Any grid will do for zeros, so only what comes back is compared.
            let weight = [[0.0, 0.0, 0.0, -1.0, 0.5, 2.0], [4.0, 0.0, -2.0, 0.0, 0.0, 0.0]];
            let weight = given(case, weight.as_flattened(), [2, 6, 3]);
            let found = (attempt.quantize)(&weight, 2, 6, 3);
            case.observe("lengths", Value::ints(&[found.packed.len(), found.scale.len(), found.zero.len()]));
            let finite = found.scale.iter().all(|scale| scale.is_finite());
            case.observe("scales are finite", Value::Flag(finite));
            case.observe("dequantised", Value::floats(&(attempt.dequantize)(&found)));
            Ok(())
        })
}

/// Bytes that are given.
pub fn unpacking(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("every byte there is", |attempt, case| {
            let packed: Vec<u8> = (0..=255).collect();
            let weight = Int4 { rows: 4, columns: 128, group: 16, packed, ..grids(case, 32) };
            unpacked(attempt, case, weight)
        })
        .case("bytes of odd rows", |attempt, case| {
            let packed = (0..12).map(|_| case.int(0..256) as u8).collect();
            let mut weight = Int4 { rows: 3, columns: 7, group: 3, packed, ..grids(case, 9) };
            // The last nibble of an odd row is not used.
            weight.packed.iter_mut().skip(3).step_by(4).for_each(|last| *last &= 15);
            unpacked(attempt, case, weight)
        })
}

/// Scales, and zero points from 0 to 15.
fn grids(case: &mut Case, count: usize) -> Int4 {
    let scale = (0..count).map(|_| (0.01 + case.uniform()) as f32).collect();
    let zero = (0..count).map(|at| (at * 7 % 16) as u8).collect();
    Int4 { rows: 0, columns: 0, group: 1, packed: Vec::new(), scale, zero }
}

fn random(attempt: &Attempt, case: &mut Case, size: [usize; 3]) -> Result<()> {
    let weight = weights(case, size, &[1.0, 0.05, 3.0, 0.4, 20.0]);
    quantised(attempt, case, &weight, size)
}

/// Weights whose groups have the given sizes in turn. Zero point and numbers are never nearer than a tenth of a step to
/// the middle between two integers, so that rounding errors of a division decide nothing.
fn weights(case: &mut Case, [rows, columns, group]: [usize; 3], sizes: &[f64]) -> Vec<f32> {
    let mut weight = Vec::with_capacity(rows * columns);
    let mut groups = 0;
    for _ in 0..rows {
        for start in (0..columns).step_by(group) {
            let count = group.min(columns - start);
            let steps = steps(case, count);
            weight.extend(steps.iter().map(|step| (step / 15.0 * sizes[groups % sizes.len()]) as f32));
            groups += 1;
        }
    }
    weight
}

/// `count` weights in steps of their grid: the smallest, the largest, fifteen steps higher, and what lies between.
fn steps(case: &mut Case, count: usize) -> Vec<f64> {
    let off = |case: &mut Case| 0.8 * (case.uniform() - 0.5);
    let low = -(case.int(2..13) as f64) + off(case);
    let between = |case: &mut Case| (case.int(0..14) as f64 + low.ceil() + off(case)).clamp(low, low + 15.0);
    let mut steps: Vec<f64> = (0..count).map(|_| between(case)).collect();
    let first = case.int(0..count as i64) as usize;
    steps[first] = low;
    if count > 1 {
        steps[(first + 1 + case.int(0..count as i64 - 1) as usize) % count] = low + 15.0;
    }
    steps
}

fn given(case: &mut Case, weight: &[f32], [rows, columns, group]: [usize; 3]) -> Vec<f32> {
    case.given("rows", rows);
    case.given("columns", columns);
    case.given("group", group);
    case.given("weight", weight).to_vec()
}

fn quantised(attempt: &Attempt, case: &mut Case, weight: &[f32], size: [usize; 3]) -> Result<()> {
    let weight = given(case, weight, size);
    let [rows, columns, group] = size;
    let found = (attempt.quantize)(&weight, rows, columns, group);
    case.observe("rows, columns, group", Value::ints(&[found.rows, found.columns, found.group]));
    case.observe("scale", matrix(&found.scale, rows)?);
    case.observe("zero", Value::ints(&found.zero));
    case.observe("packed", Value::ints(&found.packed));
    case.observe("dequantised", matrix(&(attempt.dequantize)(&found), rows)?);
    Ok(())
}

fn unpacked(attempt: &Attempt, case: &mut Case, weight: Int4) -> Result<()> {
    let weight = case.given("weight", weight);
    case.observe("dequantised", matrix(&(attempt.dequantize)(&weight), weight.rows)?);
    Ok(())
}

/// A list by rows, where it divides.
fn matrix(list: &[f32], rows: usize) -> Result<Value> {
    if list.is_empty() || !list.len().is_multiple_of(rows) {
        return Ok(Value::floats(list));
    }
    let tensor = candle_core::Tensor::new(list, &candle_core::Device::Cpu)?;
    Ok(Value::tensor(&tensor.reshape((rows, list.len() / rows))?)?)
}

/// Bytes and zero points exactly.
pub fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/int4-groupwise.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let part = |name: &str| -> Result<Vec<f32>> {
                Ok(golden::floats(&entry[name])?.into_iter().map(|v| v as f32).collect())
            };
            let shape = golden::shape(&entry["weight"])?;
            let group = entry["group"].as_u64().ok_or("golden fixture: no group")? as usize;
            let found = (attempt.quantize)(&part("weight")?, shape[0], shape[1], group);
            for (name, got) in [("packed", &found.packed), ("zero", &found.zero)] {
                fixture.expect(name, Value::ints(&golden::ints(&entry[name])?), Value::ints(got));
            }
            fixture.expect("scale", Value::floats(&part("scale")?), Value::floats(&found.scale));
            let back = (attempt.dequantize)(&found);
            fixture.expect("dequantised", Value::floats(&part("dequantised")?), Value::floats(&back));
        }
        Ok(())
    })
}
