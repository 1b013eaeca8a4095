//! Penalties for what was already said.

use super::pool::Pool;
use super::rules::Rules;
use std::collections::BTreeMap;

/// The tokens before the position that is sampled.
#[derive(Clone, Copy, Debug, Default)]
pub struct History<'a> {
    /// The prompt.
    pub prompt: &'a [u32],
    /// What was generated after it.
    pub generated: &'a [u32],
}

impl History<'_> {
    /// How often each token occurs in what the rules let a penalty see.
    fn counts(&self, with_prompt: bool, window: Option<usize>) -> BTreeMap<u32, usize> {
        let prompt = if with_prompt { self.prompt } else { &[] };
        let skipped = window.map_or(0, |window| (prompt.len() + self.generated.len()).saturating_sub(window));
        let mut counts = BTreeMap::new();
        for &id in prompt.iter().chain(self.generated).skip(skipped) {
            *counts.entry(id).or_insert(0) += 1;
        }
        counts
    }
}

pub(super) fn repetition(pool: &Pool, penalty: f64, history: &History, rules: &Rules) -> Pool {
    let seen = history.counts(rules.repeats_prompt, rules.window);
    pool.adjusted(seen.into_keys().map(|id| (id, penalty)), |l, penalty| {
        let l = f64::from(l);
        (if l > 0.0 { l / penalty } else { l * penalty }) as f32
    })
}

pub(super) fn frequency_presence(pool: &Pool, frequency: f64, presence: f64, history: &History, rules: &Rules) -> Pool {
    let seen = history.counts(rules.counts_prompt, rules.window);
    let amounts = seen.into_iter().map(|(id, count)| (id, count as f64 * frequency + presence));
    pool.adjusted(amounts, |l, amount| (f64::from(l) - amount) as f32)
}
