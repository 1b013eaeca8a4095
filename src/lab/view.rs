//! What the lab is asked for and what it shows: the only things that pass between the screen and the thread with the model.

use super::recipe::Recipe;
use super::track::Track;
use std::path::PathBuf;
use std::sync::Arc;

/// What the reader asks of the lab. Lanes are counted from 0, left to right.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Begin again with this prompt, under the same settings.
    Prompt(String),
    /// So many steps forward in every lane. Stops early where a newer request is waiting.
    Step(usize),
    /// So many steps back in every lane.
    Back(usize),
    /// Stand behind this many steps (0: before the first), in every lane.
    Jump(usize),
    /// Put a token in the place of the one that this lane drew last.
    Force {
        /// The lane.
        lane: usize,
        /// The token.
        token: u32,
    },
    /// Change a lane's sampler and show what it makes of the step that is looked at.
    Set {
        /// The lane.
        lane: usize,
        /// The sampler.
        recipe: Recipe,
    },
    /// Copy a lane to its right.
    Copy(usize),
    /// Close a lane.
    Close(usize),
    /// Return to a continuation that a lane left.
    Enter {
        /// The lane.
        lane: usize,
        /// The branch, an index into the track's.
        branch: usize,
    },
    /// Begin again under another seed.
    Seed(u64),
    /// The lanes of a preset, an index into [`PRESETS`](super::recipe::PRESETS), from the start.
    Preset(usize),
    /// Judge the prompt: what the model expected at each of its positions.
    Expect,
    /// Write the run to a file: CSV where the name ends in `.csv`, else JSON.
    Export(PathBuf),
}

/// The model, in words and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCard {
    /// What it is called.
    pub name: String,
    /// How many parameters.
    pub parameters: usize,
    /// Size of the vocabulary.
    pub vocabulary: usize,
    /// The most tokens that fit.
    pub context: usize,
}

/// The text of every token, in the two forms that a screen needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// What the token adds to a text; bytes that are no whole character are `\u{FFFD}`.
    pub text: Vec<String>,
    /// The token so that it can be seen in a table: a blank is `␣`, a line end `⏎`, a lone byte `<0xE2>`.
    pub visible: Vec<String>,
}

/// One position of the prompt, seen by the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The token that really stands there.
    pub token: u32,
    /// Its rank among what the model expected there, from 0; none for the first token, before which there is nothing.
    pub rank: Option<usize>,
    /// Its probability; none for the first token.
    pub probability: Option<f64>,
    /// Entropy of the expectation in nats; none for the first token.
    pub entropy: Option<f64>,
    /// The most probable tokens with their probabilities, best first; empty for the first token.
    pub leaders: Vec<(u32, f64)>,
}

/// A whole lab, as it is now.
#[derive(Clone, Debug)]
pub struct View {
    /// The model.
    pub model: Arc<ModelCard>,
    /// Its tokens' texts.
    pub vocabulary: Arc<Vocabulary>,
    /// The prompt as text.
    pub prompt: String,
    /// Seed of the uniforms.
    pub seed: u64,
    /// The lanes.
    pub tracks: Vec<Track>,
    /// The first step (from 0) at which a lane's token differs from the first lane's.
    pub parted: Option<usize>,
    /// Tokens a second of the last forward steps that were computed, all lanes together.
    pub speed: Option<f64>,
    /// The prompt view; none until it was asked for, and after the prompt has changed.
    pub expected: Option<Arc<[Expectation]>>,
}

/// What the lab's thread says.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The lab as it is now: at first when the model is loaded, then after every request and between the tokens of a long
    /// one. The number is the newest request's that it contains.
    View(u64, Box<View>),
    /// The request could not be carried out, and why. Nothing was changed.
    Refused(u64, String),
    /// A run was written here.
    Exported(PathBuf),
    /// The model cannot be loaded, and why. There is no lab.
    Failed(String),
}
