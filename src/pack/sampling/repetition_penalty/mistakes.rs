//! What goes wrong at speed in a repetition penalty.

use candle_core::{Result, Tensor};
use std::collections::BTreeSet;

type Contexts<'a> = &'a [Vec<u32>];

/// Every row with its context, changed in f64.
fn rows(logits: &Tensor, context: Contexts, change: impl Fn(&mut [f64], &[u32])) -> Result<Tensor> {
    let mut rows = widened(logits)?;
    rows.iter_mut().zip(context).for_each(|(row, ids)| change(row, ids));
    narrowed(rows, logits)
}

fn widened(logits: &Tensor) -> Result<Vec<Vec<f64>>> {
    let rows = logits.to_vec2::<f32>()?;
    Ok(rows.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect())
}

fn narrowed(rows: Vec<Vec<f64>>, like: &Tensor) -> Result<Tensor> {
    let flat: Vec<f32> = rows.into_iter().flatten().map(|l| l as f32).collect();
    Tensor::from_vec(flat, like.shape(), like.device())
}

fn weakened(logit: f64, penalty: f64) -> f64 {
    if logit > 0.0 { logit / penalty } else { logit * penalty }
}

fn distinct(ids: &[u32]) -> BTreeSet<usize> {
    ids.iter().map(|&id| id as usize).collect()
}

/// Another rule for the logit of a seen id.
fn ruled(logits: &Tensor, context: Contexts, rule: impl Fn(f64) -> f64) -> Result<Tensor> {
    rows(logits, context, |row, ids| distinct(ids).into_iter().for_each(|id| row[id] = rule(row[id])))
}

/// The right rule for other ids.
fn chosen(
    logits: &Tensor,
    context: Contexts,
    penalty: f64,
    ids: impl Fn(&[u32], usize) -> Vec<usize>,
) -> Result<Tensor> {
    rows(logits, context, |row, seen| {
        ids(seen, row.len()).into_iter().for_each(|id| row[id] = weakened(row[id], penalty))
    })
}

fn log_softmax(row: &mut [f64]) {
    let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log_sum = row.iter().map(|l| (l - max).exp()).sum::<f64>().ln();
    row.iter_mut().for_each(|l| *l -= max + log_sum);
}

/// The right answer, for the flaws that lie elsewhere and for the tests.
pub fn right(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    ruled(logits, context, |l| weakened(l, penalty))
}

pub fn always_divides(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    ruled(logits, context, |l| l / penalty)
}

pub fn always_multiplies(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    ruled(logits, context, |l| l * penalty)
}

pub fn negative_only(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    ruled(logits, context, |l| if l < 0.0 { l * penalty } else { l })
}

pub fn positive_only(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    ruled(logits, context, |l| if l > 0.0 { l / penalty } else { l })
}

pub fn branches_swapped(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    ruled(logits, context, |l| if l > 0.0 { l * penalty } else { l / penalty })
}

pub fn subtracts(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    ruled(logits, context, |l| l - penalty)
}

pub fn per_occurrence(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    chosen(logits, context, penalty, |seen, _| seen.iter().map(|&id| id as usize).collect())
}

pub fn dedup_unsorted(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    chosen(logits, context, penalty, |seen, _| {
        let mut ids: Vec<usize> = seen.iter().map(|&id| id as usize).collect();
        ids.dedup();
        ids
    })
}

pub fn difference_added(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    rows(logits, context, |row, ids| {
        let before = row.to_vec();
        for &id in ids {
            let id = id as usize;
            // −inf − (−inf) would be NaN.
            if before[id].is_finite() {
                row[id] += weakened(before[id], penalty) - before[id];
            }
        }
    })
}

pub fn unseen(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    chosen(logits, context, penalty, |seen, v| {
        let seen = distinct(seen);
        (0..v).filter(|id| !seen.contains(id)).collect()
    })
}

pub fn everything(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    chosen(logits, context, penalty, |_, v| (0..v).collect())
}

pub fn newest_only(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    chosen(logits, context, penalty, |seen, _| seen.last().map(|&id| id as usize).into_iter().collect())
}

pub fn last_64(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    chosen(logits, context, penalty, |seen, _| distinct(&seen[seen.len().saturating_sub(64)..]).into_iter().collect())
}

pub fn first_context_for_all(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    let shared = vec![context[0].clone(); context.len()];
    right(logits, &shared, penalty)
}

pub fn contexts_joined(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    let joined = vec![context.concat(); context.len()];
    right(logits, &joined, penalty)
}

pub fn mutates(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    let penalised = right(logits, context, penalty)?;
    if logits.is_contiguous() {
        logits.slice_set(&penalised, 0, 0)?;
    }
    Ok(penalised)
}

pub fn probabilities(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    rows(logits, context, |row, ids| {
        log_softmax(row);
        distinct(ids).into_iter().for_each(|id| row[id] -= penalty.ln());
        log_softmax(row);
    })
}

pub fn log_probabilities(logits: &Tensor, context: Contexts, penalty: f64) -> Result<Tensor> {
    rows(logits, context, |row, ids| {
        log_softmax(row);
        distinct(ids).into_iter().for_each(|id| row[id] = weakened(row[id], penalty));
    })
}
