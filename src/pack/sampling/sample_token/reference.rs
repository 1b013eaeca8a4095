//! Temperature, top-k (Fan et al. 2018), top-p (Holtzman et al. 2020), and one draw by inverse CDF.

use candle_core::{DType, Result, Tensor};
use std::cmp::Ordering::Equal;

/// logits (B, V) → one id a row.
pub fn sample_token(
    logits: &Tensor,
    temperature: f64,
    top_k: usize,
    top_p: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Vec<u32>> {
    let rows = logits.to_dtype(DType::F64)?.to_vec2::<f64>()?;
    let pick = |row: &Vec<f64>| {
        let mut kept = by_rank(row);
        if temperature == 0.0 {
            return kept[0] as u32; // greedy: nothing is drawn
        }
        // With the maximum taken off, the largest weight is e⁰: nothing overflows, however cold it gets.
        let max = row[kept[0]];
        let weight = |id: usize| ((row[id] - max) / temperature).exp();
        if top_k > 0 {
            keep_top_k(row, &mut kept, top_k);
        }
        if top_p < 1.0 {
            keep_top_p(&mut kept, top_p, &weight);
        }
        draw(kept, &weight, uniform()) as u32
    };
    Ok(rows.iter().map(pick).collect())
}

/// Ids by falling logit; of equal ones the smaller id comes first, since the sort is stable.
fn by_rank(row: &[f64]) -> Vec<usize> {
    let mut ids: Vec<usize> = (0..row.len()).collect();
    ids.sort_by(|&a, &b| row[b].partial_cmp(&row[a]).unwrap_or(Equal));
    ids
}

/// The k largest, and whatever equals the k-th.
fn keep_top_k(row: &[f64], ranked: &mut Vec<usize>, k: usize) {
    let kth = row[ranked[k.min(ranked.len()) - 1]];
    ranked.retain(|&id| row[id] >= kth);
}

/// A token goes when the mass before it is p or more; the first always stays. The masses are shares of what top-k left.
fn keep_top_p(ranked: &mut Vec<usize>, p: f64, weight: &dyn Fn(usize) -> f64) {
    let sum: f64 = ranked.iter().map(|&id| weight(id)).sum();
    let mut before = 0.0;
    let goes = ranked.iter().position(|&id| {
        let goes = before / sum >= p;
        before += weight(id);
        goes
    });
    ranked.truncate(goes.unwrap_or(ranked.len()).max(1));
}

/// The smallest id whose cumulative share of the kept, ids in order, exceeds `u`.
fn draw(mut kept: Vec<usize>, weight: &dyn Fn(usize) -> f64, u: f64) -> usize {
    kept.retain(|&id| weight(id) > 0.0);
    kept.sort_unstable();
    let sum: f64 = kept.iter().map(|&id| weight(id)).sum();
    let mut cumulative = 0.0;
    let reached = kept.iter().position(|&id| {
        cumulative += weight(id);
        cumulative > u * sum
    });
    // Rounding can leave the whole sum at u when u is almost 1: then it is the last that was kept.
    kept[reached.unwrap_or(kept.len() - 1)]
}
