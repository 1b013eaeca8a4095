//! `hint` and `solution`.

use super::{Context, Exit, Result, problem};

/// Arguments of `hint`.
#[derive(Debug, clap::Args)]
pub struct Hint {
    /// The problem.
    slug: String,
    /// Every hint, not only the next one.
    #[arg(long)]
    all: bool,
}

impl Hint {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let entry = problem(&self.slug)?;
        let hints = &entry.statement().hints;
        let store = context.store()?;
        let seen = store.progress()?.get(entry.slug).map_or(0, |progress| progress.hints);
        if hints.is_empty() {
            context.out.note(&format!("{} has no hints", entry.slug));
            return Ok(Exit::Ok);
        }
        let upto = if self.all { hints.len() } else { (seen + 1).min(hints.len()) };
        let from = if self.all { 0 } else { upto.saturating_sub(1) };
        for (at, hint) in hints.iter().enumerate().take(upto).skip(from) {
            context.out.line(&format!("Hint {} of {}\n\n{hint}\n", at + 1, hints.len()));
        }
        if seen >= hints.len() && !self.all {
            context.out.note("that was the last hint again; `logitlings solution` shows the reference");
        }
        store.hint_shown(entry.slug, upto)?;
        Ok(Exit::Ok)
    }
}

/// Arguments of `solution`.
#[derive(Debug, clap::Args)]
pub struct Solution {
    /// The problem.
    slug: String,
}

impl Solution {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let entry = problem(&self.slug)?;
        context.store()?.solution_shown(entry.slug)?;
        context.out.text(entry.reference);
        for (question, answer) in &entry.statement().follow_ups {
            context.out.line(&format!("\n// {question}\n//"));
            answer.lines().for_each(|line| context.out.line(format!("// {line}").trim_end()));
        }
        Ok(Exit::Ok)
    }
}
