//! A sampler and a decode loop for left-padded batches, as transformers' `generate` does it.
//!
//! B rows · T prompt tokens · N tokens fed · V vocabulary

use super::{Decoder, GenerationConfig};
use candle_core::{D, DType, IndexOp, Result, Tensor};

/// logits (B, V) → one token id a row. Temperature, then top-k, then top-p, then one uniform a row against the CDF.
pub fn sample_next_token(
    logits: &Tensor,
    temperature: f64,
    top_k: usize,
    top_p: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Vec<u32>> {
    let rows = logits.to_dtype(DType::F32)?.to_vec2::<f32>()?;
    let pick = |row: &Vec<f32>| match temperature {
        0.0 => argmax(row),
        _ => draw(&distribution(row, temperature, top_k, top_p), uniform()),
    };
    Ok(rows.iter().map(pick).collect())
}

/// The first of the largest.
fn argmax(logits: &[f32]) -> u32 {
    (1..logits.len()).fold(0, |best, id| if logits[id] > logits[best] { id } else { best }) as u32
}

/// Token ids, the largest logit first; of equal ones the smaller id first (the sort is stable).
fn by_rank(logits: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].partial_cmp(&logits[a]).unwrap_or(std::cmp::Ordering::Equal));
    order
}

/// The weight of every token, 0 where it was removed; what they sum to does not matter.
fn distribution(logits: &[f32], temperature: f64, top_k: usize, top_p: f64) -> Vec<f64> {
    let mut kept = by_rank(logits);
    let max = f64::from(logits[kept[0]]);
    let weight = |id: usize| ((f64::from(logits[id]) - max) / temperature).exp();
    if top_k > 0 {
        kept.truncate(top_k);
    }
    if top_p < 1.0 {
        // The masses are those of what top-k left, so the sum is over `kept`.
        let sum: f64 = kept.iter().map(|&id| weight(id)).sum();
        let mut before = 0.0;
        let reached = kept.iter().position(|&id| {
            let drop = before / sum >= top_p;
            before += weight(id);
            drop
        });
        kept.truncate(reached.unwrap_or(kept.len()).max(1));
    }
    let mut weights = vec![0.0; logits.len()];
    kept.into_iter().for_each(|id| weights[id] = weight(id));
    weights
}

/// The smallest id whose cumulative share exceeds `u`.
fn draw(weights: &[f64], u: f64) -> u32 {
    let sum: f64 = weights.iter().sum();
    let mut cumulative = 0.0;
    let exceeds = |weight: &f64| {
        cumulative += weight;
        cumulative > u * sum
    };
    // Rounding can leave the last sum at u when u is almost 1: then it is the last token that was kept.
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    weights.iter().position(exceeds).unwrap_or(last) as u32
}

/// input_ids and attention_mask (B, T), left-padded → (B, T + generated).
pub fn generate(
    model: &mut dyn Decoder,
    input_ids: &Tensor,
    attention_mask: &Tensor,
    config: &GenerationConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Tensor> {
    let (b, t) = input_ids.dims2()?;
    let steps = config.max_new_tokens.min(model.context().saturating_sub(t));
    let mut sequence = input_ids.clone(); // (B, T + generated)
    let mut mask = attention_mask.clone(); // (B, T + generated)
    let mut positions = positions_of(attention_mask)?; // (B, N)
    let mut fed = input_ids.clone(); // (B, N): first the prompt, then the newest token alone
    let mut finished = vec![false; b];
    for _ in 0..steps {
        let logits = model.feed(&fed, &positions, &mask)?; // (B, N, V)
        let last = logits.i((.., fed.dim(1)? - 1))?; // (B, V)
        let mut next = sample_next_token(&last, config.temperature, config.top_k, config.top_p, uniform)?;
        for (token, finished) in next.iter_mut().zip(&mut finished) {
            if *finished {
                *token = config.pad;
            }
            *finished |= *token == config.eos;
        }
        fed = Tensor::from_vec(next, (b, 1), input_ids.device())?;
        sequence = Tensor::cat(&[&sequence, &fed], 1)?;
        if finished.iter().all(|&finished| finished) {
            break;
        }
        positions = (positions.i((.., positions.dim(1)? - 1..))? + 1.0)?; // (B, 1)
        mask = Tensor::cat(&[&mask, &mask.ones_like()?.i((.., ..1))?], 1)?;
    }
    Ok(sequence)
}

/// cumsum(mask) − 1, and 0 where the mask hides: the first real token of a row stands at position 0.
fn positions_of(mask: &Tensor) -> Result<Tensor> {
    let count = mask.to_dtype(DType::F32)?.cumsum(D::Minus1)?;
    (count - 1.0)?.maximum(0.0)?.to_dtype(DType::U32)
}
