//! A lane without its model: everything that can be shown of it, cheap to clone and free of computation.

use crate::sampling::{Draw, Settings, Trace};
use std::fmt;
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
    /// The token that the reader put in the place of the drawn one, or that their own sampler drew instead.
    pub forced: Option<u32>,
    /// What the lane's guest drew.
    pub theirs: Option<Theirs>,
}

/// What a guest, a reader's own sampler, is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guest {
    /// Divides the logits; 0 is greedy.
    pub temperature: f64,
    /// 0 keeps all.
    pub top_k: usize,
    /// 1 keeps all.
    pub top_p: f64,
}

/// What a guest drew beside the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Theirs {
    /// A token; with the first token that is not the reference's comes the first stage at which they part.
    Token(u32, Option<Part>),
    /// None, and why: a panic, an error, no answer in time, the end of its process.
    Nothing(String),
}

/// The first stage at which a guest parts from the reference, the stages switched on one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// With no stage at all: the draw.
    Draw,
    /// Temperature alone.
    Temperature,
    /// Temperature and top-k.
    TopK,
    /// Temperature, top-k and top-p.
    TopP,
    /// At none of the uniforms that were tried: asked again, it draws the same.
    Together,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draw => "the draw itself",
            Self::Temperature => "temperature",
            Self::TopK => "top-k",
            Self::TopP => "top-p",
            Self::Together => "no stage: asked again, it draws the same",
        })
    }
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
    /// What its guest is called, if it has one.
    pub guest: Option<String>,
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

    /// The first step at which the guest drew something else than the reference, or nothing.
    pub fn guest_parted(&self) -> Option<(usize, &Theirs)> {
        let parted = |(at, step): (usize, &'_ Arc<Step>)| match step.theirs.as_ref()? {
            Theirs::Token(token, _) if *token == step.draw.id => None,
            _ => Some(at),
        };
        let at = self.steps().iter().enumerate().find_map(parted)?;
        Some((at, self.steps[at].theirs.as_ref()?))
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
