//! `list` and `show`.

use super::{Context, Exit, Result, problem};
use crate::pack;
use crate::store::Status;

/// Arguments of `list`.
#[derive(Debug, clap::Args)]
pub struct List {
    /// Only this topic.
    topic: Option<String>,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let progress = context.store()?.progress()?;
        let wanted = |entry: &&pack::Entry| self.topic.as_deref().is_none_or(|topic| entry.topic.slug() == topic);
        let entries: Vec<&pack::Entry> = pack::all().filter(wanted).collect();
        if entries.is_empty() {
            let topics: std::collections::BTreeSet<&str> = pack::all().map(|entry| entry.topic.slug()).collect();
            let topics: Vec<&str> = topics.into_iter().collect();
            return Err(super::Failed::usage(format!("there is no such topic; there are: {}", topics.join(", "))));
        }
        let status = |slug: &str| progress.get(slug).map(|p| p.status).unwrap_or_default();
        if self.json {
            let rows: Vec<serde_json::Value> = entries
                .iter()
                .map(|entry| {
                    let s = entry.statement();
                    serde_json::json!({
                        "slug": entry.slug, "topic": entry.topic.slug(), "title": s.title, "tier": s.tier, "minutes": s.minutes,
                        "status": match status(entry.slug) {
                            Status::Untried => "untried", Status::Tried => "tried", Status::Accepted => "accepted",
                        },
                    })
                })
                .collect();
            context.out.line(&serde_json::to_string_pretty(&rows).unwrap_or_default());
            return Ok(Exit::Ok);
        }
        let mut topic = None;
        for entry in entries {
            if topic != Some(entry.topic) {
                let gap = if topic.is_some() { "\n" } else { "" };
                let title = context.out.styled("1", entry.topic.title());
                context.out.line(&format!("{gap}{title}"));
                topic = Some(entry.topic);
            }
            let s = entry.statement();
            let mark = match status(entry.slug) {
                Status::Accepted => context.out.styled("32", "✓"),
                Status::Tried => context.out.styled("31", "✗"),
                Status::Untried => "·".to_owned(),
            };
            let stars = format!("{}{}", "★".repeat(s.tier.into()), " ".repeat(5 - usize::from(s.tier)));
            context.out.line(&format!("  {mark} {stars} {:<18} {:>3} min  {}", entry.slug, s.minutes, s.title));
        }
        Ok(Exit::Ok)
    }
}

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Show {
    /// The problem.
    slug: String,
    /// The skeleton instead of the statement.
    #[arg(long)]
    skeleton: bool,
}

impl Show {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let entry = problem(&self.slug)?;
        if self.skeleton {
            context.out.text(entry.skeleton);
            return Ok(Exit::Ok);
        }
        let s = entry.statement();
        let stars = "★".repeat(s.tier.into());
        let mut code = false;
        for line in s.task.lines() {
            code ^= line.starts_with("```");
            let heading = line.starts_with('#') && !code;
            context.out.line(&if heading { context.out.styled("1", line) } else { line.to_owned() });
        }
        context.out.line(&format!("\n{stars} · {} minutes · {} hints", s.minutes, s.hints.len()));
        if let Ok(file) = context.practice().and_then(|practice| Ok(practice.file(entry.slug)?)) {
            context.out.line(&format!("Your file: {}", file.display()));
        }
        Ok(Exit::Ok)
    }
}
