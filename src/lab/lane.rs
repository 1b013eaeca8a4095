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
    /// The logits after the prompt alone, once they are known.
    opening: Option<Arc<[f32]>>,
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
        Self { track, source, fed: Vec::new(), opening: None }
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

    /// Steps forward until it stands behind `at` steps or cannot go on.
    pub fn reach(&mut self, at: usize, seed: u64) -> Result<(), String> {
        while self.cursor < at {
            self.forward(seed)?;
        }
        Ok(())
    }

    /// `count` steps back, at most to the start.
    pub fn back(&mut self, count: usize) {
        self.stand(self.cursor.saturating_sub(count));
    }

    /// Stands behind this many of the known steps.
    pub fn stand(&mut self, at: usize) {
        self.track.cursor = at.min(self.track.steps.len());
        self.track.ended = None;
    }

    /// Back before the first step, with nothing known: what was drawn under another seed is no branch of this run.
    pub fn restart(&mut self) {
        self.track.steps.clear();
        self.track.branches.clear();
        self.stand(0);
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

    /// Changes the sampler and shows what it makes of the step that is looked at. What is known beyond that step was drawn
    /// under other settings and becomes a branch; a token that the reader forced stays.
    pub fn set(&mut self, settings: Settings, seed: u64) -> Result<(), String> {
        settings.check().map_err(|error| error.to_string())?;
        let before = std::mem::replace(&mut self.track.settings, settings);
        if let Some(at) = self.cursor.checked_sub(1) {
            let token = self.steps[at].forced;
            let step = self.sample(self.steps[at].logits.clone(), seed, at);
            let mut step = step.inspect_err(|_| self.track.settings = before)?;
            step.forced = token.filter(|token| *token != step.draw.id);
            self.leave(at);
            self.track.steps[at] = Arc::new(step);
        } else if !self.track.steps.is_empty() {
            let steps = std::mem::take(&mut self.track.steps);
            self.track.branches.push(Branch { at: 0, steps });
        }
        self.track.ended = None;
        Ok(())
    }

    /// Changes the sampler of the steps to come; those that are known stay as they are.
    pub fn prepare(&mut self, settings: Settings) {
        self.track.settings = settings;
    }

    /// Gives it another name.
    pub fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.track.name);
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
        Self { track, source: self.source.fork(), fed: self.fed.clone(), opening: self.opening.clone() }
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
    ///
    /// The prompt is fed in one piece and what follows it token by token, however the reader came here: a product of
    /// several rows rounds otherwise than that of one, and the same run must be the same bit for bit.
    fn logits(&mut self) -> Result<Arc<[f32]>, String> {
        let generated = self.generated();
        let (prompt, length) = (self.track.prompt.clone(), self.prompt.len() + generated.len());
        if prompt.is_empty() {
            return Err("the prompt is empty: the model needs at least one token".to_owned());
        }
        if length > self.source.context() {
            return Err(format!("the context is full: {length} of {} tokens", self.source.context()));
        }
        if let (Some(opening), true) = (&self.opening, generated.is_empty()) {
            return Ok(opening.clone());
        }
        let all = prompt.iter().chain(&generated);
        let agree = self.fed.iter().zip(all).take_while(|(a, b)| a == b).count().min(length - 1).min(self.source.len());
        let agree = if agree < prompt.len() { 0 } else { agree };
        self.source.truncate(agree);
        self.fed.truncate(agree);
        let mut logits: Arc<[f32]> = Arc::new([]);
        if agree == 0 {
            logits = self.feed(&prompt)?;
            self.opening = Some(logits.clone());
        }
        for at in agree.max(prompt.len())..length {
            logits = self.feed(&generated[at - prompt.len()..][..1])?;
        }
        Ok(logits)
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<Arc<[f32]>, String> {
        let logits = self.source.feed(tokens)?;
        self.fed.extend(tokens);
        Ok(logits.into())
    }

    fn sample(&self, logits: Arc<[f32]>, seed: u64, at: usize) -> Result<Step, String> {
        let generated: Vec<u32> = self.steps[..at].iter().map(|step| step.token()).collect();
        let history = History { prompt: &self.prompt, generated: &generated };
        let settings = Arc::new(self.settings.clone());
        let trace = trace(&logits, &history, &settings, TRACKED).map_err(|error| error.to_string())?;
        let draw = trace.kept.draw(uniform(seed, at));
        Ok(Step { logits, trace, draw, settings, forced: None })
    }
}
