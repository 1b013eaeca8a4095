//! What goes wrong at speed in a sampler: one sampler, with a switch for each mistake.

use candle_core::{DType, Error, Result, Tensor};

type Uniform<'a> = &'a mut dyn FnMut() -> f64;

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    Common,
    MaskNotShifted,
    CrossingExcluded,
    ScatterForgotten,
    Gathered,
    TemperatureMultiplied,
    TemperatureLast,
    SmallestK,
    OneTooFew,
    ZeroForRemoved,
    Ascending,
    SumOfLogits,
    SharedThreshold,
    PBeforeK,
    Argmax,
    ExactlyK,
    RankOrder,
    DrawsWhenGreedy,
    OneDrawForAll,
    LastMaximum,
    LargestKeptIsNot,
    TemperatureIgnored,
    TopKIgnored,
    TopPIgnored,
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logits.iter().map(|l| (l - max).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

fn falling(logits: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    order
}

fn keep_k(logits: &mut [f64], k: usize, flaw: Flaw, shared: Option<f64>) -> Result<()> {
    let v = logits.len();
    if k == 0 || flaw == Flaw::TopKIgnored {
        return Ok(());
    }
    if k > v {
        return if flaw == Flaw::Common {
            Err(Error::Msg("top-k: k is larger than the vocabulary".to_owned()))
        } else {
            Ok(())
        };
    }
    let k = if flaw == Flaw::OneTooFew { k - 1 } else { k };
    let mut order = falling(logits);
    if flaw == Flaw::SmallestK {
        order.reverse();
    }
    let removed = if flaw == Flaw::ZeroForRemoved { 0.0 } else { f64::NEG_INFINITY };
    if flaw == Flaw::ExactlyK || flaw == Flaw::SmallestK || k == 0 {
        order[k.min(v)..].iter().for_each(|&id| logits[id] = removed);
    } else {
        let threshold = shared.unwrap_or(logits[order[k - 1]]);
        logits.iter_mut().filter(|l| **l < threshold).for_each(|l| *l = removed);
    }
    Ok(())
}

fn keep_p(logits: &mut [f64], p: f64, flaw: Flaw) {
    let off = flaw == Flaw::TopPIgnored || if flaw == Flaw::Common { p == 0.0 } else { p >= 1.0 };
    if off {
        return;
    }
    let mut order = falling(logits);
    if flaw == Flaw::Ascending {
        order.reverse();
    }
    let probabilities = softmax(logits);
    let mut before = 0.0;
    let mut remove: Vec<bool> = Vec::new();
    for &id in &order {
        let mass = if flaw == Flaw::SumOfLogits { logits[id].max(-1e3) } else { probabilities[id] };
        let after = before + mass;
        remove.push(match flaw {
            Flaw::MaskNotShifted | Flaw::CrossingExcluded => after > p + 1e-9,
            Flaw::Common => before > p + 1e-6,
            _ => before >= p - 1e-6,
        });
        before = after;
    }
    match flaw {
        Flaw::MaskNotShifted => {}
        Flaw::LargestKeptIsNot => remove[0] = true,
        _ => remove[0] = false,
    }
    let hide = |logits: &mut [f64], id: usize| {
        logits[id] = if flaw == Flaw::ZeroForRemoved { 0.0 } else { f64::NEG_INFINITY };
    };
    for (rank, &id) in order.iter().enumerate() {
        match flaw {
            // The mask of the sorted row is laid over the unsorted one.
            Flaw::ScatterForgotten if remove[rank] => hide(logits, rank),
            Flaw::ScatterForgotten => {}
            // mask[i] = sorted_mask[order[i]] instead of mask[order[i]] = sorted_mask[i].
            Flaw::Gathered if remove[id] => hide(logits, rank),
            Flaw::Gathered => {}
            _ if remove[rank] => hide(logits, id),
            _ => {}
        }
    }
}

fn draw(logits: &[f64], flaw: Flaw, u: f64) -> Result<u32> {
    let probabilities = softmax(logits);
    if probabilities.iter().any(|p| p.is_nan()) {
        return Err(Error::Msg("nothing is left to draw from".to_owned()));
    }
    let ids: Vec<usize> = if flaw == Flaw::RankOrder { falling(logits) } else { (0..logits.len()).collect() };
    let (mut cumulative, mut last) = (0.0, 0);
    for id in ids.into_iter().filter(|&id| probabilities[id] > 0.0) {
        cumulative += probabilities[id];
        last = id;
        if cumulative > u {
            break;
        }
    }
    Ok(last as u32)
}

fn run(flaw: Flaw, logits: &Tensor, temperature: f64, top_k: usize, top_p: f64, uniform: Uniform) -> Result<Vec<u32>> {
    let rows = logits.to_dtype(DType::F64)?.to_vec2::<f64>()?;
    let shared = (flaw == Flaw::SharedThreshold && top_k > 0 && top_k <= rows[0].len())
        .then(|| rows[0][falling(&rows[0])[top_k - 1]] / temperature);
    let mut shared_u = None;
    let mut out = Vec::new();
    for mut row in rows {
        if flaw == Flaw::Argmax || (temperature == 0.0 && flaw != Flaw::Common) {
            let order = falling(&row);
            let last = order.iter().rev().find(|&&id| row[id] == row[order[0]]).copied().unwrap_or(0);
            if flaw == Flaw::DrawsWhenGreedy {
                uniform();
            }
            if flaw == Flaw::Argmax && temperature != 0.0 {
                uniform();
            }
            out.push(if flaw == Flaw::LastMaximum { last } else { order[0] } as u32);
            continue;
        }
        let heat = |row: &mut [f64]| {
            row.iter_mut().for_each(|l| match flaw {
                Flaw::TemperatureMultiplied => *l *= temperature,
                Flaw::TemperatureIgnored => {}
                _ => *l /= temperature.max(1e-8),
            });
        };
        if flaw != Flaw::TemperatureLast {
            heat(&mut row);
        }
        if flaw == Flaw::PBeforeK {
            keep_p(&mut row, top_p, flaw);
            keep_k(&mut row, top_k, flaw, None)?;
        } else {
            keep_k(&mut row, top_k, flaw, shared)?;
            keep_p(&mut row, top_p, flaw);
        }
        if flaw == Flaw::TemperatureLast {
            heat(&mut row);
        }
        let u = if flaw == Flaw::OneDrawForAll { *shared_u.get_or_insert_with(&mut *uniform) } else { uniform() };
        out.push(draw(&row, flaw, u)?);
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
    mask_not_shifted: MaskNotShifted
    crossing_excluded: CrossingExcluded
    scatter_forgotten: ScatterForgotten
    gathered: Gathered
    temperature_multiplied: TemperatureMultiplied
    temperature_last: TemperatureLast
    smallest_k: SmallestK
    one_too_few: OneTooFew
    zero_for_removed: ZeroForRemoved
    ascending: Ascending
    sum_of_logits: SumOfLogits
    shared_threshold: SharedThreshold
    p_before_k: PBeforeK
    argmax: Argmax
    exactly_k: ExactlyK
    rank_order: RankOrder
    draws_when_greedy: DrawsWhenGreedy
    one_draw_for_all: OneDrawForAll
    last_maximum: LastMaximum
    largest_removed: LargestKeptIsNot
    temperature_ignored: TemperatureIgnored
    top_k_ignored: TopKIgnored
    top_p_ignored: TopPIgnored
}
