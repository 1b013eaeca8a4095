//! What goes wrong at speed in contrastive search: the rule for one row, with a part of it replaced.

use super::Attempt;
use candle_core::{Result, Tensor};

/// One row of the batch.
struct Row {
    logits: Vec<f64>,
    ids: Vec<usize>,
    hidden: Vec<Vec<f64>>,
    context: Vec<Vec<f64>>,
    is_text: Vec<bool>,
}

/// The parts of the rule.
#[derive(Clone, Copy)]
struct Way {
    /// What stands for the probability of a candidate.
    confidence: fn(&Row, usize) -> f64,
    similarity: fn(&[f64], &[f64]) -> f64,
    /// What becomes of the similarities of one candidate, given which are text.
    reduce: fn(&[f64], &[bool]) -> f64,
    /// Probability, similarity, α.
    score: fn(f64, f64, f64) -> f64,
    /// The place of the chosen candidate.
    choose: fn(&Row, &[f64]) -> usize,
    /// The place instead of the id.
    returns_place: bool,
    /// One row's context for all.
    first_context: bool,
    /// Every feature normalised over the positions.
    over_positions: bool,
}

const RIGHT: Way = Way {
    confidence: |row, at| softmax(&row.logits)[row.ids[at]],
    similarity: |a, b| over(dot(a, b), length(a) * length(b)),
    reduce: |similarities, is_text| {
        largest(similarities.iter().zip(is_text).filter(|(_, text)| **text).map(|(s, _)| *s))
    },
    score: |p, similarity, alpha| (1.0 - alpha) * p - alpha * similarity,
    choose: |_, scores| best(scores),
    returns_place: false,
    first_context: false,
    over_positions: false,
};

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn over(product: f64, lengths: f64) -> f64 {
    if lengths > 0.0 { product / lengths } else { 0.0 }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let max = largest(logits.iter().copied());
    let weights: Vec<f64> = logits.iter().map(|l| (l - max).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

fn best(scores: &[f64]) -> usize {
    (0..scores.len()).fold(0, |best, at| if scores[at] > scores[best] { at } else { best })
}

fn of_text(similarities: &[f64], is_text: &[bool]) -> Vec<f64> {
    similarities.iter().zip(is_text).filter(|(_, text)| **text).map(|(s, _)| *s).collect()
}

/// Divides every feature by its length over the positions.
fn across(vectors: &mut [Vec<f64>]) {
    for feature in 0..vectors.first().map_or(0, Vec::len) {
        let length = vectors.iter().map(|v| v[feature] * v[feature]).sum::<f64>().sqrt();
        vectors.iter_mut().for_each(|v| v[feature] = over(v[feature], length));
    }
}

fn wide(tensor: &Tensor) -> Result<Vec<Vec<Vec<f64>>>> {
    tensor.to_dtype(candle_core::DType::F64)?.to_vec3()
}

fn run(way: Way, [logits, ids, hidden, context, mask]: [&Tensor; 5], alpha: f64) -> Result<(Tensor, Vec<u32>)> {
    let all = logits.to_dtype(candle_core::DType::F64)?.to_vec2::<f64>()?;
    let (ids, mask) = (ids.to_vec2::<u32>()?, mask.to_vec2::<u32>()?);
    let (hidden, context) = (wide(hidden)?, wide(context)?);
    let (mut scores, mut chosen) = (Vec::new(), Vec::new());
    for (b, logits) in all.into_iter().enumerate() {
        let from = if way.first_context { 0 } else { b };
        let mut row = Row {
            logits,
            ids: ids[b].iter().map(|&id| id as usize).collect(),
            hidden: hidden[b].clone(),
            context: context[from].clone(),
            is_text: mask[from].iter().map(|&m| m != 0).collect(),
        };
        if way.over_positions {
            across(&mut row.hidden);
            across(&mut row.context);
        }
        let row_scores: Vec<f64> = (0..row.ids.len()).map(|at| score(way, &row, at, alpha)).collect();
        let place = (way.choose)(&row, &row_scores);
        chosen.push(if way.returns_place { place } else { row.ids[place] } as u32);
        scores.extend(row_scores.into_iter().map(|score| score as f32));
    }
    Ok((Tensor::from_vec(scores, (ids.len(), ids[0].len()), logits.device())?, chosen))
}

fn score(way: Way, row: &Row, at: usize, alpha: f64) -> f64 {
    let similarities: Vec<f64> = row.context.iter().map(|h| (way.similarity)(&row.hidden[at], h)).collect();
    (way.score)((way.confidence)(row, at), (way.reduce)(&similarities, &row.is_text), alpha)
}

macro_rules! ways {
    ($($(#[$attribute:meta])* $name:ident: $($field:ident = $value:expr),*;)+) => {
        $($(#[$attribute])* pub const $name: Attempt = |logits, ids, hidden, context, mask, alpha| {
            run(Way { $($field: $value,)* ..RIGHT }, [logits, ids, hidden, context, mask], alpha)
        };)+
    };
}

ways! {
    #[cfg(test)] FLAWLESS: returns_place = false;
    INNER_PRODUCT: similarity = dot;
    CANDIDATE_ONLY_NORMALISED: similarity = |a, b| over(dot(a, b), length(a));
    CONTEXT_ONLY_NORMALISED: similarity = |a, b| over(dot(a, b), length(b));
    SQUARED_LENGTHS: similarity = |a, b| over(dot(a, b), dot(a, a) * dot(b, b));
    ABSOLUTE: similarity = |a, b| over(dot(a, b), length(a) * length(b)).abs();
    ZERO_OVER_ZERO: similarity = |a, b| dot(a, b) / (length(a) * length(b)),
        // As a tensor's maximum does it: NaN wins.
        reduce = |s, is_text| of_text(s, is_text).into_iter().fold(f64::NEG_INFINITY, |a, b| {
            if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
        });
    MEAN: reduce = |s, is_text| {
        let s = of_text(s, is_text);
        s.iter().sum::<f64>() / s.len() as f64
    };
    SUM: reduce = |s, is_text| of_text(s, is_text).iter().sum();
    MINIMUM: reduce = |s, is_text| of_text(s, is_text).into_iter().fold(f64::INFINITY, f64::min);
    LAST_ONLY: reduce = |s, is_text| of_text(s, is_text).last().copied().unwrap_or(0.0);
    PADDING_INCLUDED: reduce = |s, _| largest(s.iter().copied());
    PADDING_AS_ZERO: reduce = |s, is_text| {
        largest(s.iter().zip(is_text).map(|(s, text)| if *text { *s } else { 0.0 }))
    };
    MASK_INVERTED: reduce = |s, is_text| largest(s.iter().zip(is_text).filter(|(_, text)| !**text).map(|(s, _)| *s));
    ITSELF_INCLUDED: reduce = |_, _| 1.0;
    NOT_BELOW_ZERO: reduce = |s, is_text| largest(of_text(s, is_text).into_iter()).max(0.0);
    RAW_LOGITS: confidence = |row, at| row.logits[row.ids[at]];
    LOG_PROBABILITIES: confidence = |row, at| softmax(&row.logits)[row.ids[at]].ln();
    OVER_CANDIDATES: confidence = |row, at| {
        let chosen: Vec<f64> = row.ids.iter().map(|&id| row.logits[id]).collect();
        softmax(&chosen)[at]
    };
    PROBABILITY_BY_PLACE: confidence = |row, at| softmax(&row.logits)[at];
    ALPHA_SWAPPED: score = |p, similarity, alpha| alpha * p - (1.0 - alpha) * similarity;
    SIMILARITY_ADDED: score = |p, similarity, alpha| (1.0 - alpha) * p + alpha * similarity;
    PROBABILITY_UNWEIGHTED: score = |p, similarity, alpha| p - alpha * similarity;
    PENALTY_UNWEIGHTED: score = |p, similarity, alpha| (1.0 - alpha) * p - similarity;
    MULTIPLIED: score = |p, similarity, alpha| p * (1.0 - alpha * similarity);
    LOWEST: choose = |_, scores| best(&scores.iter().map(|s| -s).collect::<Vec<f64>>());
    MOST_PROBABLE: choose = |row, _| best(&row.ids.iter().map(|&id| row.logits[id]).collect::<Vec<f64>>());
    PLACE_RETURNED: returns_place = true;
    FIRST_CONTEXT: first_context = true;
    OVER_POSITIONS: similarity = dot, over_positions = true;
}
