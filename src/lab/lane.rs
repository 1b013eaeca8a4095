//! One lane: a sequence under one sampler, with its way back and the branches it left.

use super::source::Source;
use crate::sampling::{Draw, History, Settings, Trace, trace, uniform};
use std::sync::Arc;

/// Candidates that a step follows by name.
const TRACKED: usize = 64;

/// One decode position.
#[derive(Clone, Debug)]
pub struct Step {
    /// The model's logits, (V).
    pub logits: Arc<[f32]>,
    /// What the sampler made of them.
    pub trace: Trace,
    /// What was drawn.
    pub draw: Draw,
    /// The token that the reader put in the place of the drawn one.
    pub forced: Option<u32>,
}

impl Step {
    /// The token that goes on.
    pub fn token(&self) -> u32 {
        self.forced.unwrap_or(self.draw.id)
    }
}

/// A continuation that was left when another token was forced or a setting changed.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The step from which on it differs.
    pub at: usize,
    /// Its steps from there.
    pub steps: Vec<Step>,
}

/// A sequence under one sampler.
pub struct Lane {
    /// What it is called.
    pub name: String,
    settings: Settings,
    source: Box<dyn Source>,
    /// The tokens in the source's cache.
    fed: Vec<u32>,
    prompt: Arc<[u32]>,
    steps: Vec<Step>,
    cursor: usize,
    branches: Vec<Branch>,
}

impl Lane {
    /// A lane that stands before its first step.
    pub fn new(name: &str, settings: Settings, source: Box<dyn Source>, prompt: &[u32]) -> Self {
        Self {
            name: name.to_owned(),
            settings,
            source,
            fed: Vec::new(),
            prompt: prompt.into(),
            steps: Vec::new(),
            cursor: 0,
            branches: Vec::new(),
        }
    }

    /// The sampler.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The prompt's tokens.
    pub fn prompt(&self) -> &[u32] {
        &self.prompt
    }

    /// The steps up to where the lane stands.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.cursor]
    }

    /// The step that is looked at.
    pub fn current(&self) -> Option<&Step> {
        self.steps().last()
    }

    /// Steps that are known beyond where the lane stands.
    pub fn ahead(&self) -> usize {
        self.steps.len() - self.cursor
    }

    /// The continuations that were left.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Tokens of prompt and steps, and how many fit.
    pub fn fill(&self) -> (usize, usize) {
        (self.prompt.len() + self.cursor, self.source.context())
    }

    /// The tokens generated so far.
    pub fn generated(&self) -> Vec<u32> {
        self.steps().iter().map(Step::token).collect()
    }

    /// One step forward. A step that is known already is not computed again. Fails with a sentence when the context is
    /// full, the prompt is empty, or the sampler refuses.
    pub fn forward(&mut self, seed: u64) -> Result<&Step, String> {
        if self.cursor == self.steps.len() {
            let logits = self.logits()?;
            let step = self.sample(logits, seed, self.cursor)?;
            self.steps.push(step);
        }
        self.cursor += 1;
        Ok(&self.steps[self.cursor - 1])
    }

    /// `count` steps back, at most to the start.
    pub fn back(&mut self, count: usize) {
        self.cursor = self.cursor.saturating_sub(count);
    }

    /// Puts `token` in the place of the one that was drawn last. What came after it becomes a branch.
    pub fn force(&mut self, token: u32) -> Result<(), String> {
        if token as usize >= self.source.vocabulary() {
            return Err(format!("there is no token {token}: the vocabulary ends at {}", self.source.vocabulary() - 1));
        }
        let at = self.cursor.checked_sub(1).ok_or("there is no step yet whose token could be forced")?;
        if self.steps[at].token() != token {
            self.leave(at);
            let step = &mut self.steps[at];
            step.forced = (step.draw.id != token).then_some(token);
        }
        Ok(())
    }

    /// Changes the sampler and shows what it makes of the step that is looked at.
    pub fn set(&mut self, settings: Settings, seed: u64) -> Result<(), String> {
        let before = std::mem::replace(&mut self.settings, settings);
        let Some(at) = self.cursor.checked_sub(1) else {
            self.steps.clear();
            return Ok(());
        };
        match self.sample(self.steps[at].logits.clone(), seed, at) {
            Ok(step) => {
                // Whatever was known beyond was drawn under other settings.
                self.leave(at);
                self.steps[at] = step;
                Ok(())
            }
            Err(reason) => {
                self.settings = before;
                Err(reason)
            }
        }
    }

    /// Goes back to a branch; the present continuation becomes a branch in its turn.
    pub fn enter(&mut self, index: usize) {
        if index < self.branches.len() {
            let branch = self.branches.remove(index);
            let at = branch.at.min(self.steps.len());
            if at < self.steps.len() {
                self.branches.push(Branch { at, steps: self.steps.split_off(at) });
            }
            self.steps.extend(branch.steps);
            self.cursor = self.steps.len();
        }
    }

    /// A lane of its own that stands where this one stands.
    pub fn copy(&self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            settings: self.settings.clone(),
            source: self.source.fork(),
            fed: self.fed.clone(),
            prompt: self.prompt.clone(),
            steps: self.steps.clone(),
            cursor: self.cursor,
            branches: self.branches.clone(),
        }
    }

    /// Keeps step `at`, and what comes after it as a branch if there is more than the step itself.
    fn leave(&mut self, at: usize) {
        if self.steps.len() > at + 1 {
            self.branches.push(Branch { at, steps: self.steps[at..].to_vec() });
        }
        self.steps.truncate(at + 1);
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
        let generated: Vec<u32> = self.steps[..at].iter().map(Step::token).collect();
        let history = History { prompt: &self.prompt, generated: &generated };
        let trace = trace(&logits, &history, &self.settings, TRACKED).map_err(|error| error.to_string())?;
        let draw = trace.kept.draw(uniform(seed, at));
        Ok(Step { logits, trace, draw, forced: None })
    }
}
