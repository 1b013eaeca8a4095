//! The candidates that are left, and the stages that thin them out.

use super::numeric::{Summary, exp, summarize};
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
    logits: Rc<Vec<f32>>,
    summary: Summary,
    /// log of what probabilities are relative to: the candidates' own sum, or an earlier one where the rules do not
    /// renormalise.
    log_norm: f64,
}

impl Pool {
    pub fn new(logits: Vec<f32>) -> Self {
        let summary = summarize(&logits);
        Self { ids: None, logits: Rc::new(logits), summary, log_norm: summary.log_sum }
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

    /// Probability of a candidate, relative to `log_norm`; none if it is not among them.
    pub fn probability(&self, id: u32) -> Option<f64> {
        self.place(id).map(|place| self.mass_at(place, self.log_norm))
    }

    /// Ids and renormalised probabilities, ids rising.
    pub fn distribution(&self) -> (Vec<u32>, Vec<f32>) {
        let ids = self.ids.as_ref().map_or_else(|| (0..self.len() as u32).collect(), |ids| ids.to_vec());
        (ids, self.masses(self.summary.log_sum))
    }

    /// KL from `raw` to these candidates renormalised, Σ q·ln(q/p) in nats, and the mass Σ p that `raw` has on them.
    pub fn beside(&self, raw: &Self) -> (f64, f64) {
        let (log_q, log_p) = (self.summary.log_sum, raw.summary.log_sum);
        let (mut divergence, mut mass) = (0.0, 0.0);
        for (place, q) in self.masses(log_q).into_iter().enumerate() {
            let l = raw.logits[self.id(place) as usize];
            if q > 0.0 {
                divergence += f64::from(q) * ((f64::from(self.logits[place]) - log_q) - (f64::from(l) - log_p));
            }
            mass += f64::from(exp((f64::from(l) - log_p) as f32));
        }
        (divergence.max(0.0), if self.ids.is_none() { 1.0 } else { mass.min(1.0) })
    }

    /// exp(l − `log_norm`) of every candidate.
    fn masses(&self, log_norm: f64) -> Vec<f32> {
        // Relative to the maximum first: the difference is then exact where it matters.
        let (max, factor) = (self.summary.max, (f64::from(self.summary.max) - log_norm).exp() as f32);
        self.logits.iter().map(|&l| exp(l - max) * factor).collect()
    }

    /// The most probable ids, most probable first.
    pub fn leaders(&self, count: usize) -> Vec<u32> {
        largest(&self.logits, count).into_iter().map(|place| self.id(place as usize)).collect()
    }

    fn mass_at(&self, place: usize, log_norm: f64) -> f64 {
        (f64::from(self.logits[place]) - log_norm).exp()
    }

    /// The same candidates with other logits; probabilities are relative to their own sum from here on.
    pub fn with_logits(&self, change: impl FnOnce(&Self, &mut Vec<f32>)) -> Self {
        let mut logits = self.logits.to_vec();
        change(self, &mut logits);
        let summary = summarize(&logits);
        Self { ids: self.ids.clone(), logits: Rc::new(logits), summary, log_norm: summary.log_sum }
    }

    /// Changes the logits of single ids.
    pub fn adjusted(&self, changes: impl Iterator<Item = (u32, f64)>, apply: impl Fn(f32, f64) -> f32) -> Self {
        self.with_logits(|pool, logits| {
            for (id, amount) in changes {
                if let Some(place) = pool.place(id) {
                    logits[place] = apply(logits[place], amount);
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
        self.with_logits(|_, logits| {
            for l in logits.iter_mut() {
                let d = *l - best;
                *l = if d == 0.0 { 0.0 } else { -(d * scale).abs() };
            }
        })
    }

    fn keep(&self, mut places: Vec<u32>, renormalise: bool) -> Self {
        if places.len() == self.len() {
            return self.clone();
        }
        places.sort_unstable();
        let logits: Vec<f32> = places.iter().map(|&place| self.logits[place as usize]).collect();
        let ids = places.into_iter().map(|place| self.id(place as usize)).collect();
        let summary = summarize(&logits);
        let log_norm = if renormalise { summary.log_sum } else { self.log_norm };
        Self { ids: Some(Rc::new(ids)), logits: Rc::new(logits), summary, log_norm }
    }

    fn keep_where(&self, renormalise: bool, keep: impl Fn(usize) -> bool) -> Self {
        let places = (0..self.len()).filter(|&place| keep(place)).map(|place| place as u32).collect();
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
        let last = largest(&self.logits, k).last().copied();
        self.keep_to(&self.logits, last, rules.ties == Ties::Kept, rules.renormalise)
    }

    pub fn top_p(&self, p: f64, rules: &Rules) -> Self {
        if p >= 1.0 {
            return self.clone();
        }
        let last = boundary(&self.logits, &self.masses(self.log_norm), |mass| mass >= p - SLACK);
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
        let (log_sum, entropy) = (self.summary.log_sum, self.summary.entropy);
        // Nearest first; what has no probability has an infinite surprise and comes last.
        let nearness: Vec<f32> =
            self.logits.iter().map(|&l| -((log_sum - f64::from(l) - entropy).abs() as f32)).collect();
        let enough = |mass: f64| if rules.typical_exceeds { mass > p + SLACK } else { mass >= p - SLACK };
        let last = boundary(&nearness, &self.masses(log_sum), enough);
        self.keep_to(&nearness, last, rules.ties == Ties::Kept, rules.renormalise)
    }

    /// Mass of these candidates among those of `before`.
    pub fn mass_within(&self, before: &Self) -> f64 {
        (self.summary.log_sum - before.log_norm).exp().min(1.0)
    }
}
