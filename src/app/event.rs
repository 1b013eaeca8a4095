//! What comes in and what goes out.

use super::key::Key;
use crate::judge::report::CaseReport;
use crate::lab::view::{Answer, Request};
use crate::runner::verdict::{Implementation, Run};
use crate::store::{Progress, Version};
use std::collections::HashMap;

/// Something happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A key.
    Key(Key),
    /// Pasted text.
    Paste(String),
    /// A click at column and row.
    Click(u16, u16),
    /// The wheel turned at column and row; rows to scroll, down is positive.
    Wheel(u16, u16, isize),
    /// A frame was drawn, with this layout.
    Drawn(Layout),
    /// Time passes while something runs, in seconds since it began.
    Tick(f64),
    /// Time passes while the judge is being made ready, in seconds since that began.
    WarmTick(u64),
    /// The history was read.
    Loaded(HashMap<String, Progress>),
    /// Something about the judge that is being made ready.
    Warm(Warm),
    /// Something about a run; runs are numbered, and only the newest counts.
    Run(u64, RunEvent),
    /// A problem's file was saved.
    Saved(String),
    /// The folder is not watched by the system, and why.
    Polling(String),
    /// The kept versions of a problem.
    Versions(String, Vec<Version>),
    /// The text of a problem's file.
    Source(String, String),
    /// A skeleton was put back; the old text is this version.
    WasReset(String, i64),
    /// The lab's thread says something.
    Lab(Answer),
    /// A sampler that is to draw in a lane of the lab stands ready, or the reason why it does not.
    Guest(usize, Result<(), String>),
    /// It is time for the next step of a lab that plays.
    Play,
    /// Something to tell the reader.
    Notice(Level, String),
}

/// How urgent a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// Take care.
    Warning,
    /// Something failed.
    Error,
}

/// How far the judge is.
#[derive(Clone, Debug, PartialEq)]
pub enum Warm {
    /// Waiting for another cargo.
    Waiting,
    /// Cargo says this.
    Building(String),
    /// Ready.
    Ready,
    /// It cannot be built.
    Failed(String),
}

/// What happens in a run.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// It waits for another cargo.
    Waiting,
    /// Cargo says this.
    Building(String),
    /// The build is over.
    Built,
    /// The cases that will run, and where.
    Planned(Vec<String>, String),
    /// A case is over.
    CaseDone(Box<CaseReport>),
    /// The mistakes are being tried.
    Diagnosing,
    /// It is over.
    Done(Box<Run>),
    /// It could not be done.
    Failed(String),
}

/// Something is to be done outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Judge; cancels what runs.
    Run {
        /// The run's number.
        generation: u64,
        /// The problem.
        slug: String,
        /// What.
        implementation: Implementation,
        /// Only this case.
        only: Option<String>,
    },
    /// Cancel what runs.
    Cancel,
    /// Open the reader's file in their editor.
    Edit {
        /// The problem.
        slug: String,
        /// The line to stand on.
        line: Option<usize>,
    },
    /// Count a hint.
    HintShown(String, usize),
    /// Note that the reference was shown.
    SolutionShown(String),
    /// Keep the text and put the skeleton back.
    Reset(String),
    /// Read the kept versions.
    LoadVersions(String),
    /// Read the reader's file.
    LoadSource(String),
    /// Read a kept version and judge it.
    RunSaved {
        /// The run's number.
        generation: u64,
        /// The problem.
        slug: String,
        /// The version.
        id: i64,
        /// Only this case.
        only: Option<String>,
    },
    /// Ask the lab for something, under this number.
    Lab(u64, Request),
    /// Build a sampler and start it, to draw in a lane of the lab.
    Serve {
        /// The lane.
        lane: usize,
        /// The problem.
        slug: &'static str,
        /// Which.
        implementation: Implementation,
    },
    /// Let the sampler that stands ready draw in this lane; answered like a request of this number.
    Invite(u64, usize),
    /// Put a text into the terminal's clipboard.
    Copy(String),
    /// Sleep until `fg`.
    Suspend,
    /// End the program.
    Quit,
}

/// Where things were drawn, for the mouse and for scrolling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Screen width.
    pub width: u16,
    /// Screen height.
    pub height: u16,
    /// Whether list and detail are side by side.
    pub wide: bool,
    /// The list's area: x, y, width, height.
    pub list: [u16; 4],
    /// First list row that is seen.
    pub list_offset: usize,
    /// The detail's area.
    pub detail: [u16; 4],
    /// Rows of the detail in all.
    pub detail_rows: usize,
    /// The tabs that are there: x, y, width of each.
    pub tabs: Vec<[u16; 3]>,
    /// The panel over the screen.
    pub panel: [u16; 4],
    /// The lines in it that can be chosen.
    pub choices: [u16; 4],
    /// The first of them that is seen.
    pub choices_offset: usize,
    /// How many rows the panel's text has, where it is scrolled.
    pub panel_rows: usize,
    /// The names of the places in the header: x, y, width of each.
    pub places: Vec<[u16; 3]>,
    /// The lab.
    pub lab: LabLayout,
}

/// Where the lab put things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabLayout {
    /// The rows of the table of candidates or of the prompt view.
    pub table: [u16; 4],
    /// What each of them is: a candidate's or a place's number.
    pub rows: Vec<usize>,
    /// The lines of the open list.
    pub list: [u16; 4],
    /// The first of them that is seen.
    pub list_offset: usize,
    /// The lanes.
    pub lanes: Vec<[u16; 4]>,
    /// Generated tokens of the transcript: x, y, width, and the step.
    pub tokens: Vec<([u16; 3], usize)>,
}
