//! Temperature, top-k (Fan et al. 2018), top-p (Holtzman et al. 2020), and one draw by inverse CDF.

use candle_core::{DType, Result, Tensor};

/// logits (B, V) → one id a row.
pub fn sample_token(
    logits: &Tensor,
    temperature: f64,
    top_k: usize,
    top_p: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Vec<u32>> {
    let rows = logits.to_dtype(DType::F64)?.to_vec2::<f64>()?;
    Ok(rows.iter().map(|row| sample_row(row, temperature, top_k, top_p, uniform)).collect())
}

fn sample_row(row: &[f64], temperature: f64, top_k: usize, top_p: f64, uniform: &mut dyn FnMut() -> f64) -> u32 {
    // Falling logits; of equals the smaller id first (the sort is stable).
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
    if temperature == 0.0 {
        return order[0] as u32;
    }
    if top_k > 0 && top_k < row.len() {
        // Whatever equals the k-th stays.
        let threshold = row[order[top_k - 1]];
        order.retain(|&id| row[id] >= threshold);
    }
    // The softmax of what is left: top-p is a share of the distribution that is drawn from.
    let max = row[order[0]];
    let weight: Vec<f64> = order.iter().map(|&id| ((row[id] - max) / temperature).exp()).collect();
    let sum: f64 = weight.iter().sum();
    if top_p < 1.0 {
        let mut before = 0.0;
        let crossing = weight.iter().position(|w| {
            before += w / sum;
            before >= top_p - 1e-6 // sums of floats: .5 must be .5
        });
        order.truncate(crossing.map_or(order.len(), |at| at + 1));
    }
    draw(row, order, max, temperature, uniform())
}

/// The smallest id whose cumulative probability, ids in order, exceeds `u`.
fn draw(row: &[f64], mut kept: Vec<usize>, max: f64, temperature: f64, u: f64) -> u32 {
    kept.sort_unstable();
    let weight = |id: usize| ((row[id] - max) / temperature).exp();
    let total: f64 = kept.iter().map(|&id| weight(id)).sum();
    let mut cumulative = 0.0;
    for &id in &kept {
        cumulative += weight(id) / total;
        if cumulative > u {
            return id as u32;
        }
    }
    // Rounding may leave the sum a little below 1.
    kept.iter().rev().copied().find(|&id| weight(id) > 0.0).unwrap_or(kept[0]) as u32
}
