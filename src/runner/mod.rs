//! The runner: builds and runs an attempt, and says what became of it.
//!
//! Everything here blocks and is called from a worker thread. A wrong, crashing or uncompilable attempt is an `Ok`: its
//! [`Verdict`] is the answer. `Err` is for what is not the attempt's doing.

pub mod builtin;
mod cargo;
mod child;
pub mod practice;
mod process;
mod serve;
pub mod sharing;
pub mod text;
pub mod verdict;
pub mod watch;

pub use practice::{Ensured, Practice};
pub use serve::Serving;
pub use verdict::{Diagnostic, Implementation, Run, Verdict};

use crate::judge::DeviceChoice;
use crate::judge::host::HostArgs;
use crate::judge::report::{CaseReport, Report};
use cargo::{Built, Target};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is not the attempt's doing.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The texts say it.
pub enum Error {
    #[error("there is no problem \"{0}\"; `logitlings list` shows them all")]
    UnknownProblem(String),
    #[error("cargo was not found: install Rust from https://rustup.rs and open a new terminal")]
    NoCargo,
    #[error("the attempt cannot be built: {reason}")]
    CannotBuild { reason: String },
    #[error("{} cannot be started: {error}", program.display())]
    CannotStart { program: PathBuf, error: std::io::Error },
    #[error("cannot {doing} {}: {error}", path.display())]
    File { doing: &'static str, path: PathBuf, error: std::io::Error },
    #[error("{} is not UTF-8 text; is it a Rust source file?", .0.display())]
    NotText(PathBuf),
    #[error("no home folder is known: name the practice folder with --dir or $LOGITLINGS_DIR")]
    NoHome,
    #[error("no temporary folder can be made: {0}")]
    NoTemporary(std::io::Error),
    #[error(
        "the attempt was built for another version of the judge (protocol {theirs}, this program speaks {ours}): run it again"
    )]
    Protocol { theirs: u32, ours: u32 },
    #[error("the judge refused: {said}")]
    Refused { said: String },
    #[error("the folder cannot be watched: {0}")]
    Watch(String),
}

impl Error {
    pub(crate) fn file(doing: &'static str, path: &Path, error: std::io::Error) -> Self {
        Self::File { doing, path: path.to_owned(), error }
    }
}

/// What is to be judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The problem.
    pub slug: String,
    /// Which implementation.
    pub implementation: Implementation,
    /// On which device.
    pub device: DeviceChoice,
    /// Only the case of this name.
    pub only: Option<String>,
}

/// How much a build and a run may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Time of a build.
    pub build: Duration,
    /// Time of one case.
    pub case: Duration,
    /// Time of a whole run.
    pub run: Duration,
    /// Memory in bytes.
    pub memory: u64,
    /// Printed bytes.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            build: Duration::from_secs(900),
            case: Duration::from_secs(10),
            run: Duration::from_secs(60),
            memory: 4 << 30,
            output: 1 << 20,
        }
    }
}

/// A flag that ends what it was given to.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What happens while one waits.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// Another cargo holds the lock.
    WaitingForCargo,
    /// A line of cargo's.
    Building {
        /// "Compiling candle-core v0.11.1"
        line: String,
    },
    /// The build is over.
    Built {
        /// Its time.
        seconds: f64,
    },
    /// The cases that will run.
    Planned {
        /// Their names.
        cases: Vec<String>,
        /// The device.
        device: String,
    },
    /// A case begins.
    CaseStarted {
        /// Index into the planned cases.
        index: usize,
    },
    /// A case is over.
    CaseDone(CaseReport),
    /// The mistakes are being tried.
    Diagnosing,
}

/// What warming did.
#[derive(Clone, Debug, PartialEq)]
pub struct Warmed {
    /// Its time.
    pub seconds: f64,
}

/// Builds and runs attempts of one practice folder.
#[derive(Clone, Debug)]
pub struct Runner {
    practice: Practice,
    limits: Limits,
    /// The scratch file is one; whoever needs it waits.
    scratch: Arc<Mutex<()>>,
}

impl Runner {
    /// A runner for a folder.
    pub fn new(practice: Practice, limits: Limits) -> Self {
        Self { practice, limits, scratch: Arc::default() }
    }

    /// The folder.
    pub fn practice(&self) -> &Practice {
        &self.practice
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Builds (where the implementation is a text) and runs. Blocks.
    pub fn run(&self, request: &Request, cancel: &Cancel, progress: &mut dyn FnMut(Progress)) -> Result<Run, Error> {
        match &request.implementation {
            Implementation::Own => {
                let source = self.practice.read(&request.slug)?;
                self.build_and_run(request, &Target::Own(&request.slug), source, cancel, progress)
            }
            Implementation::Saved { text, id } => {
                self.scratch_run(request, text.clone(), Path::new(&format!("version {id}")), cancel, progress)
            }
            Implementation::File(path) => {
                let source = practice::read_text(path)?;
                self.scratch_run(request, source, path, cancel, progress)
            }
            Implementation::Reference => self.builtin(request, None, cancel, progress),
            Implementation::Mistake(name) => self.builtin(request, Some(name), cancel, progress),
        }
    }

    /// Builds an implementation of a sampler and starts it, ready for questions. Blocks. What does not compile is an error
    /// here, with what rustc said first.
    pub fn serve(
        &self,
        slug: &str,
        implementation: &Implementation,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Serving, Error> {
        let entry = crate::pack::find(slug).ok_or_else(|| Error::UnknownProblem(slug.to_owned()))?;
        if !(entry.problem)().is_sampler() {
            return Err(Error::Refused { said: format!("{slug} is about no sampler: there is nothing to serve") });
        }
        let mistake = match implementation {
            Implementation::Reference => None,
            Implementation::Mistake(name) => Some(name.as_str()),
            Implementation::Own => return self.serve_built(slug, &Target::Own(slug), cancel, progress),
            Implementation::Saved { text, id } => {
                let shown = format!("version {id}");
                return self.serve_text(slug, text, Path::new(&shown), cancel, progress);
            }
            Implementation::File(path) => {
                return self.serve_text(slug, &practice::read_text(path)?, path, cancel, progress);
            }
        };
        builtin::known(slug, mistake)?;
        Serving::start(&builtin::program()?, &builtin::args(slug, mistake), slug, &self.limits)
    }

    fn serve_text(
        &self,
        slug: &str,
        text: &str,
        shown: &Path,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Serving, Error> {
        // The program is loaded once it has said that it is ready: then the scratch file may change.
        let _alone = self.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        practice::replace(&self.practice.scratch(), text)?;
        self.serve_built(slug, &Target::Scratch { shown }, cancel, progress)
    }

    fn serve_built(
        &self,
        slug: &str,
        target: &Target,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Serving, Error> {
        let built = cargo::build(&self.practice, target, &self.limits, cancel, progress)?;
        match built.executable {
            Some(program) if !built.cancelled => Serving::start(&program, &[], slug, &self.limits),
            _ => {
                let first = built.diagnostics.first().map(|first| text::plain(&first.rendered)).unwrap_or_default();
                let reason = if built.cancelled { "it was stopped".to_owned() } else { first };
                Err(Error::CannotBuild { reason })
            }
        }
    }

    /// Builds the library as the practice folder needs it, so that the first verdict is not the slow one. Blocks.
    pub fn warm(&self, cancel: &Cancel, progress: &mut dyn FnMut(Progress)) -> Result<Warmed, Error> {
        self.practice.ensure()?;
        let built = cargo::build(&self.practice, &Target::Library, &self.limits, cancel, progress)?;
        Ok(Warmed { seconds: built.seconds })
    }

    fn scratch_run(
        &self,
        request: &Request,
        source: String,
        shown: &Path,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Run, Error> {
        let _alone = self.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        practice::replace(&self.practice.scratch(), &source)?;
        self.build_and_run(request, &Target::Scratch { shown }, source, cancel, progress)
    }

    fn build_and_run(
        &self,
        request: &Request,
        target: &Target,
        source: String,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Run, Error> {
        let built = cargo::build(&self.practice, target, &self.limits, cancel, progress)?;
        let mut run = Run { build_seconds: built.seconds, source: Some(source), ..empty(&request.slug) };
        if built.waited {
            run.notes.push("another cargo was building in this folder; the build waited for it".to_owned());
        }
        let Built { executable, diagnostics, cancelled, seconds, .. } = built;
        run.diagnostics = diagnostics;
        if cancelled || cancel.is_cancelled() {
            run.verdict = Verdict::Cancelled;
            return Ok(run);
        }
        let Some(program) = executable else {
            run.verdict = Verdict::DoesNotCompile;
            return Ok(run);
        };
        progress(Progress::Built { seconds });
        self.judge(request, &program, &[], run, cancel, progress)
    }

    /// The reference and the mistakes are in this program already; they run in a child like any other attempt.
    fn builtin(
        &self,
        request: &Request,
        mistake: Option<&str>,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Run, Error> {
        builtin::known(&request.slug, mistake)?;
        let program = builtin::program()?;
        let args = builtin::args(&request.slug, mistake);
        self.judge(request, &program, &args, empty(&request.slug), cancel, progress)
    }

    fn judge(
        &self,
        request: &Request,
        program: &Path,
        args: &[String],
        mut run: Run,
        cancel: &Cancel,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Run, Error> {
        let host = HostArgs { device: request.device, only: request.only.clone(), ..HostArgs::default() };
        let done = child::run(program, args, &host, &self.limits, cancel, progress)?;
        run.verdict = done.verdict;
        run.report = done.report;
        // A file can end in the `attempt!` of another problem: what that one's judge says is no verdict on this one.
        if !run.report.problem.is_empty() && run.report.problem != request.slug && run.verdict != Verdict::Cancelled {
            let how = format!("it is an attempt at {}: its `attempt!` must name {}", run.report.problem, request.slug);
            run.verdict = Verdict::Crashed { case: None, how };
            run.report = Report::default();
        }
        run.output = done.output;
        run.output_cut = done.output_cut;
        run.run_seconds = done.seconds;
        run.notes.extend(done.notes);
        Ok(run)
    }
}

fn empty(slug: &str) -> Run {
    Run {
        problem: slug.to_owned(),
        verdict: Verdict::Cancelled,
        report: Report::default(),
        diagnostics: Vec::new(),
        output: String::new(),
        output_cut: false,
        build_seconds: 0.0,
        run_seconds: 0.0,
        source: None,
        notes: Vec::new(),
    }
}
