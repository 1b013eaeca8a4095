//! What the judge says, line by line, from inside the attempt's process. One [`Line`] is one line of JSON on a channel
//! of its own; the runner folds them into a [`Report`].

use super::number::Num;
use serde::{Deserialize, Serialize};

/// Raised when a line changes its meaning; the runner refuses another number.
pub const PROTOCOL: u32 = 1;

/// One line of the report channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// First of all.
    Start {
        /// [`PROTOCOL`].
        protocol: u32,
        /// The problem's slug.
        problem: String,
        /// The cases that will run, in order.
        cases: Vec<String>,
        /// The device that the cases run on, as the report shows it ("cpu", "cuda:0").
        device: String,
    },
    /// A case begins; the time limit of a case counts from here.
    CaseStarted {
        /// Index into `cases`.
        index: usize,
    },
    /// A case is over.
    CaseDone(CaseReport),
    /// The mistakes are being tried on the failed cases.
    Diagnosing,
    /// The mistake that produces the attempt's output.
    Diagnosis(Diagnosis),
    /// Time and memory beside the reference, after acceptance.
    Cost(Cost),
    /// The memory meter's limit was reached; the process ends itself right after this line.
    OutOfMemory {
        /// What the attempt had asked for in all, in bytes.
        bytes: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// Last of all. A report without it is a failure whatever the cases say.
    Done {
        /// How many cases were completed.
        completed: usize,
    },
}

/// One case's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseReport {
    /// Index into the cases of [`Line::Start`].
    pub index: usize,
    /// Its name.
    pub name: String,
    /// What came of it.
    pub result: CaseResult,
    /// Time of the attempt's run of the case, in milliseconds.
    pub ms: f64,
    /// The inputs, printed as Rust where the case is small enough, so that a case can be replayed by hand.
    pub inputs: Vec<Input>,
}

/// An input of a case as the reader may see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The parameter's name.
    pub name: String,
    /// A Rust expression that makes it, or a description where it is too large to print.
    pub text: String,
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CaseResult {
    /// Every observation agrees.
    Passed,
    /// Some do not.
    Differs {
        /// The observations that differ.
        mismatches: Vec<Mismatch>,
    },
    /// `todo!()` or `unimplemented!()`.
    NotImplemented {
        /// The panic's message.
        message: String,
    },
    /// Any other panic.
    Panicked {
        /// The panic's message.
        message: String,
        /// `file:line:column`, where known.
        location: Option<String>,
    },
    /// The attempt returned `Err`.
    Failed {
        /// The error's text.
        message: String,
    },
}

impl CaseResult {
    /// Whether the case passed.
    pub fn passed(&self) -> bool {
        matches!(self, Self::Passed)
    }
}

/// One observation that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The observation's name.
    pub observation: String,
    /// One sentence: how it differs.
    pub summary: String,
    /// The numbers behind the sentence.
    pub detail: Detail,
}

/// The numbers behind a mismatch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Detail {
    /// Same shape, other values (floats or integers).
    Values {
        /// Shape of both.
        shape: Vec<usize>,
        /// Index of the first place that differs.
        first: Vec<usize>,
        /// The reference's value there.
        expected: Num,
        /// The attempt's value there.
        got: Num,
        /// Largest absolute difference.
        max_abs: Num,
        /// Largest relative difference.
        max_rel: Num,
        /// How many places differ.
        differing: usize,
        /// How many there are.
        total: usize,
        /// The relative tolerance (0 for integers).
        rtol: f64,
        /// A window of both around the first difference.
        window: Window,
    },
    /// Another shape.
    Shape {
        /// The reference's.
        expected: Vec<usize>,
        /// The attempt's.
        got: Vec<usize>,
    },
    /// Another dtype or kind of value.
    Kind {
        /// The reference's.
        expected: String,
        /// The attempt's.
        got: String,
    },
    /// Lists of lines (text, or calls) that part at `first`.
    Lines {
        /// The reference's.
        expected: Vec<String>,
        /// The attempt's.
        got: Vec<String>,
        /// Index of the first line that differs.
        first: usize,
    },
    /// Two single values.
    Single {
        /// The reference's.
        expected: String,
        /// The attempt's.
        got: String,
    },
    /// Too much memory.
    Peak {
        /// Used.
        bytes: u64,
        /// Allowed.
        bound: u64,
    },
    /// Draws that do not follow their distribution.
    Draws {
        /// Chi-square statistic.
        statistic: Num,
        /// Above this it is rejected.
        critical: Num,
        /// Expected probability of each outcome (at most 64).
        expected: Vec<Num>,
        /// Observed frequency of each outcome (at most 64).
        got: Vec<Num>,
    },
}

/// A window, at most 64×64, of the last two axes at the first difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Index of the leading axes that the window is cut from.
    pub at: Vec<usize>,
    /// First row and first column.
    pub origin: [usize; 2],
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
    /// `rows × cols` values of the reference.
    pub expected: Vec<Num>,
    /// `rows × cols` values of the attempt.
    pub got: Vec<Num>,
}

/// The mistake that an attempt makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The mistake's name.
    pub mistake: String,
    /// What was done, and why it is wrong (or whose convention it is).
    pub sentence: String,
    /// True: a legitimate convention elsewhere, only not the one asked for.
    pub convention: bool,
    /// True: it gives the attempt's outcome in every case; false: in every failed case.
    pub exact: bool,
    /// Other mistakes that give the same outcome (their names), if any.
    pub also: Vec<String>,
}

/// The larger case that is reported and never judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// What was run.
    pub name: String,
    /// Median milliseconds of the attempt.
    pub attempt_ms: f64,
    /// Median milliseconds of the reference.
    pub reference_ms: f64,
    /// Peak bytes of the attempt.
    pub attempt_peak: u64,
    /// Peak bytes of the reference.
    pub reference_peak: u64,
}

/// Everything that came over the channel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The problem's slug.
    pub problem: String,
    /// The device used.
    pub device: String,
    /// Names of the cases that were to run.
    pub planned: Vec<String>,
    /// Results so far, in order.
    pub cases: Vec<CaseReport>,
    /// The case that has begun and not ended.
    pub running: Option<usize>,
    /// The mistake, if it was recognised.
    pub diagnosis: Option<Diagnosis>,
    /// Cost beside the reference, after acceptance.
    pub cost: Option<Cost>,
    /// Bytes asked for and the limit, when the memory meter ended the process.
    pub out_of_memory: Option<(u64, u64)>,
    /// True once the last line has come and its count agrees.
    pub complete: bool,
}

impl Report {
    /// Takes one more line in.
    pub fn push(&mut self, line: Line) {
        match line {
            Line::Start { problem, cases, device, .. } => {
                (self.problem, self.planned, self.device) = (problem, cases, device);
            }
            Line::CaseStarted { index } => self.running = Some(index),
            Line::CaseDone(case) => {
                self.running = None;
                self.cases.push(case);
            }
            Line::Diagnosing => {}
            Line::Diagnosis(diagnosis) => self.diagnosis = Some(diagnosis),
            Line::Cost(cost) => self.cost = Some(cost),
            Line::OutOfMemory { bytes, limit } => self.out_of_memory = Some((bytes, limit)),
            Line::Done { completed } => {
                self.complete = completed == self.cases.len() && completed == self.planned.len() && completed > 0;
            }
        }
    }

    /// How many cases passed.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|case| case.result.passed()).count()
    }

    /// The first case that did not pass.
    pub fn first_failure(&self) -> Option<&CaseReport> {
        self.cases.iter().find(|case| !case.result.passed())
    }
}
