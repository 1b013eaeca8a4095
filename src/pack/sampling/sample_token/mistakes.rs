//! What goes wrong at speed in a sampler: one sampler, with a switch for each mistake.

use candle_core::{DType, Error, Result, Tensor};
use std::cmp::Ordering::Equal;

type Uniform<'a> = &'a mut dyn FnMut() -> f64;

#[derive(Clone, Copy, PartialEq)]
pub enum Flaw {
    /// Another formulation of the right answer, for the tests.
    #[cfg(test)]
    Flawless,
    Common,
    OnePastTheBoundary,
    MaskNotShifted,
    CrossingExcluded,
    ScatterForgotten,
    Gathered,
    RankReturned,
    TemperatureMultiplied,
    TemperatureIgnored,
    TemperatureLast,
    ZeroTemperatureDivides,
    DrawsWhenGreedy,
    LastMaximum,
    SmallestK,
    OneTooFew,
    KNotClamped,
    TopKIgnored,
    ExactlyK,
    TopPIgnored,
    ZeroPIsOff,
    LargestRemoved,
    ZeroForRemoved,
    Ascending,
    SumOfLogits,
    SharedThreshold,
    PBeforeK,
    Mutates,
    Argmax,
    NoMax,
    NotRenormalised,
    AtLeastU,
    EvenAmongKept,
    OneDrawForAll,
    RankOrder,
}

use Flaw::*;

/// Weights that sum to one; without the maximum taken off where the flaw says so.
fn softmax(logits: &[f64], flaw: Flaw) -> Vec<f64> {
    let max = if flaw == NoMax { 0.0 } else { logits.iter().copied().fold(f64::NEG_INFINITY, f64::max) };
    let weights: Vec<f64> = logits.iter().map(|l| (l - max).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

fn falling(logits: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].partial_cmp(&logits[a]).unwrap_or(Equal));
    order
}

/// What a removed logit becomes.
fn removed(flaw: Flaw) -> f64 {
    if flaw == ZeroForRemoved { 0.0 } else { f64::NEG_INFINITY }
}

fn keep_k(logits: &mut [f64], k: usize, flaw: Flaw, shared: Option<f64>) -> Result<()> {
    let v = logits.len();
    if k == 0 || flaw == TopKIgnored {
        return Ok(());
    }
    if k > v {
        let refused = matches!(flaw, Common | KNotClamped);
        return if refused { Err(Error::Msg("k is larger than the vocabulary".to_owned())) } else { Ok(()) };
    }
    let k = if flaw == OneTooFew { k - 1 } else { k };
    let mut order = falling(logits);
    if flaw == SmallestK {
        order.reverse();
    }
    if matches!(flaw, ExactlyK | SmallestK) || k == 0 {
        order[k..].iter().for_each(|&id| logits[id] = removed(flaw));
    } else {
        let threshold = shared.unwrap_or(logits[order[k - 1]]);
        logits.iter_mut().filter(|l| **l < threshold).for_each(|l| *l = removed(flaw));
    }
    Ok(())
}

fn keep_p(logits: &mut [f64], p: f64, flaw: Flaw) {
    let off = match flaw {
        TopPIgnored => true,
        Common => p == 0.0,
        ZeroPIsOff => p == 0.0 || p >= 1.0,
        _ => p >= 1.0,
    };
    if off {
        return;
    }
    let mut order = falling(logits);
    if flaw == Ascending {
        order.reverse();
    }
    let probabilities = softmax(logits, flaw);
    let mut before = 0.0;
    let mut remove: Vec<bool> = Vec::new();
    for &id in &order {
        // A sum of logits would stay −inf for ever after a removed one.
        let mass = if flaw == SumOfLogits { logits[id].max(-1e3) } else { probabilities[id] };
        let after = before + mass;
        remove.push(match flaw {
            MaskNotShifted | CrossingExcluded => after > p,
            Common | OnePastTheBoundary => before > p,
            _ => before >= p,
        });
        before = after;
    }
    match flaw {
        MaskNotShifted => {}
        LargestRemoved => remove[0] = true,
        _ => remove[0] = false,
    }
    for (rank, &id) in order.iter().enumerate() {
        match flaw {
            // The mask of the sorted row is laid over the unsorted one.
            ScatterForgotten if remove[rank] => logits[rank] = removed(flaw),
            // mask[i] = sorted_mask[order[i]] instead of mask[order[i]] = sorted_mask[i].
            Gathered if remove[id] => logits[rank] = removed(flaw),
            ScatterForgotten | Gathered => {}
            _ if remove[rank] => logits[id] = removed(flaw),
            _ => {}
        }
    }
}

/// One draw from the filtered logits; `all` are the same logits before the filters.
fn draw(logits: &[f64], all: &[f64], flaw: Flaw, u: f64) -> Result<u32> {
    let probabilities = softmax(logits, flaw);
    if probabilities.iter().any(|p| p.is_nan()) {
        return Err(Error::Msg("nothing is left to draw from".to_owned()));
    }
    let ranked = matches!(flaw, RankOrder | RankReturned);
    let mut ids: Vec<usize> = if ranked { falling(logits) } else { (0..logits.len()).collect() };
    if flaw != AtLeastU {
        ids.retain(|&id| probabilities[id] > 0.0);
    }
    if flaw == EvenAmongKept {
        return Ok(ids[(u * ids.len() as f64) as usize] as u32);
    }
    let shares = if flaw == NotRenormalised { softmax(all, flaw) } else { probabilities };
    let mut cumulative = 0.0;
    let reached = ids.iter().position(|&id| {
        cumulative += shares[id];
        if flaw == AtLeastU { cumulative >= u } else { cumulative > u }
    });
    let at = reached.unwrap_or(ids.len() - 1);
    Ok(if flaw == RankReturned { at } else { ids[at] } as u32)
}

fn greedy(row: &[f64], flaw: Flaw) -> u32 {
    let order = falling(row);
    let last = order.iter().rev().find(|&&id| row[id] == row[order[0]]).copied().unwrap_or(0);
    if flaw == LastMaximum { last as u32 } else { order[0] as u32 }
}

/// Divides by the temperature, or does what the flaw does instead.
fn heat(row: &mut [f64], temperature: f64, flaw: Flaw) {
    row.iter_mut().for_each(|l| match flaw {
        TemperatureMultiplied => *l *= temperature,
        TemperatureIgnored => {}
        _ => *l /= temperature.max(1e-8),
    });
}

/// Temperature, top-k and top-p in the flaw's order. Returns the row as it was before the filters.
fn filter(row: &mut [f64], t: f64, k: usize, p: f64, flaw: Flaw, shared: Option<f64>) -> Result<Vec<f64>> {
    if flaw != TemperatureLast {
        heat(row, t, flaw);
    }
    let all = row.to_vec();
    if flaw == PBeforeK {
        keep_p(row, p, flaw);
        keep_k(row, k, flaw, None)?;
    } else {
        keep_k(row, k, flaw, shared)?;
        keep_p(row, p, flaw);
    }
    if flaw == TemperatureLast {
        heat(row, t, flaw);
    }
    Ok(all)
}

pub fn run(flaw: Flaw, logits: &Tensor, t: f64, k: usize, p: f64, uniform: Uniform) -> Result<Vec<u32>> {
    let mut rows = logits.to_dtype(DType::F64)?.to_vec2::<f64>()?;
    let shared = (flaw == SharedThreshold && t > 0.0 && k > 0 && k <= rows[0].len())
        .then(|| rows[0][falling(&rows[0])[k - 1]] / t);
    let (mut shared_u, mut out) = (None, Vec::new());
    for row in &mut rows {
        if flaw == Argmax || (t == 0.0 && !matches!(flaw, Common | ZeroTemperatureDivides)) {
            if flaw == DrawsWhenGreedy || (flaw == Argmax && t != 0.0) {
                uniform();
            }
            out.push(greedy(row, flaw));
            continue;
        }
        let all = filter(row, t, k, p, flaw, shared)?;
        let u = if flaw == OneDrawForAll { *shared_u.get_or_insert_with(&mut *uniform) } else { uniform() };
        out.push(draw(row, &all, flaw, u)?);
    }
    if flaw == Mutates && t != 0.0 {
        let filtered: Vec<f32> = rows.into_iter().flatten().map(|l| l as f32).collect();
        logits.slice_set(&Tensor::from_vec(filtered, logits.shape(), logits.device())?, 0, 0)?;
    }
    Ok(out)
}

macro_rules! flaws {
    ($($name:ident: $flaw:ident)+) => {
        $(pub fn $name(logits: &Tensor, t: f64, k: usize, p: f64, uniform: Uniform) -> Result<Vec<u32>> {
            run(Flaw::$flaw, logits, t, k, p, uniform)
        })+
    };
}

flaws! {
    common: Common
    one_past_the_boundary: OnePastTheBoundary
    mask_not_shifted: MaskNotShifted
    crossing_excluded: CrossingExcluded
    scatter_forgotten: ScatterForgotten
    gathered: Gathered
    rank_returned: RankReturned
    temperature_multiplied: TemperatureMultiplied
    temperature_ignored: TemperatureIgnored
    temperature_last: TemperatureLast
    zero_temperature_divides: ZeroTemperatureDivides
    draws_when_greedy: DrawsWhenGreedy
    last_maximum: LastMaximum
    smallest_k: SmallestK
    one_too_few: OneTooFew
    k_not_clamped: KNotClamped
    top_k_ignored: TopKIgnored
    exactly_k: ExactlyK
    top_p_ignored: TopPIgnored
    zero_p_is_off: ZeroPIsOff
    largest_removed: LargestRemoved
    zero_for_removed: ZeroForRemoved
    ascending: Ascending
    sum_of_logits: SumOfLogits
    shared_threshold: SharedThreshold
    p_before_k: PBeforeK
    mutates: Mutates
    argmax: Argmax
    no_max: NoMax
    not_renormalised: NotRenormalised
    at_least_u: AtLeastU
    even_among_kept: EvenAmongKept
    one_draw_for_all: OneDrawForAll
    rank_order: RankOrder
}
