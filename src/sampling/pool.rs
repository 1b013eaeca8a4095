//! The candidates that are left, and the stages that thin them out.

use super::numeric::{Summary, summarize};
use super::rules::{Rules, Ties};
use super::select::{largest, prefix_until};
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
    pub fn distribution(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        (0..self.len()).map(|place| (self.id(place), self.mass_at(place, self.summary.log_sum)))
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

    /// l / T, taken relative to the maximum: T = 1e-8 makes everything else −inf instead of overflowing.
    pub fn tempered(&self, temperature: f64) -> Self {
        let (max, scale) = (self.summary.max, (1.0 / temperature) as f32);
        // 1/T beyond f32 is a T below 1e-38: nothing but the maximum survives it.
        let scale = scale.min(f32::MAX);
        self.with_logits(|_, logits| {
            for l in logits.iter_mut() {
                let d = *l - max;
                *l = if d == 0.0 { 0.0 } else { d * scale };
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

    fn keep_where(&self, renormalise: bool, keep: impl Fn(f32) -> bool) -> Self {
        let places = (0..self.len() as u32).filter(|&place| keep(self.logits[place as usize])).collect();
        self.keep(places, renormalise)
    }

    /// The most probable candidate alone; of equals the lowest id.
    pub fn best(&self) -> Self {
        self.keep(largest(&self.logits, 1), true)
    }

    pub fn top_k(&self, k: usize, rules: &Rules) -> Self {
        if k >= self.len() {
            return self.clone();
        }
        let places = largest(&self.logits, k);
        match (rules.ties, places.last()) {
            (Ties::Kept, Some(&last)) => {
                let threshold = self.logits[last as usize];
                self.keep_where(rules.renormalise, |l| l >= threshold)
            }
            _ => self.keep(places, rules.renormalise),
        }
    }

    pub fn top_p(&self, p: f64, rules: &Rules) -> Self {
        if p >= 1.0 {
            return self.clone();
        }
        let mut mass = 0.0;
        let places = prefix_until(&self.logits, |place| {
            mass += self.mass_at(place as usize, self.log_norm);
            mass >= p - SLACK
        });
        self.keep(places, rules.renormalise)
    }

    pub fn min_p(&self, min_p: f64, rules: &Rules) -> Self {
        if min_p <= 0.0 {
            return self.clone();
        }
        let floor = min_p.ln() - SLACK;
        let max = self.summary.max;
        self.keep_where(rules.renormalise, |l| f64::from(l - max) >= floor)
    }

    pub fn typical(&self, p: f64, rules: &Rules) -> Self {
        if p >= 1.0 {
            return self.clone();
        }
        let (log_sum, entropy) = (self.summary.log_sum, self.summary.entropy);
        // Nearest first; what has no probability has an infinite surprise and comes last.
        let nearness: Vec<f32> =
            self.logits.iter().map(|&l| -((log_sum - f64::from(l) - entropy).abs() as f32)).collect();
        let mut mass = 0.0;
        let places = prefix_until(&nearness, |place| {
            mass += self.mass_at(place as usize, log_sum);
            mass >= p - SLACK
        });
        match (rules.ties, places.last()) {
            (Ties::Kept, Some(&last)) => {
                let threshold = nearness[last as usize];
                let tied = (0..self.len() as u32).filter(|&place| nearness[place as usize] >= threshold).collect();
                self.keep(tied, rules.renormalise)
            }
            _ => self.keep(places, rules.renormalise),
        }
    }

    /// Mass of these candidates among those of `before`.
    pub fn mass_within(&self, before: &Self) -> f64 {
        (self.summary.log_sum - before.log_norm).exp().min(1.0)
    }
}
