//! One run of an attempt's program under its limits.

use super::process::{Group, Heard, Pipe, resident};
use super::verdict::Verdict;
use super::{Cancel, Error, Limits, Progress};
use crate::judge::host::HostArgs;
use crate::judge::report::{CaseResult, Line, PROTOCOL, Report};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// A report line holds windows of tensors; nothing that it says is longer than this.
const LINE: usize = 16 << 20;
/// How long the pipes may take to run dry after the end.
const DRAIN: Duration = Duration::from_millis(500);
/// How often the process tree's memory is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What came of it.
pub(super) struct Finished {
    pub verdict: Verdict,
    pub report: Report,
    pub output: String,
    pub output_cut: bool,
    pub seconds: f64,
    pub notes: Vec<String>,
}

/// Why a run was ended before its end.
enum Ended {
    Case,
    Run,
    Memory,
    Output,
    Cancelled,
}

struct Watched<'a> {
    limits: &'a Limits,
    report: Report,
    output: Vec<u8>,
    printed: u64,
    case_started: Option<Instant>,
    diagnosing: bool,
    protocol: Option<u32>,
}

/// Runs `program` with `args` in front of the judge's own.
pub(super) fn run(
    program: &Path,
    args: &[String],
    host: &HostArgs,
    limits: &Limits,
    cancel: &Cancel,
    progress: &mut dyn FnMut(Progress),
) -> Result<Finished, Error> {
    let folder = tempfile::Builder::new().prefix("logitlings-run-").tempdir().map_err(Error::NoTemporary)?;
    let host = HostArgs { report: true, memory: Some(limits.memory), ..host.clone() };
    let mut command = Command::new(program);
    command.args(args).args(host.to_args()).current_dir(folder.path());
    scrub(&mut command);
    let started = Instant::now();
    let mut group =
        Group::spawn(&mut command).map_err(|error| Error::CannotStart { program: program.to_owned(), error })?;
    let events = group.listen(LINE);
    let mut watched = Watched {
        limits,
        report: Report::default(),
        output: Vec::new(),
        printed: 0,
        case_started: None,
        diagnosing: false,
        protocol: None,
    };
    let (mut open, mut looked, mut ended) = ([true, true], Instant::now(), None);
    // The report channel belongs to the attempt's own process alone: when it closes, that process is over.
    while open[0] && ended.is_none() {
        match events.recv_timeout(watched.patience(started)) {
            Ok((pipe, heard)) => watched.take(pipe, heard, &mut open, progress),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
        }
        ended = watched.limit(started, cancel);
        if ended.is_none() && looked.elapsed() > LOOK {
            looked = Instant::now();
            ended = (resident(group.id()) > limits.memory).then_some(Ended::Memory);
        }
    }
    if ended.is_some() {
        group.end();
    }
    let status = group.wait_until(Instant::now() + Duration::from_secs(1));
    let left = if ended.is_some() { 0 } else { group.members().len() };
    group.end();
    let mut notes = Vec::new();
    let deadline = Instant::now() + DRAIN;
    while open.contains(&true) {
        let Some(rest) = deadline.checked_duration_since(Instant::now()) else {
            notes.push(
                "a process that the attempt started left its group and still holds the output; it was not ended"
                    .to_owned(),
            );
            break;
        };
        match events.recv_timeout(rest) {
            Ok((pipe, heard)) => watched.take(pipe, heard, &mut open, progress),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
    if let Some(other) = watched.protocol.filter(|number| *number != PROTOCOL) {
        return Err(Error::Protocol { theirs: other, ours: PROTOCOL });
    }
    if !watched.report.complete && ended.is_none() && watched.report.planned.is_empty() && is_usage(status) {
        return Err(Error::Refused { said: String::from_utf8_lossy(&watched.output).trim().to_owned() });
    }
    Ok(Finished {
        verdict: watched.verdict(ended, status, left),
        output: String::from_utf8_lossy(&watched.output).into_owned(),
        output_cut: watched.printed > watched.output.len() as u64,
        report: watched.report,
        seconds: started.elapsed().as_secs_f64(),
        notes,
    })
}

/// Exit code 2 without a report: the attempt's process refused its arguments (a device that cannot be used, say).
fn is_usage(status: Option<ExitStatus>) -> bool {
    status.and_then(|status| status.code()) == Some(2)
}

/// The attempt sees what it needs to run and to find a GPU, and nothing of who runs it.
pub(super) fn scrub(command: &mut Command) {
    const KEPT: &[&str] = &[
        "PATH",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "SystemRoot",
        "TMPDIR",
        "TEMP",
        "RAYON_NUM_THREADS",
        "LANG",
        "LC_ALL",
    ];
    command.env_clear().env("RUST_BACKTRACE", "0");
    for (name, value) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if KEPT.contains(&&*text) || ["CUDA_", "NVIDIA_"].iter().any(|prefix| text.starts_with(prefix)) {
            command.env(&name, value);
        }
    }
}

impl Watched<'_> {
    fn take(&mut self, pipe: Pipe, heard: Heard, open: &mut [bool; 2], progress: &mut dyn FnMut(Progress)) {
        match (pipe, heard) {
            (Pipe::Stdout, Heard::End) => open[0] = false,
            (Pipe::Stderr, Heard::End) => open[1] = false,
            (Pipe::Stdout, Heard::Line(line)) => self.line(&line, progress),
            (Pipe::Stderr, Heard::Line(mut line)) => {
                line.push(b'\n');
                self.printed += line.len() as u64;
                let room = (self.limits.output as usize).saturating_sub(self.output.len());
                self.output.extend_from_slice(&line[..line.len().min(room)]);
            }
        }
    }

    fn line(&mut self, line: &[u8], progress: &mut dyn FnMut(Progress)) {
        let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
        match &line {
            Line::Start { protocol, cases, device, .. } => {
                self.protocol = Some(*protocol);
                progress(Progress::Planned { cases: cases.clone(), device: device.clone() });
            }
            Line::CaseStarted { index } => {
                self.case_started = Some(Instant::now());
                progress(Progress::CaseStarted { index: *index });
            }
            Line::CaseDone(case) => {
                self.case_started = None;
                progress(Progress::CaseDone(case.clone()));
            }
            Line::Diagnosing => {
                self.diagnosing = true;
                progress(Progress::Diagnosing);
            }
            _ => {}
        }
        self.report.push(line);
    }

    /// How long to wait for the next event: to the nearest limit, and never long, since cancelling is seen between two.
    fn patience(&self, started: Instant) -> Duration {
        let nearest = self.case_started.map_or(started + self.limits.run, |at| at + self.limits.case);
        nearest.saturating_duration_since(Instant::now()).clamp(Duration::from_millis(1), Duration::from_millis(20))
    }

    fn limit(&self, started: Instant, cancel: &Cancel) -> Option<Ended> {
        if cancel.is_cancelled() {
            Some(Ended::Cancelled)
        } else if self.printed > self.limits.output {
            Some(Ended::Output)
        } else if self.case_started.is_some_and(|at| at.elapsed() > self.limits.case) {
            Some(Ended::Case)
        } else if started.elapsed() > self.limits.run {
            Some(Ended::Run)
        } else {
            None
        }
    }

    /// The case that was running.
    fn case(&self) -> Option<String> {
        self.report.running.and_then(|index| self.report.planned.get(index).cloned())
    }

    fn verdict(&self, ended: Option<Ended>, status: Option<ExitStatus>, left: usize) -> Verdict {
        let case = self.case();
        let memory = self.limits.memory;
        match ended {
            Some(Ended::Cancelled) => return Verdict::Cancelled,
            Some(Ended::Case) => return Verdict::TimedOut { case, seconds: self.limits.case.as_secs_f64() },
            // The cases are over and only naming the mistake took too long: the cases count.
            Some(Ended::Run) if self.diagnosing => return self.by_cases(),
            Some(Ended::Run) => return Verdict::TimedOut { case, seconds: self.limits.run.as_secs_f64() },
            Some(Ended::Memory) => return Verdict::OutOfMemory { case, limit: memory },
            Some(Ended::Output) => return Verdict::TooMuchOutput { case, limit: self.limits.output },
            None => {}
        }
        if let Some((_, limit)) = self.report.out_of_memory {
            return Verdict::OutOfMemory { case, limit };
        }
        if !self.report.complete || !status.is_some_and(|status| status.success()) {
            return Verdict::Crashed { case, how: self.how(status) };
        }
        match self.by_cases() {
            Verdict::Accepted if left > 0 => Verdict::LeftProcesses { count: left },
            verdict => verdict,
        }
    }

    fn by_cases(&self) -> Verdict {
        let results = || self.report.cases.iter().filter(|case| !case.result.passed());
        let diagnosis = self.report.diagnosis.clone();
        let Some(first) = results().next() else { return Verdict::Accepted };
        if results().all(|case| matches!(case.result, CaseResult::NotImplemented { .. })) {
            return Verdict::NotImplemented;
        }
        let panics = || results().all(|case| matches!(case.result, CaseResult::Panicked { .. }));
        match &first.result {
            CaseResult::Panicked { message, .. } if panics() => {
                Verdict::Panicked { case: first.name.clone(), message: message.clone(), diagnosis }
            }
            _ => Verdict::WrongAnswer { diagnosis },
        }
    }

    fn how(&self, status: Option<ExitStatus>) -> String {
        let overflow = String::from_utf8_lossy(&self.output).contains("has overflowed its stack");
        match status {
            _ if overflow => "stack overflow: the recursion does not end".to_owned(),
            None => "the process did not end by itself and was ended".to_owned(),
            Some(status) => match (status.code(), signal_name(status)) {
                (Some(code), _) => format!("exited with code {code} before the end of the run"),
                (None, Some(name)) => name,
                (None, None) => "ended by the system".to_owned(),
            },
        }
    }
}

#[cfg(unix)]
fn signal_name(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    let number = status.signal()?;
    let name = nix::sys::signal::Signal::try_from(number).map_or(format!("signal {number}"), |s| s.as_str().to_owned());
    Some(match name.as_str() {
        "SIGABRT" => "aborted (SIGABRT)".to_owned(),
        "SIGSEGV" => "segmentation fault (SIGSEGV)".to_owned(),
        "SIGILL" => "illegal instruction (SIGILL)".to_owned(),
        "SIGKILL" => "killed (SIGKILL): by somebody else, perhaps the system for want of memory".to_owned(),
        other => format!("ended by {other}"),
    })
}

#[cfg(not(unix))]
fn signal_name(_: ExitStatus) -> Option<String> {
    None
}
