//! A run in words: the same for the command line and for the screen.

use super::verdict::{Run, Verdict};
use crate::judge::compare::bytes_text;
use crate::judge::text;
use std::fmt::Write;

impl Verdict {
    /// A stable word for machines: stores, JSON, tests.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::WrongAnswer { .. } => "wrong-answer",
            Self::NotImplemented => "not-implemented",
            Self::DoesNotCompile => "does-not-compile",
            Self::Panicked { .. } => "panicked",
            Self::TimedOut { .. } => "timed-out",
            Self::OutOfMemory { .. } => "out-of-memory",
            Self::TooMuchOutput { .. } => "too-much-output",
            Self::Crashed { .. } => "crashed",
            Self::LeftProcesses { .. } => "left-processes",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it is the one that everybody wants.
    pub fn accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// The verdict in a few words.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::WrongAnswer { .. } => "wrong answer",
            Self::NotImplemented => "not implemented",
            Self::DoesNotCompile => "does not compile",
            Self::Panicked { .. } => "panicked",
            Self::TimedOut { .. } => "out of time",
            Self::OutOfMemory { .. } => "out of memory",
            Self::TooMuchOutput { .. } => "prints without end",
            Self::Crashed { .. } => "crashed",
            Self::LeftProcesses { .. } => "left processes behind",
            Self::Cancelled => "cancelled",
        }
    }
}

/// One line: the verdict and what it is about.
pub fn headline(run: &Run) -> String {
    let (passed, all) = (run.report.passed(), run.report.planned.len());
    let title = run.verdict.title();
    let inside = |case: &Option<String>| case.as_ref().map_or(String::new(), |case| format!(" in case \"{case}\""));
    match &run.verdict {
        Verdict::Accepted => format!("{title}: {all} of {all} cases on {}", run.report.device),
        Verdict::WrongAnswer { .. } => {
            format!("{title}: {} of {all} cases fail on {}", all - passed, run.report.device)
        }
        Verdict::NotImplemented => format!("{title}: {passed} of {all} cases pass"),
        Verdict::DoesNotCompile => {
            let errors = run.diagnostics.iter().filter(|d| d.level == "error").count();
            format!("{title}: {errors} error{}", if errors == 1 { "" } else { "s" })
        }
        Verdict::Panicked { case, message, .. } => format!("{title} in case \"{case}\": {message}"),
        Verdict::TimedOut { case, seconds } => format!("{title}: more than {seconds} s{}", inside(case)),
        Verdict::OutOfMemory { case, limit } => format!("{title}: more than {}{}", bytes_text(*limit), inside(case)),
        Verdict::TooMuchOutput { case, limit } => format!("{title}: more than {}{}", bytes_text(*limit), inside(case)),
        Verdict::Crashed { case, how } => format!("{title}: {how}{}", inside(case)),
        Verdict::LeftProcesses { count } => {
            format!("{title}: {count} still ran when the attempt was over, and were ended")
        }
        Verdict::Cancelled => title.to_owned(),
    }
}

/// The whole run as plain text.
pub fn run_text(run: &Run) -> String {
    let mut out = String::new();
    if run.verdict == Verdict::DoesNotCompile {
        run.diagnostics.iter().for_each(|d| out.push_str(&plain(&d.rendered)));
    }
    run.report.cases.iter().for_each(|case| out.push_str(&text::case_text(case)));
    let mark = if run.verdict.accepted() { "✓" } else { "✗" };
    let _ = writeln!(out, "\n{mark} {}: {}", run.problem, headline(run));
    out.extend(run.report.diagnosis.iter().map(text::diagnosis));
    out.extend(run.report.cost.iter().map(text::cost));
    run.notes.iter().for_each(|note| {
        let _ = writeln!(out, "note: {note}");
    });
    if !run.output.trim().is_empty() {
        let cut = if run.output_cut { " (cut)" } else { "" };
        let _ = writeln!(out, "\nwhat it printed{cut}:\n{}", run.output.trim_end());
    }
    let _ = writeln!(out, "build {:.2} s, run {:.2} s", run.build_seconds, run.run_seconds);
    out
}

/// rustc's rendering without its colours.
pub fn plain(rendered: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(rendered.len()), rendered.chars());
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // A colour is ESC [ … m; rustc uses no other sequence.
            chars.by_ref().take_while(|c| *c != 'm').for_each(drop);
        } else {
            out.push(c);
        }
    }
    out
}
