//! `doctor`: what is here, where things lie, what protects the reader's machine.

use super::{Context, Exit, Result};
use crate::judge::DeviceChoice;
use crate::judge::compare::bytes_text;
use crate::judge::device;
use crate::pack;
use crate::runner::Limits;
use crate::runner::sharing::{Sharing, sharing};
use crate::store::{Opened, Store, paths};
use std::process::Command;

pub(super) fn run(context: &mut Context) -> Result {
    let mut well = true;
    let mut say = |good: bool, what: &str, text: String| {
        well &= good;
        let mark = if good { "✓" } else { "✗" };
        context.out.line(&format!("{mark} {what:<11} {text}"));
    };
    say(true, "program", format!("logitlings {}, {} problems", env!("CARGO_PKG_VERSION"), pack::all().count()));
    for (tool, missing) in [
        ("cargo", "not found: install Rust from https://rustup.rs and open a new terminal"),
        ("rustc", "not found: install Rust from https://rustup.rs and open a new terminal"),
    ] {
        match version(tool) {
            Some(text) => say(true, tool, text),
            None => say(false, tool, missing.to_owned()),
        }
    }
    let device = DeviceChoice::Auto.open().map_or_else(|error| error, |device| device::name(&device));
    let built: Vec<&str> = [
        ("cuda", cfg!(feature = "cuda")),
        ("metal", cfg!(feature = "metal")),
        ("mkl", cfg!(feature = "mkl")),
        ("accelerate", cfg!(feature = "accelerate")),
    ]
    .into_iter()
    .filter_map(|(name, on)| on.then_some(name))
    .collect();
    let features = if built.is_empty() {
        "built for the CPU alone".to_owned()
    } else {
        format!("built with {}", built.join(", "))
    };
    say(true, "device", format!("{device} ({features})"));
    let practice = context.dir.clone();
    match crate::runner::Practice::locate(practice) {
        Ok(practice) => {
            let root = practice.root().display().to_string();
            match practice.ensure() {
                Ok(_) => say(true, "practice", root),
                Err(error) => say(false, "practice", error.to_string()),
            }
            match sharing(&practice) {
                Sharing::Shared { crates } => {
                    say(true, "sharing", format!("{crates} compiled crates are shared with the clone"))
                }
                Sharing::Differs { crates } => {
                    say(
                        false,
                        "sharing",
                        format!(
                            "these crates are built twice, which makes the first build slow: {}",
                            crates.join(", ")
                        ),
                    );
                }
                Sharing::Unknown { why } => say(true, "sharing", format!("not known: {why}")),
            }
        }
        Err(error) => say(false, "practice", error.to_string()),
    }
    match paths::database() {
        None => say(false, "history", "no home folder is known: set $LOGITLINGS_DATA".to_owned()),
        Some(path) => match Store::open(&path) {
            Ok((_, opened @ (Opened::Fresh | Opened::Existing))) => {
                let fresh = if opened == Opened::Fresh { " (new)" } else { "" };
                say(true, "history", format!("{}{fresh}", path.display()));
            }
            Ok((_, opened)) => say(false, "history", opened.notice().unwrap_or_default()),
            Err(error) => say(false, "history", error.to_string()),
        },
    }
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "unset".to_owned());
    let size = crossterm::terminal::size().map_or("no terminal".to_owned(), |(w, h)| format!("{w}×{h}"));
    say(
        true,
        "terminal",
        format!(
            "{size}, TERM {}, COLORTERM {}, NO_COLOR {}",
            variable("TERM"),
            variable("COLORTERM"),
            variable("NO_COLOR")
        ),
    );
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().map(variable).find(|v| v != "unset").unwrap_or_default();
    say(true, "locale", if locale.is_empty() { "unset".to_owned() } else { locale });
    say(
        true,
        "editor",
        ["VISUAL", "EDITOR"]
            .into_iter()
            .map(variable)
            .find(|v| v != "unset")
            .unwrap_or("$EDITOR is not set".to_owned()),
    );
    let limits = Limits::default();
    say(
        true,
        "limits",
        format!(
            "{} s a case, {} s a run, {} of memory, {} of output",
            limits.case.as_secs(),
            limits.run.as_secs(),
            bytes_text(limits.memory),
            bytes_text(limits.output)
        ),
    );
    say(true, "protection", protections());
    say(true, "", "an attempt runs with your rights: it is limited, not locked in".to_owned());
    Ok(if well { Exit::Ok } else { Exit::NotAccepted })
}

/// What is really in force on this system.
fn protections() -> String {
    let mut list = vec!["counting allocator", "output cap"];
    if cfg!(unix) {
        list.push("process group ended as a whole");
    }
    if cfg!(target_os = "linux") {
        list.push("memory of the process tree polled");
    }
    list.join(", ")
}

fn version(tool: &str) -> Option<String> {
    let done = Command::new(tool).arg("--version").output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
