//! A lane without its model: everything that can be shown of it, cheap to clone and free of computation.

use crate::sampling::{Draw, Settings, Trace};
use std::sync::Arc;

/// One decode position.
#[derive(Clone, Debug)]
pub struct Step {
    /// The model's logits, (V).
    pub logits: Arc<[f32]>,
    /// What the sampler made of them.
    pub trace: Trace,
    /// What was drawn.
    pub draw: Draw,
    /// The sampler that made it: the lane's may have changed since.
    pub settings: Arc<Settings>,
    /// The token that the reader put in the place of the drawn one.
    pub forced: Option<u32>,
}

impl Step {
    /// The token that goes on.
    pub fn token(&self) -> u32 {
        self.forced.unwrap_or(self.draw.id)
    }

    /// The step in numbers.
    pub fn standing(&self) -> Standing {
        Standing {
            raw_entropy: self.trace.stages[0].entropy,
            entropy: self.trace.entropy,
            kept: self.trace.kept.len(),
            kept_mass: self.trace.raw_mass,
            divergence: self.trace.divergence,
        }
    }
}

/// A lane at the present step, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Entropy of the model's own distribution, in nats.
    pub raw_entropy: f64,
    /// Entropy of what is drawn from, in nats.
    pub entropy: f64,
    /// Candidates that are left.
    pub kept: usize,
    /// The model's mass on them.
    pub kept_mass: f64,
    /// KL from the model's distribution to what is drawn from, in nats.
    pub divergence: f64,
}

/// A continuation that was left when another token was forced or a setting changed.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The step from which on it differs from what was followed instead.
    pub at: usize,
    /// All its steps, those before `at` too: what it branched off from may itself be left later.
    pub steps: Vec<Arc<Step>>,
}

/// A sequence under one sampler: where it stands, what it knows beyond, what it left.
#[derive(Clone, Debug)]
pub struct Track {
    /// What it is called.
    pub name: String,
    pub(super) settings: Settings,
    pub(super) prompt: Arc<[u32]>,
    pub(super) steps: Vec<Arc<Step>>,
    pub(super) cursor: usize,
    pub(super) branches: Vec<Branch>,
    pub(super) context: usize,
    /// Why it went no further, when it last could not.
    pub ended: Option<String>,
}

impl Track {
    /// The sampler.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The prompt's tokens.
    pub fn prompt(&self) -> &[u32] {
        &self.prompt
    }

    /// The steps up to where the lane stands.
    pub fn steps(&self) -> &[Arc<Step>] {
        &self.steps[..self.cursor]
    }

    /// All steps that are known, those beyond where the lane stands too.
    pub fn known(&self) -> &[Arc<Step>] {
        &self.steps
    }

    /// The step that is looked at: the last one taken.
    pub fn current(&self) -> Option<&Step> {
        self.steps().last().map(AsRef::as_ref)
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
        (self.prompt.len() + self.cursor, self.context)
    }

    /// The tokens generated so far.
    pub fn generated(&self) -> Vec<u32> {
        self.steps().iter().map(|step| step.token()).collect()
    }
}
