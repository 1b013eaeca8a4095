//! The lab's state: what its thread last said, what is looked at, what is open. The thread owns the lanes; here is only
//! what a reader sees of them.

pub mod sheet;
pub mod text;

use crate::lab::track::{Step, Track};
use crate::lab::view::{Request, View};
use crate::sampling::trace::rank;
pub use sheet::Line;
use std::sync::Arc;
use std::time::Duration;
pub use text::Text;

/// Steps a second of a lab that plays, slowest first.
pub const SPEEDS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// The lab.
#[derive(Clone, Debug, Default)]
pub struct Lab {
    /// The lab as its thread last told it; none until the model is loaded.
    pub view: Option<Box<View>>,
    /// Why there is no lab.
    pub failed: Option<String>,
    /// The number of the newest request.
    pub asked: u64,
    /// The newest request that the view contains.
    pub answered: u64,
    /// The chosen lane, as asked for: [`Lab::lane`] is the one that is there.
    pub wanted: usize,
    /// The selected candidate; none: the token that goes on.
    pub candidate: Option<u32>,
    /// Whether the prompt view is in the table's place.
    pub expecting: bool,
    /// The selected place of the prompt.
    pub place: usize,
    /// What is open beside the table.
    pub panel: Panel,
    /// Whether it steps on by itself.
    pub playing: bool,
    /// How fast, an index into [`SPEEDS`].
    pub speed: usize,
    /// Whether the first steps were asked for.
    pub begun: bool,
    /// A prompt that was sent under this number, until it is taken: a refused one is given back.
    pub sent: Option<(u64, Text)>,
    /// The lane for which a sampler of the reader's own is being built.
    pub inviting: Option<usize>,
    /// What is asked for once the request of this number is carried out.
    pub after: Option<(u64, Request)>,
}

/// What is open beside the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Panel {
    /// Nothing.
    #[default]
    None,
    /// The chosen lane's sampler.
    Settings {
        /// The selected line.
        line: Line,
    },
    /// Ready-made comparisons.
    Presets {
        /// The selected one.
        selected: usize,
    },
    /// The continuations that the chosen lane has left.
    Branches {
        /// The selected one.
        selected: usize,
    },
    /// Any token of the vocabulary.
    Find {
        /// What was typed.
        query: Text,
        /// The tokens that match it, best first.
        found: Vec<u32>,
        /// The selected one.
        selected: usize,
    },
    /// A prompt that is being written.
    Prompt(Text),
    /// One line that is being typed.
    Field(Field, Text),
}

/// What a typed line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The seed of the uniforms.
    Seed,
    /// The file that the run is written to.
    Export,
    /// The value of a setting.
    Value(Line),
}

impl Panel {
    /// Whether letters are text.
    pub fn takes_text(&self) -> bool {
        matches!(self, Self::Find { .. } | Self::Prompt(_) | Self::Field(..))
    }
}

impl Lab {
    /// The chosen lane.
    pub fn lane(&self) -> usize {
        let lanes = self.view.as_ref().map_or(1, |view| view.tracks.len().max(1));
        self.wanted.min(lanes - 1)
    }

    /// The chosen lane's track.
    pub fn track(&self) -> Option<&Track> {
        self.view.as_ref()?.tracks.get(self.lane())
    }

    /// The step that is looked at.
    pub fn step(&self) -> Option<&Step> {
        self.track()?.current()
    }

    /// The same, to tell one step from another.
    pub(super) fn identity(&self) -> Option<*const Step> {
        self.track()?.steps().last().map(Arc::as_ptr)
    }

    /// The table's candidates.
    pub fn candidates(&self) -> Vec<u32> {
        self.step().map(candidates).unwrap_or_default()
    }

    /// The row of the selected candidate.
    pub fn row(&self) -> usize {
        let wanted = self.candidate.or_else(|| self.step().map(Step::token));
        self.candidates().iter().position(|id| Some(*id) == wanted).unwrap_or(0)
    }

    /// How many steps are known, of the lane that knows most.
    pub fn known(&self) -> usize {
        let tracks = self.view.iter().flat_map(|view| &view.tracks);
        tracks.map(|track| track.known().len()).max().unwrap_or(0)
    }

    /// The step that the lanes stand behind: the furthest of them, since a lane may have ended earlier.
    pub fn cursor(&self) -> usize {
        let tracks = self.view.iter().flat_map(|view| &view.tracks);
        tracks.map(|track| track.steps().len()).max().unwrap_or(0)
    }

    /// The time from one step to the next of a lab that plays.
    pub fn pace(&self) -> Option<Duration> {
        self.playing.then(|| Duration::from_secs(1) / SPEEDS[self.speed.min(SPEEDS.len() - 1)])
    }

    /// Whether no lane can go on.
    pub fn ended(&self) -> bool {
        self.view.as_ref().is_some_and(|view| view.tracks.iter().all(|track| track.ended.is_some()))
    }
}

/// A step's candidates in the order of the model's rank: those that the sampler followed, and what was drawn or forced
/// wherever it stands.
pub fn candidates(step: &Step) -> Vec<u32> {
    let mut rows: Vec<(usize, u32)> = step.trace.rows.iter().map(|row| (row.rank, row.id)).collect();
    for id in [step.draw.id, step.token()] {
        if rows.iter().all(|(_, other)| *other != id) {
            rows.push((rank(&step.logits, id), id));
        }
    }
    rows.sort_unstable();
    rows.into_iter().map(|(_, id)| id).collect()
}

/// The model's own probability of a token.
pub fn raw_probability(step: &Step, id: u32) -> f64 {
    let Some(first) = step.trace.rows.first() else { return 0.0 };
    let (Some(&logit), Some(Some(best))) = (step.logits.get(id as usize), first.probabilities.first()) else {
        return 0.0;
    };
    // Both have the same softmax, so their ratio is that of the exponentials.
    best * (f64::from(logit) - f64::from(first.logit)).exp()
}

/// The first step (from 0) at which two lanes say something else.
pub fn parted(first: &Track, other: &Track) -> Option<usize> {
    first.steps().iter().zip(other.steps()).position(|(a, b)| a.token() != b.token())
}

/// Tokens that match what was typed: an id, then texts that are it, begin with it, hold it, whatever the case. `most` at
/// most.
pub fn find(view: &View, query: &str, most: usize) -> Vec<u32> {
    let words = &view.vocabulary;
    let (blank, lower) = (query.replace(' ', "␣"), query.to_lowercase());
    let mut found: Vec<(u8, usize, u32)> = Vec::new();
    for (id, (text, visible)) in words.text.iter().zip(&words.visible).enumerate() {
        let order = match () {
            () if query.parse() == Ok(id) => 0,
            () if text == query || visible == query || *visible == blank => 1,
            () if text.starts_with(query) || text.trim_start().starts_with(query) || visible.starts_with(&blank) => 2,
            () if text.contains(query) || visible.contains(query) => 3,
            () if text.to_lowercase().contains(&lower) => 4,
            () => continue,
        };
        found.push((order, text.len(), id as u32));
    }
    found.sort_unstable();
    found.into_iter().take(most).map(|(_, _, id)| id).collect()
}
