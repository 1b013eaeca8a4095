//! The main function of an attempt's binary.
//!
//! Run by hand it prints the verdict as text. Run with `--report` it speaks lines of JSON on what was its standard
//! output, after moving standard output over to standard error, so that nothing the attempt prints can disturb them
//! and no process that the attempt starts can hold the channel open.

use super::case::Error;
use super::device::DeviceChoice;
use super::meter;
use super::problem::Problem;
use super::report::{Line, Report};
use super::run::Options;
use super::serve::Reply;
use super::text;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock};

static CHANNEL: OnceLock<Mutex<File>> = OnceLock::new();

const USAGE: &str =
    "usage: <attempt> [--device auto|cpu|cuda:N|metal] [--case NAME] [--report | --serve] [--memory BYTES]";

/// How an attempt's process was asked to run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostArgs {
    /// Speak JSON lines on a channel of its own.
    pub report: bool,
    /// Answer questions for single tokens, for problems that are about a sampler.
    pub serve: bool,
    /// The device.
    pub device: DeviceChoice,
    /// Only this case.
    pub only: Option<String>,
    /// The memory limit in bytes.
    pub memory: Option<u64>,
}

impl HostArgs {
    /// Reads the arguments of an attempt's process.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let (mut parsed, mut args) = (Self::default(), args.into_iter());
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
            match arg.as_str() {
                "--report" => parsed.report = true,
                "--serve" => parsed.serve = true,
                "--device" => parsed.device = value()?.parse()?,
                "--case" => parsed.only = Some(value()?),
                "--memory" => parsed.memory = Some(value()?.parse().map_err(|_| "--memory takes bytes".to_owned())?),
                _ => return Err(format!("unknown argument {arg}\n{USAGE}")),
            }
        }
        Ok(parsed)
    }

    /// The arguments that [`HostArgs::parse`] reads back.
    pub fn to_args(&self) -> Vec<String> {
        let mut args = vec!["--device".to_owned(), self.device.to_string()];
        args.extend(self.report.then(|| "--report".to_owned()));
        args.extend(self.serve.then(|| "--serve".to_owned()));
        args.extend(self.only.iter().flat_map(|name| ["--case".to_owned(), name.clone()]));
        args.extend(self.memory.iter().flat_map(|bytes| ["--memory".to_owned(), bytes.to_string()]));
        args
    }
}

/// Judges `attempt` as the process's arguments ask. This is what `attempt!` calls.
pub fn attempt_main<A: Copy + Send + Sync + 'static>(problem: Problem<A>, attempt: A) -> ExitCode {
    let outcome = HostArgs::parse(std::env::args().skip(1)).and_then(|args| {
        if args.serve {
            return serve(&args, &mut |questions, say| problem.serve(&attempt, questions, say));
        }
        host(&args, &mut |options, say| {
            problem.judge(&attempt, options, say);
            Ok(())
        })
    });
    match outcome {
        Ok(code) => code,
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

/// Judges something, saying each line as soon as it is known.
pub type JudgeFn<'a> = dyn FnMut(&Options, &mut dyn FnMut(Line)) -> Result<(), String> + 'a;

/// Runs `judge` under the process's limits and reports what it says.
pub fn host(args: &HostArgs, judge: &mut JudgeFn) -> Result<ExitCode, String> {
    let device = args.device.open()?;
    let options = Options { device, only: args.only.clone() };
    if args.report {
        let channel = super::channel::take_stdout().map_err(|e| format!("no report channel: {e}"))?;
        let channel = CHANNEL.get_or_init(|| Mutex::new(channel));
        if let Some(bytes) = args.memory {
            meter::limit(bytes, out_of_memory);
        }
        judge(&options, &mut |line| write_line(channel, &line))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::default();
    judge(&options, &mut |line| report.push(line))?;
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text::report(&report).as_bytes());
    Ok(if report.complete && report.passed() == report.cases.len() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Serves a sampler: reads questions, says each reply as soon as it is known.
pub type ServeFn<'a> = dyn FnMut(&mut dyn BufRead, &mut dyn FnMut(Reply)) -> Result<(), String> + 'a;

/// Runs `answer` under the process's limits, on a channel that the attempt cannot reach.
pub fn serve(args: &HostArgs, answer: &mut ServeFn) -> Result<ExitCode, String> {
    let channel = super::channel::take_stdout().map_err(|e| format!("no report channel: {e}"))?;
    let channel = CHANNEL.get_or_init(|| Mutex::new(channel));
    let questions = super::channel::take_stdin().map_err(|e| format!("no questions: {e}"))?;
    if let Some(bytes) = args.memory {
        meter::limit(bytes, out_of_memory);
    }
    answer(&mut BufReader::new(questions), &mut |reply| write_line(channel, &reply))?;
    Ok(ExitCode::SUCCESS)
}

fn write_line(channel: &Mutex<File>, line: &impl serde::Serialize) {
    // A reader that is gone has no use for the line; the process is about to be ended anyway.
    if let (Ok(mut text), Ok(mut channel)) = (serde_json::to_string(line), channel.lock()) {
        text.push('\n');
        let _ = channel.write_all(text.as_bytes());
    }
}

fn out_of_memory(bytes: u64, limit: u64) {
    if let Some(channel) = CHANNEL.get() {
        write_line(channel, &Line::OutOfMemory { bytes, limit });
    }
    std::process::abort();
}

fn complain(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.to_string()
    }
}
