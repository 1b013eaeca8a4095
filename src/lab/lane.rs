//! One lane: a track and the model that extends it, with its way back and the branches it left.

use super::source::Source;
use super::track::{Branch, Step, Track};
use crate::sampling::{History, Settings, trace, uniform};
use std::ops::Deref;
use std::sync::Arc;

/// Candidates that a step follows by name.
const TRACKED: usize = 64;

/// A sequence under one sampler, and what computes it.
pub struct Lane {
    track: Track,
    source: Box<dyn Source>,
    /// The tokens in the source's cache.
    fed: Vec<u32>,
}

impl Deref for Lane {
    type Target = Track;

    fn deref(&self) -> &Track {
        &self.track
    }
}

impl Lane {
    /// A lane that stands before its first step.
    pub fn new(name: &str, settings: Settings, source: Box<dyn Source>, prompt: &[u32]) -> Self {
        let track = Track {
            name: name.to_owned(),
            settings,
            prompt: prompt.into(),
            steps: Vec::new(),
            cursor: 0,
            branches: Vec::new(),
            context: source.context(),
            ended: None,
        };
        Self { track, source, fed: Vec::new() }
    }

    /// What can be shown of it.
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// One step forward. A step that is known already is not computed again. Fails with a sentence when the context is
    /// full, the prompt is empty, or the sampler refuses.
    pub fn forward(&mut self, seed: u64) -> Result<&Step, String> {
        if self.cursor == self.track.steps.len() {
            let step = self.logits().and_then(|logits| self.sample(logits, seed, self.cursor));
            self.track.ended = step.as_ref().err().cloned();
            self.track.steps.push(Arc::new(step?));
        }
        self.track.cursor += 1;
        Ok(&self.track.steps[self.track.cursor - 1])
    }

    /// `count` steps back, at most to the start.
    pub fn back(&mut self, count: usize) {
        self.track.cursor = self.cursor.saturating_sub(count);
        self.track.ended = None;
    }

    /// Puts `token` in the place of the one that was drawn last. What came after it becomes a branch.
    pub fn force(&mut self, token: u32) -> Result<(), String> {
        if token as usize >= self.source.vocabulary() {
            return Err(format!("there is no token {token}: the vocabulary ends at {}", self.source.vocabulary() - 1));
        }
        let at = self.cursor.checked_sub(1).ok_or("there is no step yet whose token could be forced")?;
        if self.steps[at].token() != token {
            self.leave(at);
            self.track.ended = None;
            let step = Arc::make_mut(&mut self.track.steps[at]);
            step.forced = (step.draw.id != token).then_some(token);
        }
        Ok(())
    }

    /// Changes the sampler and shows what it makes of the step that is looked at.
    pub fn set(&mut self, settings: Settings, seed: u64) -> Result<(), String> {
        let before = std::mem::replace(&mut self.track.settings, settings);
        let Some(at) = self.cursor.checked_sub(1) else {
            self.track.steps.clear();
            self.track.ended = None;
            return Ok(());
        };
        match self.sample(self.steps[at].logits.clone(), seed, at) {
            Ok(step) => {
                // Whatever was known beyond was drawn under other settings.
                self.leave(at);
                self.track.steps[at] = Arc::new(step);
                self.track.ended = None;
                Ok(())
            }
            Err(reason) => {
                self.track.settings = before;
                Err(reason)
            }
        }
    }

    /// Goes back to a branch; the present continuation becomes a branch in its turn.
    pub fn enter(&mut self, index: usize) {
        let track = &mut self.track;
        if index < track.branches.len() {
            let branch = track.branches.remove(index);
            let left = std::mem::replace(&mut track.steps, branch.steps);
            let same = |(a, b): &(&Arc<Step>, &Arc<Step>)| a.token() == b.token();
            let at = left.iter().zip(&track.steps).take_while(same).count();
            // What the branch holds anyway needs no keeping.
            if at < left.len() {
                track.branches.push(Branch { at, steps: left });
            }
            track.cursor = track.steps.len();
            track.ended = None;
        }
    }

    /// A lane of its own that stands where this one stands.
    pub fn copy(&self, name: &str) -> Self {
        let track = Track { name: name.to_owned(), ..self.track.clone() };
        Self { track, source: self.source.fork(), fed: self.fed.clone() }
    }

    /// Keeps step `at`, and what comes after it as a branch if there is more than the step itself.
    fn leave(&mut self, at: usize) {
        if self.steps.len() > at + 1 {
            let steps = self.steps.clone();
            self.track.branches.push(Branch { at, steps });
        }
        self.track.steps.truncate(at + 1);
    }

    /// Logits after everything that is said, feeding only what the cache does not hold.
    fn logits(&mut self) -> Result<Arc<[f32]>, String> {
        let all: Vec<u32> = self.prompt.iter().copied().chain(self.generated()).collect();
        if all.is_empty() {
            return Err("the prompt is empty: the model needs at least one token".to_owned());
        }
        if all.len() > self.source.context() {
            return Err(format!("the context is full: {} of {} tokens", all.len(), self.source.context()));
        }
        // The cache is kept as far as it agrees; the last token is fed whatever it holds, since its logits are asked for.
        let agree = self.fed.iter().zip(&all).take_while(|(a, b)| a == b).count().min(all.len() - 1);
        self.source.truncate(agree);
        self.fed.truncate(agree);
        let logits = self.source.feed(&all[agree..])?;
        self.fed.extend(&all[agree..]);
        Ok(logits.into())
    }

    fn sample(&self, logits: Arc<[f32]>, seed: u64, at: usize) -> Result<Step, String> {
        let generated: Vec<u32> = self.steps[..at].iter().map(|step| step.token()).collect();
        let history = History { prompt: &self.prompt, generated: &generated };
        let trace = trace(&logits, &history, &self.settings, TRACKED).map_err(|error| error.to_string())?;
        let draw = trace.kept.draw(uniform(seed, at));
        Ok(Step { logits, trace, draw, forced: None })
    }
}
