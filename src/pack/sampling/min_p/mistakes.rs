//! What goes wrong at speed in min-p, row by row and in f64.

use candle_core::{Result, Tensor};

/// Every row made into another one.
fn rows(logits: &Tensor, change: impl Fn(&[f64]) -> Vec<f64>) -> Result<Tensor> {
    let made: Vec<Vec<f64>> = widened(logits)?.iter().map(|row| change(row)).collect();
    narrowed(made, logits)
}

fn widened(logits: &Tensor) -> Result<Vec<Vec<f64>>> {
    let rows = logits.to_vec2::<f32>()?;
    Ok(rows.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect())
}

fn narrowed(rows: Vec<Vec<f64>>, like: &Tensor) -> Result<Tensor> {
    let flat: Vec<f32> = rows.into_iter().flatten().map(|v| v as f32).collect();
    Tensor::from_vec(flat, like.shape(), like.device())
}

fn largest(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn divided(row: &[f64], by: f64) -> Vec<f64> {
    row.iter().map(|v| v / by).collect()
}

fn normalised(row: &[f64]) -> Vec<f64> {
    divided(row, row.iter().sum())
}

fn softmax(row: &[f64]) -> Vec<f64> {
    let max = largest(row);
    normalised(&row.iter().map(|l| (l - max).exp()).collect::<Vec<f64>>())
}

/// The values of `row` where `keep` says so of `by`, and `removed` elsewhere.
fn kept(row: &[f64], by: &[f64], removed: f64, keep: impl Fn(f64) -> bool) -> Vec<f64> {
    row.iter().zip(by).map(|(&v, &b)| if keep(b) { v } else { removed }).collect()
}

/// Another rule for which probabilities stay: it is given the probability, the row's largest, and min_p.
fn ruled(logits: &Tensor, t: f64, m: f64, rule: impl Fn(f64, f64, f64) -> bool) -> Result<Tensor> {
    rows(logits, |row| {
        let p = softmax(&divided(row, t));
        let max = largest(&p);
        normalised(&kept(&p, &p, 0.0, |p| rule(p, max, m)))
    })
}

/// The right answer in f64, for the flaws that lie elsewhere and for the tests.
pub fn right(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    ruled(logits, t, m, |p, max, m| p >= m * max)
}

pub fn absolute(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    ruled(logits, t, m, |p, _, m| p >= m)
}

pub fn absolute_keeps_one(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    ruled(logits, t, m, |p, max, m| p >= m || p == max)
}

pub fn strict(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    ruled(logits, t, m, |p, max, m| p > m * max)
}

pub fn inverted(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    ruled(logits, t, m, |p, max, m| p < m * max)
}

pub fn one_minus(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    ruled(logits, t, m, |p, max, m| p >= (1.0 - m) * max)
}

pub fn strict_keeps_one(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let p = softmax(&divided(row, t));
        let max = largest(&p);
        let mut stays = kept(&p, &p, 0.0, |p| p > m * max);
        if let Some(first) = p.iter().position(|&p| p == max) {
            stays[first] = max;
        }
        normalised(&stays)
    })
}

pub fn on_logits(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let row = divided(row, t);
        let max = largest(&row);
        normalised(&kept(&softmax(&row), &row, 0.0, |l| l >= m * max))
    })
}

pub fn without_logarithm(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let row = divided(row, t);
        let max = largest(&row);
        normalised(&kept(&softmax(&row), &row, 0.0, |l| l >= max - m))
    })
}

pub fn nucleus(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let p = softmax(&divided(row, t));
        // Stays while the mass of what is more probable is below m.
        let before = |v: f64| p.iter().filter(|&&other| other > v).sum::<f64>();
        let max = largest(&p);
        normalised(&kept(&p, &p, 0.0, |v| v == max || before(v) < m))
    })
}

pub fn temperature_last(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let p = softmax(row);
        let max = largest(&p);
        softmax(&divided(&kept(row, &p, f64::NEG_INFINITY, |p| p >= m * max), t))
    })
}

pub fn temperature_forgotten_after(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let heated = softmax(&divided(row, t));
        let max = largest(&heated);
        softmax(&kept(row, &heated, f64::NEG_INFINITY, |p| p >= m * max))
    })
}

pub fn maximum_before_temperature(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let p = softmax(&divided(row, t));
        let max = largest(&softmax(row));
        normalised(&kept(&p, &p, 0.0, |p| p >= m * max))
    })
}

pub fn temperature_ignored(logits: &Tensor, _t: f64, m: f64) -> Result<Tensor> {
    right(logits, 1.0, m)
}

pub fn temperature_multiplied(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    right(logits, 1.0 / t, m)
}

pub fn not_renormalised(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let p = softmax(&divided(row, t));
        let max = largest(&p);
        kept(&p, &p, 0.0, |p| p >= m * max)
    })
}

pub fn zero_for_removed(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let row = divided(row, t);
        let p = softmax(&row);
        let max = largest(&p);
        softmax(&kept(&row, &p, 0.0, |p| p >= m * max))
    })
}

pub fn softmax_twice(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let p = softmax(&divided(row, t));
        let max = largest(&p);
        softmax(&kept(&p, &p, f64::NEG_INFINITY, |p| p >= m * max))
    })
}

pub fn masked_logits(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let row = divided(row, t);
        let p = softmax(&row);
        let max = largest(&p);
        kept(&row, &p, f64::NEG_INFINITY, |p| p >= m * max)
    })
}

/// In f32, where e⁸⁹ is already too large.
pub fn no_max(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    rows(logits, |row| {
        let weights: Vec<f64> = row.iter().map(|l| f64::from(((l / t) as f32).exp())).collect();
        let p = normalised(&weights);
        let max = largest(&p);
        normalised(&kept(&p, &p, 0.0, |p| p >= m * max))
    })
}

pub fn one_maximum_for_all(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    let p: Vec<Vec<f64>> = widened(logits)?.iter().map(|row| softmax(&divided(row, t))).collect();
    let max = p.iter().map(|row| largest(row)).fold(0.0, f64::max);
    let filtered = p.iter().map(|row| normalised(&kept(row, row, 0.0, |p| p >= m * max))).collect();
    narrowed(filtered, logits)
}

pub fn over_the_batch(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    right(&logits.t()?, t, m)?.t()?.contiguous()
}

pub fn mutates(logits: &Tensor, t: f64, m: f64) -> Result<Tensor> {
    let output = right(logits, t, m)?;
    if logits.is_contiguous() {
        logits.slice_set(&masked_logits(logits, t, m)?, 0, 0)?;
    }
    Ok(output)
}
