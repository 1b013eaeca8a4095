//! The wrong samplers: one walk through the stages with a flaw switched on.

use candle_core::{DType, Result, Tensor, bail};
use std::cmp::Ordering::Equal;

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    #[cfg(test)]
    None,
    LastMaximum,
    ZeroTemperatureDraws,
    AlwaysGreedy,
    TemperatureMultiplied,
    TemperatureLast,
    TopKKeepsTies,
    TopKBeyondTheVocabulary,
    TopKZeroKeepsOne,
    TopPBeforeTopK,
    TopPOneFilters,
    MostProbableDropped,
    CrossingTokenDropped,
    BoundaryTokenKept,
    RemovedGetZero,
    MaskNotScattered,
    RankForId,
    OtherRowsOrder,
    NotRenormalised,
    DrawnInRankOrder,
    OneUniformForAll,
}

/// The sampler with this flaw.
pub fn sample(
    flaw: Flaw,
    logits: &Tensor,
    temperature: f64,
    top_k: usize,
    top_p: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Vec<u32>> {
    let rows = logits.to_dtype(DType::F32)?.to_vec2::<f32>()?;
    if temperature == 0.0 && flaw != Flaw::ZeroTemperatureDraws || flaw == Flaw::AlwaysGreedy {
        return Ok(rows.iter().map(|row| argmax(flaw, row)).collect());
    }
    if flaw == Flaw::TopKBeyondTheVocabulary && rows.iter().any(|row| top_k > row.len()) {
        bail!("top-k is out of range")
    }
    let shared = if flaw == Flaw::OneUniformForAll { Some(uniform()) } else { None };
    let first = by_rank(&rows[0]);
    let setting = Setting { flaw, temperature: if temperature == 0.0 { 1e-8 } else { temperature }, top_k, top_p };
    let pick = |row: &Vec<f32>| match shared {
        Some(u) => setting.pick(row, &first, u),
        None => setting.pick(row, &first, uniform()),
    };
    Ok(rows.iter().map(pick).collect())
}

fn argmax(flaw: Flaw, row: &[f32]) -> u32 {
    let order = by_rank(row);
    let ties = order.iter().take_while(|&&id| row[id] == row[order[0]]).count();
    order[if flaw == Flaw::LastMaximum { ties - 1 } else { 0 }] as u32
}

fn by_rank(row: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|&a, &b| row[b].partial_cmp(&row[a]).unwrap_or(Equal));
    order
}

struct Setting {
    flaw: Flaw,
    temperature: f64,
    top_k: usize,
    top_p: f64,
}

impl Setting {
    fn pick(&self, row: &[f32], first_rows_order: &[usize], u: f64) -> u32 {
        let order = by_rank(row);
        let filter_weight = weights(row, if self.flaw == Flaw::TemperatureLast { 1.0 } else { self.divisor() });
        let ranked: Vec<f64> = order.iter().map(|&id| filter_weight[id]).collect();
        let (from, to) = self.kept(row, &order, &ranked);
        let kept: Vec<usize> = match self.flaw {
            Flaw::MaskNotScattered => (from..to).collect(),
            Flaw::OtherRowsOrder => first_rows_order[from..to].to_vec(),
            _ => order[from..to].to_vec(),
        };
        self.draw(row, kept, u)
    }

    fn divisor(&self) -> f64 {
        if self.flaw == Flaw::TemperatureMultiplied { 1.0 / self.temperature } else { self.temperature }
    }

    /// The ranks that are kept, from–to.
    fn kept(&self, row: &[f32], order: &[usize], ranked: &[f64]) -> (usize, usize) {
        let by_k = self.kept_by_k(row, order);
        let considered = if self.flaw == Flaw::TopPBeforeTopK { ranked } else { &ranked[..by_k] };
        let (from, to) = self.kept_by_p(considered);
        (from.min(to.min(by_k)), to.min(by_k))
    }

    fn kept_by_k(&self, row: &[f32], order: &[usize]) -> usize {
        match self.top_k {
            0 if self.flaw == Flaw::TopKZeroKeepsOne => 1,
            0 => order.len(),
            k if self.flaw == Flaw::TopKKeepsTies => {
                let last = row[order[k.min(order.len()) - 1]];
                order.iter().filter(|&&id| row[id] >= last).count()
            }
            k => k.min(order.len()),
        }
    }

    fn kept_by_p(&self, ranked: &[f64]) -> (usize, usize) {
        let (all, sum) = (ranked.len(), ranked.iter().sum::<f64>());
        if self.top_p >= 1.0 {
            return (0, if self.flaw == Flaw::TopPOneFilters { below_one_in_f32(ranked, sum) } else { all });
        }
        let mut before = 0.0;
        let stop = ranked.iter().position(|weight| {
            let mass = before / sum;
            before += weight;
            match self.flaw {
                Flaw::CrossingTokenDropped => before / sum > self.top_p,
                Flaw::BoundaryTokenKept => mass > self.top_p,
                _ => mass >= self.top_p,
            }
        });
        let to = stop.unwrap_or(all).max(1);
        let first_goes = self.flaw == Flaw::MostProbableDropped && ranked[0] / sum > self.top_p;
        (if first_goes { to } else { 0 }, to)
    }

    fn draw(&self, row: &[f32], mut kept: Vec<usize>, u: f64) -> u32 {
        if self.flaw != Flaw::DrawnInRankOrder && self.flaw != Flaw::RankForId {
            kept.sort_unstable();
        }
        let mut weight = weights(row, self.divisor());
        let whole: f64 = weight.iter().sum();
        if self.flaw == Flaw::RemovedGetZero && kept.len() < row.len() {
            let max = f64::from(row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
            let zero = (-max / self.divisor()).exp();
            (0..row.len()).filter(|id| !kept.contains(id)).for_each(|id| weight[id] = zero);
            kept = (0..row.len()).collect();
        }
        let sum: f64 = kept.iter().map(|&id| weight[id]).sum();
        let target = u * if self.flaw == Flaw::NotRenormalised { whole } else { sum };
        let mut cumulative = 0.0;
        let place = kept.iter().position(|&id| {
            cumulative += weight[id];
            cumulative > target
        });
        let place = place.unwrap_or(kept.len().saturating_sub(1));
        let id = kept.get(place).copied().unwrap_or(row.len() - 1);
        if self.flaw == Flaw::RankForId { place as u32 } else { id as u32 }
    }
}

fn weights(row: &[f32], divisor: f64) -> Vec<f64> {
    let max = f64::from(row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    row.iter().map(|&logit| ((f64::from(logit) - max) / divisor).exp()).collect()
}

/// How many ranks a cumulative sum in f32 leaves below 1.
fn below_one_in_f32(ranked: &[f64], sum: f64) -> usize {
    let mut before = 0.0f32;
    let stop = ranked.iter().position(|weight| {
        let drop = before >= 1.0;
        before += (weight / sum) as f32;
        drop
    });
    stop.unwrap_or(ranked.len())
}
