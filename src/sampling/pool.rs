//! The candidates that are left, and the stages that thin them out.

use super::buffer::Buffer;
use super::numeric::{Summary, divergence, exp, summarize};
use super::rules::{Rules, Ties};
use super::select::{boundary, largest};
use std::rc::Rc;

/// How far a cumulative mass may fall short of p, or a probability of its threshold, and still count as reaching it:
/// masses are sums of f32, and .5 must be .5.
const SLACK: f64 = 1e-6;

/// Candidates with their logits. Cloning shares both.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Ids in rising order; none: every id of the vocabulary.
    ids: Option<Rc<Vec<u32>>>,
    logits: Rc<Buffer>,
    /// What is to be added to them to have the logits themselves: after a temperature they are relative to the largest.
    offset: f64,
    summary: Summary,
    /// What probabilities are relative to: the candidates' own sum, or an earlier one where the rules do not renormalise.
    norm: Norm,
}

/// A sum of exponentials: exp(max)·exp(log).
#[derive(Clone, Copy, Debug)]
struct Norm {
    max: f32,
    log: f64,
}

impl Norm {
    fn of(summary: &Summary) -> Self {
        Self { max: summary.max, log: summary.log }
    }

    /// log of exp(l) relative to it.
    fn relative(&self, l: f32) -> f64 {
        (f64::from(l) - f64::from(self.max)) - self.log
    }
}

impl Pool {
    pub fn new(logits: &[f32]) -> Self {
        let (logits, summary) = (Buffer::copy(logits), summarize(logits));
        Self { ids: None, logits: Rc::new(logits), offset: 0.0, summary, norm: Norm::of(&summary) }
    }

    pub fn len(&self) -> usize {
        self.logits.len()
    }

    pub fn summary(&self) -> Summary {
        self.summary
    }

    pub fn id(&self, place: usize) -> u32 {
        self.ids.as_ref().map_or(place as u32, |ids| ids[place])
    }

    fn place(&self, id: u32) -> Option<usize> {
        match &self.ids {
            None => ((id as usize) < self.logits.len()).then_some(id as usize),
            Some(ids) => ids.binary_search(&id).ok(),
        }
    }

    /// Probability of a candidate, relative to `norm`; none if it is not among them.
    pub fn probability(&self, id: u32) -> Option<f64> {
        self.place(id).map(|place| self.mass_at(place, &self.norm))
    }

    /// Ids, ids rising (none: all), and renormalised probabilities.
    pub fn distribution(&self) -> (Option<Vec<u32>>, Vec<f32>) {
        (self.ids.as_ref().map(|ids| ids.to_vec()), self.masses(&Norm::of(&self.summary)).to_vec())
    }

    /// KL from `raw` to these candidates renormalised, Σ q·ln(q/p) in nats, and the mass Σ p that `raw` has on them.
    pub fn beside(&self, raw: &Self) -> (f64, f64) {
        if Rc::ptr_eq(&self.logits, &raw.logits) {
            return (0.0, 1.0);
        }
        let q = self.masses(&Norm::of(&self.summary));
        let there = self.ids.as_ref().map(|ids| Buffer::from_iter(ids.iter().map(|&id| raw.logits[id as usize])));
        let there: &[f32] = there.as_ref().unwrap_or(&raw.logits);
        let (max_q, max_p) = (self.summary.max, raw.summary.max);
        // Both relative to their maxima, and what the maxima make is added once: Σ q is 1.
        let apart = raw.summary.log - self.summary.log;
        let kl = divergence(&q, &self.logits, max_q, there, max_p) + apart;
        let factor = (-raw.summary.log).exp();
        let mass = || there.iter().map(|&l| f64::from(exp(l - max_p))).sum::<f64>() * factor;
        (kl.max(0.0), if self.ids.is_none() { 1.0 } else { mass().min(1.0) })
    }

    /// exp(l) of every candidate, relative to a sum.
    fn masses(&self, norm: &Norm) -> Buffer {
        // Relative to the maximum first: the difference is then exact where it matters.
        let (max, factor) = (self.summary.max, norm.relative(self.summary.max).exp() as f32);
        Buffer::from_iter(self.logits.iter().map(|&l| exp(l - max) * factor))
    }

    /// The most probable ids, most probable first.
    pub fn leaders(&self, count: usize) -> Vec<u32> {
        largest(&self.logits, count).into_iter().map(|place| self.id(place as usize)).collect()
    }

    fn mass_at(&self, place: usize, norm: &Norm) -> f64 {
        norm.relative(self.logits[place]).exp()
    }

    /// The same candidates with other logits; probabilities are relative to their own sum from here on.
    pub fn with_logits(&self, change: impl FnOnce(&Self, &mut [f32])) -> Self {
        let mut logits = Buffer::copy(&self.logits);
        change(self, &mut logits);
        let summary = summarize(&logits);
        Self { ids: self.ids.clone(), logits: Rc::new(logits), summary, norm: Norm::of(&summary), ..self.clone() }
    }

    /// Changes the logits of single ids.
    pub fn adjusted(&self, changes: impl Iterator<Item = (u32, f64)>, apply: impl Fn(f64, f64) -> f64) -> Self {
        self.with_logits(|pool, logits| {
            for (id, amount) in changes {
                if let Some(place) = pool.place(id) {
                    logits[place] = (apply(f64::from(logits[place]) + pool.offset, amount) - pool.offset) as f32;
                }
            }
        })
    }

    /// l / T, taken relative to what becomes the maximum: T = 1e-8 makes everything else −inf instead of overflowing. A
    /// negative T turns the ranking round; what was impossible stays so.
    pub fn tempered(&self, temperature: f64) -> Self {
        // 1/T beyond f32 is a T nearer to 0 than 1e-38, and nothing but the maximum survives it; or one above 1e38, under
        // which all are equal.
        let scale = ((1.0 / temperature.abs()) as f32).clamp(f32::MIN_POSITIVE, f32::MAX);
        let possible = || self.logits.iter().copied().filter(|l| *l > f32::NEG_INFINITY);
        let best = if temperature > 0.0 { self.summary.max } else { possible().fold(f32::INFINITY, f32::min) };
        let pool = self.with_logits(|_, logits| {
            for l in logits.iter_mut() {
                let d = *l - best;
                *l = if d == 0.0 { 0.0 } else { -(d * scale).abs() };
            }
        });
        // A penalty that comes later asks for the sign of the logits themselves.
        let offset = (f64::from(best) + self.offset) / temperature;
        Self { offset: if offset.is_finite() { offset } else { 0.0 }, ..pool }
    }

    fn keep(&self, mut places: Vec<u32>, renormalise: bool) -> Self {
        if places.len() == self.len() {
            return self.clone();
        }
        places.sort_unstable();
        let logits = Buffer::from_iter(places.iter().map(|&place| self.logits[place as usize]));
        let ids = places.into_iter().map(|place| self.id(place as usize)).collect();
        let summary = summarize(&logits);
        let norm = if renormalise { Norm::of(&summary) } else { self.norm };
        Self { ids: Some(Rc::new(ids)), logits: Rc::new(logits), offset: self.offset, summary, norm }
    }

    fn keep_where(&self, renormalise: bool, keep: impl Fn(usize) -> bool) -> Self {
        let count = (0..self.len()).map(|place| usize::from(keep(place))).sum::<usize>();
        // Written always and kept sometimes: which ones are kept cannot be foreseen, so a branch would cost more.
        let (mut places, mut next) = (vec![0; count + 1], 0);
        for place in 0..self.len() {
            places[next] = place as u32;
            next += usize::from(keep(place));
        }
        places.truncate(count);
        self.keep(places, renormalise)
    }

    /// Those whose key is not below that of `last`; of equal keys, where `ties` is not set, those up to `last` alone.
    fn keep_to(&self, keys: &[f32], last: Option<u32>, ties: bool, renormalise: bool) -> Self {
        let Some(last) = last.map(|last| last as usize) else { return self.clone() };
        let threshold = keys[last];
        self.keep_where(renormalise, |at| keys[at] > threshold || (keys[at] == threshold && (ties || at <= last)))
    }

    /// The most probable candidate alone; of equals the lowest id.
    pub fn best(&self) -> Self {
        self.keep(largest(&self.logits, 1), true)
    }

    pub fn top_k(&self, k: usize, rules: &Rules) -> Self {
        if k >= self.len() {
            return self.clone();
        }
        // A small k is found by keeping the best so far, a large one without sorting what is kept.
        let last = match k {
            0..=256 => largest(&self.logits, k).last().copied(),
            _ => boundary(&self.logits, |_| 1.0, |count| count >= k as f64),
        };
        self.keep_to(&self.logits, last, rules.ties == Ties::Kept, rules.renormalise)
    }

    pub fn top_p(&self, p: f64, rules: &Rules) -> Self {
        if p >= 1.0 {
            return self.clone();
        }
        let masses = self.masses(&self.norm);
        let last = boundary(&self.logits, |at| masses[at as usize], |mass| mass >= p - SLACK);
        self.keep_to(&self.logits, last, false, rules.renormalise)
    }

    pub fn min_p(&self, min_p: f64, rules: &Rules) -> Self {
        if min_p <= 0.0 {
            return self.clone();
        }
        let floor = min_p.ln() - SLACK;
        let max = self.summary.max;
        self.keep_where(rules.renormalise, |at| f64::from(self.logits[at] - max) >= floor)
    }

    pub fn typical(&self, p: f64, rules: &Rules) -> Self {
        if p >= 1.0 {
            return self.clone();
        }
        let (own, entropy) = (Norm::of(&self.summary), self.summary.entropy);
        // Nearest first; what has no probability has an infinite surprise and comes last.
        let nearness = self.logits.iter().map(|&l| -((own.relative(l) + entropy).abs() as f32));
        let (nearness, masses) = (Buffer::from_iter(nearness), self.masses(&Norm::of(&self.summary)));
        let enough = |mass: f64| if rules.typical_exceeds { mass > p + SLACK } else { mass >= p - SLACK };
        let last = boundary(&nearness, |at| masses[at as usize], enough);
        self.keep_to(&nearness, last, rules.ties == Ties::Kept, rules.renormalise)
    }

    /// Mass of these candidates among those of `before`.
    pub fn mass_within(&self, before: &Self) -> f64 {
        (before.norm.relative(self.summary.max) + self.summary.log).exp().min(1.0)
    }
}
