//! Building an attempt with cargo, and rustc's own words about it.

use super::practice::{SCRATCH, bin_name};
use super::process::{Group, Heard, Pipe};
use super::verdict::Diagnostic;
use super::{Cancel, Error, Limits, Practice, Progress};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A finished build.
pub(super) struct Built {
    /// The program; none where rustc refused.
    pub executable: Option<PathBuf>,
    pub diagnostics: Vec<Diagnostic>,
    pub seconds: f64,
    pub cancelled: bool,
    pub waited: bool,
}

/// What is built.
pub(super) enum Target<'a> {
    /// The reader's file of this problem.
    Own(&'a str),
    /// The scratch bin, in whose diagnostics the path of the scratch file reads as `shown`.
    Scratch { shown: &'a Path },
    /// The library alone.
    Library,
}

/// How long a line of cargo's JSON may be.
const LINE: usize = 8 << 20;

pub(super) fn build(
    practice: &Practice,
    target: &Target,
    limits: &Limits,
    cancel: &Cancel,
    progress: &mut dyn FnMut(Progress),
) -> Result<Built, Error> {
    let first = attempt(practice, target, limits, cancel, progress, true);
    match first {
        // Without a clone the crates may not be here yet; with one, its own build has fetched them.
        Err(Error::CannotBuild { ref reason }) if practice.clone_root().is_none() && wants_network(reason) => {
            attempt(practice, target, limits, cancel, progress, false)
        }
        other => other,
    }
}

fn wants_network(reason: &str) -> bool {
    ["--offline", "offline was specified", "no matching package", "unable to get packages"]
        .iter()
        .any(|w| reason.contains(w))
}

fn attempt(
    practice: &Practice,
    target: &Target,
    limits: &Limits,
    cancel: &Cancel,
    progress: &mut dyn FnMut(Progress),
    offline: bool,
) -> Result<Built, Error> {
    let started = Instant::now();
    let mut command = command(practice.root());
    command.args(["build", "--release", "--message-format=json-diagnostic-rendered-ansi"]);
    match target {
        Target::Own(name) => command.args(["--bin", &bin_name(name)]),
        Target::Scratch { .. } => command.args(["--bin", SCRATCH]),
        Target::Library => command.args(["--package", "logitlings", "--lib"]),
    };
    if offline {
        command.arg("--offline");
    }
    let mut cargo = Group::spawn(&mut command).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound if practice.root().exists() => Error::NoCargo,
        _ => {
            Error::CannotBuild { reason: format!("cargo cannot be started in {}: {error}", practice.root().display()) }
        }
    })?;
    let (mut said, mut messages, mut executable) = (String::new(), Vec::new(), None);
    let (mut cancelled, mut waited) = (false, false);
    let deadline = started + limits.build;
    let events = cargo.listen(LINE);
    let mut open = 2;
    while open > 0 {
        match events.recv_timeout(Duration::from_millis(25)) {
            Ok((_, Heard::End)) => open -= 1,
            Ok((Pipe::Stdout, Heard::Line(line))) => match serde_json::from_slice::<Json>(&line) {
                Ok(json) if json["reason"] == "compiler-message" => messages.push(json["message"].clone()),
                Ok(json) if json["reason"] == "compiler-artifact" => {
                    executable = json["executable"].as_str().map(PathBuf::from).or(executable);
                }
                _ => {}
            },
            Ok((Pipe::Stderr, Heard::Line(line))) => {
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                if line.starts_with("Blocking waiting for file lock") {
                    waited = true;
                    progress(Progress::WaitingForCargo);
                } else if !line.is_empty() {
                    progress(Progress::Building { line: line.clone() });
                }
                if said.len() < 1 << 16 {
                    said.push_str(&line);
                    said.push('\n');
                }
            }
            Err(_) => {}
        }
        if cancel.is_cancelled() || Instant::now() > deadline {
            cancelled = cancel.is_cancelled();
            cargo.end();
            if !cancelled {
                let seconds = limits.build.as_secs();
                return Err(Error::CannotBuild {
                    reason: format!("the build took more than {seconds} s and was ended"),
                });
            }
            break;
        }
    }
    let success = cargo.wait().is_some_and(|status| status.success());
    let mut diagnostics = diagnostics(&messages, target);
    let errors = diagnostics.iter().any(|d| d.level == "error");
    if !success && !errors && !cancelled {
        return Err(cannot_build(&said));
    }
    diagnostics.sort_by_key(|d| d.level != "error");
    Ok(Built {
        executable: if success { executable } else { None },
        diagnostics,
        seconds: started.elapsed().as_secs_f64(),
        cancelled,
        waited,
    })
}

/// cargo in the practice folder. What `cargo run` sets for the program itself would only confuse the inner cargo.
pub(super) fn command(folder: &Path) -> Command {
    const KEPT: &[&str] = &["CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_INCREMENTAL", "CARGO_BUILD_JOBS"];
    let mut command = Command::new("cargo");
    command.current_dir(folder).env("CARGO_TERM_PROGRESS_WHEN", "never").env("CARGO_TERM_COLOR", "never");
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let setting =
            ["CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR", "CARGO_SOURCE_"].iter().any(|p| text.starts_with(p));
        if text.starts_with("CARGO") && !setting && !KEPT.contains(&&*text) {
            command.env_remove(&name);
        }
    }
    command
}

fn diagnostics(messages: &[Json], target: &Target) -> Vec<Diagnostic> {
    let shown = match target {
        Target::Scratch { shown } => Some(shown.display().to_string()),
        _ => None,
    };
    let mapped = |text: &str| match &shown {
        Some(shown) => text.replace(".judge/scratch.rs", shown),
        None => text.to_owned(),
    };
    let one = |message: &Json| {
        let text = |key: &str| message[key].as_str().unwrap_or_default();
        let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        let number = |span: &Json, key: &str| span[key].as_u64().unwrap_or(0) as usize;
        let place = spans.iter().find(|span| span["is_primary"] == true).map(|span| {
            (
                mapped(span["file_name"].as_str().unwrap_or_default()),
                number(span, "line_start"),
                number(span, "column_start"),
            )
        });
        Diagnostic {
            level: text("level").to_owned(),
            message: text("message").to_owned(),
            place,
            rendered: mapped(text("rendered")),
        }
    };
    let wanted = |d: &Diagnostic| {
        // "aborting due to 2 previous errors" and the like say nothing that the errors do not.
        d.place.is_some() || (d.level == "error" && !d.message.starts_with("aborting due to"))
    };
    messages.iter().map(one).filter(wanted).collect()
}

/// Names the cause and what to do.
fn cannot_build(said: &str) -> Error {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let advice = if has(&["No space left on device", "os error 28"]) {
        "the disk is full: free some space (`cargo clean` in the clone frees the most)"
    } else if has(&["requires rustc", "is not supported by the following package", "feature `edition2024` is required"])
    {
        "the Rust toolchain is too old: run `rustup update stable`"
    } else if has(&["linker `cc` not found", "linker `link.exe` not found"]) {
        "no linker: install a C toolchain (gcc or clang)"
    } else if has(&["--offline", "unable to get packages", "failed to download", "Could not resolve host"]) {
        "crates are missing and cannot be fetched now: go online once and run `cargo fetch` in the practice folder"
    } else if has(&["failed to parse manifest", "failed to parse lock file", "could not parse"]) {
        "a Cargo file of the practice folder cannot be read: mend it, or delete it and start the program again"
    } else if has(&["Permission denied", "os error 13"]) {
        "a folder may not be written to: see the path below"
    } else {
        "cargo failed before it came to your code"
    };
    let first: Vec<&str> = said.lines().filter(|line| !line.starts_with("Compiling")).take(12).collect();
    Error::CannotBuild { reason: format!("{advice}\n{}", first.join("\n")) }
}
