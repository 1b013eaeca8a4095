//! What became of a run: a value, never an `Err`. `Err` is for our own failures.

use crate::judge::report::{Diagnosis, Report};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Which implementation is judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Implementation {
    /// The reader's own file in the practice folder.
    Own,
    /// A version out of the store.
    Saved {
        /// The store's id of the version.
        id: i64,
        /// Its text.
        text: String,
    },
    /// Any file.
    File(PathBuf),
    /// The right answer.
    Reference,
    /// A known mistake, by name.
    Mistake(String),
}

/// The answer to "is it right?".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// Every case passed.
    Accepted,
    /// At least one case differs.
    WrongAnswer {
        /// The mistake, if it was recognised.
        diagnosis: Option<Diagnosis>,
    },
    /// `todo!()` was reached and nothing else is wrong.
    NotImplemented,
    /// rustc refused.
    DoesNotCompile,
    /// The attempt panicked.
    Panicked {
        /// In which case.
        case: String,
        /// The panic's message.
        message: String,
        /// If the panic is that of a known mistake.
        diagnosis: Option<Diagnosis>,
    },
    /// A time limit.
    TimedOut {
        /// The case that was running; none: before or after the cases.
        case: Option<String>,
        /// The limit that was reached, in seconds.
        seconds: f64,
    },
    /// The memory limit.
    OutOfMemory {
        /// The case that was running.
        case: Option<String>,
        /// The limit in bytes.
        limit: u64,
    },
    /// The output limit.
    TooMuchOutput {
        /// The case that was running.
        case: Option<String>,
        /// The limit in bytes.
        limit: u64,
    },
    /// The process died.
    Crashed {
        /// The case that was running.
        case: Option<String>,
        /// "stack overflow", "abort (SIGABRT)", "exit code 0 before the end of the run" …
        how: String,
    },
    /// Processes were left behind (and ended by us).
    LeftProcesses {
        /// How many.
        count: usize,
    },
    /// A newer request took its place.
    Cancelled,
}

/// One of rustc's messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// "error", "warning" …
    pub level: String,
    /// First line of the message.
    pub message: String,
    /// File, line and column of the primary span.
    pub place: Option<(String, usize, usize)>,
    /// rustc's own rendering, with ANSI colours.
    pub rendered: String,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The problem's slug.
    pub problem: String,
    /// The answer.
    pub verdict: Verdict,
    /// Everything the judge said.
    pub report: Report,
    /// rustc's messages: errors first, then warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What the attempt itself printed (stdout and stderr together), bounded.
    pub output: String,
    /// True if some of the output was dropped.
    pub output_cut: bool,
    /// Seconds of the build.
    pub build_seconds: f64,
    /// Seconds of the run.
    pub run_seconds: f64,
    /// The text that was judged, where it was a file.
    pub source: Option<String>,
    /// Things worth saying that are not the verdict ("a process escaped its group", "waited for another cargo").
    pub notes: Vec<String>,
}
