//! `doctor`: what is here, where things lie, what protects the reader's machine. It looks and changes nothing, except
//! that a history which cannot be read is moved aside, as everywhere.

use super::{Context, Exit, Result};
use crate::judge::compare::bytes_text;
use crate::judge::{DeviceChoice, device};
use crate::pack;
use crate::runner::sharing::{Sharing, sharing};
use crate::runner::{Limits, Practice};
use crate::store::{Opened, Store, paths};
use crate::term::background::{Detected, detect};
use crate::term::capabilities::Capabilities;
use std::path::Path;
use std::process::Command;

/// What was found so far.
#[derive(Default)]
struct Findings {
    lines: Vec<(bool, &'static str, String)>,
}

impl Findings {
    fn good(&mut self, what: &'static str, text: impl Into<String>) {
        self.lines.push((true, what, text.into()));
    }

    fn bad(&mut self, what: &'static str, text: impl Into<String>) {
        self.lines.push((false, what, text.into()));
    }
}

pub(super) fn run(context: &mut Context) -> Result {
    let mut found = Findings::default();
    found.good("program", format!("logitlings {}, {} problems", env!("CARGO_PKG_VERSION"), pack::all().count()));
    toolchain(&mut found);
    match Practice::locate(context.dir.clone()) {
        Ok(practice) => {
            flags(&practice, &mut found);
            folder(&practice, &mut found);
        }
        Err(error) => found.bad("practice", error.to_string()),
    }
    devices(&mut found);
    history(&mut found);
    terminal(&mut found);
    protection(&mut found);
    for (good, what, text) in &found.lines {
        let mark = if *good { context.out.styled("32", "✓") } else { context.out.styled("31", "✗") };
        context.out.line(&format!("{mark} {what:<11} {text}"));
    }
    Ok(if found.lines.iter().all(|(good, ..)| *good) { Exit::Ok } else { Exit::NotAccepted })
}

fn toolchain(found: &mut Findings) {
    for tool in ["cargo", "rustc"] {
        match version(tool) {
            Some(text) => found.good(tool, text),
            None => found.bad(tool, "not found: install Rust from https://rustup.rs and open a new terminal"),
        }
    }
}

fn version(tool: &str) -> Option<String> {
    let done = Command::new(tool).arg("--version").output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// Which instructions the program and the attempts may use.
fn flags(practice: &Practice, found: &mut Findings) {
    let known = [
        ("avx2", cfg!(target_feature = "avx2")),
        ("fma", cfg!(target_feature = "fma")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let on: Vec<&str> = known.into_iter().filter_map(|(name, on)| on.then_some(name)).collect();
    let built = if on.is_empty() { "no vector extensions".to_owned() } else { on.join(" ") };
    let native = |root: &Path| {
        std::fs::read_to_string(root.join(".cargo/config.toml")).is_ok_and(|text| text.contains("target-cpu=native"))
    };
    let attempts = match std::env::var("RUSTFLAGS") {
        Ok(flags) => format!("attempts: RUSTFLAGS=\"{flags}\", which overrides the folder's own"),
        Err(_) if native(practice.root()) || practice.clone_root().is_some_and(native) => {
            "attempts: target-cpu=native".to_owned()
        }
        Err(_) => "attempts: the compiler's default".to_owned(),
    };
    found.good("target-cpu", format!("program built with {built}; {attempts}"));
}

fn folder(practice: &Practice, found: &mut Findings) {
    let root = practice.root();
    if !root.exists() {
        found.good("practice", format!("{}: not there yet, the first start or `run` writes it", root.display()));
        return;
    }
    if let Err(error) = tempfile::tempfile_in(root) {
        found.bad("practice", format!("{} cannot be written to: {error}", root.display()));
        return;
    }
    let all = pack::all().count();
    let here = pack::all().filter(|entry| practice.file(entry.slug).is_ok_and(|file| file.exists())).count();
    let rest = if here < all { "; the next start adds what is missing" } else { "" };
    found.good("practice", format!("{}: {here} of {all} problems{rest}", root.display()));
    match sharing(practice) {
        Sharing::Shared { crates } => {
            found.good("sharing", format!("{crates} compiled crates are shared with the clone"))
        }
        Sharing::Differs { crates } => found.bad(
            "sharing",
            format!("these crates are built twice, which makes the first build slow: {}", crates.join(", ")),
        ),
        Sharing::Unknown { why } => found.good("sharing", format!("not known: {why}")),
    }
}

fn devices(found: &mut Findings) {
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
    match DeviceChoice::Auto.open() {
        Ok(device) => found.good("device", format!("{} ({features})", device::name(&device))),
        Err(error) => found.bad("device", format!("{error} ({features})")),
    }
}

fn history(found: &mut Findings) {
    let Some(path) = paths::database() else {
        return found.bad("history", "no home folder is known: set $LOGITLINGS_DATA");
    };
    if !path.exists() {
        return match path.ancestors().skip(1).find(|folder| folder.exists()) {
            Some(folder) if folder.is_dir() => found.good("history", format!("{}: not begun yet", path.display())),
            _ => found.bad("history", format!("{} cannot be made: its folder is a file", path.display())),
        };
    }
    match Store::open(&path) {
        Ok((store, Opened::Fresh | Opened::Existing)) => match store.progress() {
            Ok(progress) => found.good("history", format!("{}: {} problems touched", path.display(), progress.len())),
            Err(error) => found.bad("history", error.to_string()),
        },
        Ok((_, opened)) => found.bad("history", opened.notice().unwrap_or_default()),
        Err(error) => found.bad("history", error.to_string()),
    }
}

fn terminal(found: &mut Findings) {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let named = |name: &str| format!("{name} {}", variable(name).unwrap_or_else(|| "unset".to_owned()));
    let size = crossterm::terminal::size().map_or("no terminal".to_owned(), |(w, h)| format!("{w}×{h}"));
    let names = ["TERM", "COLORTERM", "NO_COLOR"].map(named).join(", ");
    found.good("terminal", format!("{size}, {names}"));
    let able = Capabilities::from_env(|name| std::env::var(name).ok());
    let background = match (able.background, detect()) {
        (_, Detected::Known(background)) => format!("{background:?}").to_lowercase(),
        (Some(background), _) => format!("{background:?} (by COLORFGBG)").to_lowercase(),
        (None, _) => "not known, so dark is assumed".to_owned(),
    };
    let (depth, marks) = (format!("{:?}", able.depth).to_lowercase(), format!("{:?}", able.charset).to_lowercase());
    found.good("look", format!("colours {depth}, marks {marks}, background {background}"));
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    found.good("locale", locale.unwrap_or_else(|| "unset".to_owned()));
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(variable);
    found.good("editor", editor.unwrap_or_else(|| "$EDITOR is not set".to_owned()));
}

/// What is really in force on this system, and what is not.
fn protection(found: &mut Findings) {
    let limits = Limits::default();
    found.good(
        "limits",
        format!(
            "{} s a case, {} s a run, {} s a build, {} of memory, {} of output",
            limits.case.as_secs(),
            limits.run.as_secs(),
            limits.build.as_secs(),
            bytes_text(limits.memory),
            bytes_text(limits.output)
        ),
    );
    let protections = [
        ("memory meter in the attempt", true),
        ("output cap", true),
        ("process group ended as a whole", cfg!(unix)),
        ("memory of the process tree polled", cfg!(target_os = "linux")),
    ];
    let list = |wanted: bool| {
        let names: Vec<&str> = protections.iter().filter(|(_, on)| *on == wanted).map(|(name, _)| *name).collect();
        names.join(", ")
    };
    let missing = list(false);
    let missing = if missing.is_empty() { String::new() } else { format!("; not on this system: {missing}") };
    found.good("protection", format!("{}{missing}", list(true)));
    found.good("", "an attempt runs with your rights: it is limited, not locked in");
}
