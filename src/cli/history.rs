//! `reset`, `versions`, `export` and `import`.

use super::{Context, Exit, Failed, Result, problem};
use crate::store::{Opened, replace};
use std::path::PathBuf;

const WHY: &str = "kept before a reset";

/// Arguments of `reset`.
#[derive(Debug, clap::Args)]
pub struct Reset {
    /// The problem.
    slug: String,
}

impl Reset {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let entry = problem(&self.slug)?;
        let practice = context.practice()?;
        practice.ensure()?;
        let text = practice.read(entry.slug)?;
        if text == entry.skeleton {
            context.out.line(&format!("{} is the skeleton already", entry.slug));
            return Ok(Exit::Ok);
        }
        let store = context.lasting_store("your text cannot be kept, so nothing was reset")?;
        let mut id = store.save_text(entry.slug, &text, WHY)?;
        let replaced = practice.reset(entry.slug)?;
        if replaced != text {
            // An editor saved in between.
            id = store.save_text(entry.slug, &replaced, WHY)?;
        }
        context.out.line(&format!(
            "{} is the skeleton again; your text is version {id} (`logitlings versions {} --show {id}`)",
            entry.slug, entry.slug
        ));
        Ok(Exit::Ok)
    }
}

/// Arguments of `versions`.
#[derive(Debug, clap::Args)]
pub struct Versions {
    /// The problem.
    slug: String,
    /// Print this version.
    #[arg(long, value_name = "ID")]
    show: Option<i64>,
}

impl Versions {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let entry = problem(&self.slug)?;
        let store = context.store()?;
        if let Some(id) = self.show {
            let (version, text) = store.version(id)?;
            if version.slug != entry.slug {
                return Err(Failed::usage(format!("version {id} is one of {}, not of {}", version.slug, entry.slug)));
            }
            context.out.text(&text);
            return Ok(Exit::Ok);
        }
        let versions = store.versions(entry.slug)?;
        if versions.is_empty() {
            context.out.line(&format!("nothing kept yet: `logitlings run {}` keeps what it judges", entry.slug));
        }
        for version in versions {
            let at = version.at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M");
            let mark = match version.verdict.as_str() {
                _ if version.accepted => "✓",
                "saved" => "·",
                _ => "✗",
            };
            context.out.line(&format!("{:>5}  {at}  {mark} {}", version.id, version.headline));
        }
        Ok(Exit::Ok)
    }
}

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// The file to write; standard output without it.
    file: Option<PathBuf>,
}

impl Export {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let (store, opened) = Context::opened()?;
        let history = store.export()?;
        let empty = |part: &str| history[part].as_array().is_none_or(Vec::is_empty);
        // An empty history in place of one that cannot be read would pass for a backup.
        if let Opened::ReadOnly { why } = &opened
            && empty("versions")
            && empty("progress")
        {
            return Err(Failed::failure(format!("nothing was exported: {why}")));
        }
        context.out.note_opened(&opened);
        let text = serde_json::to_string_pretty(&history).map_err(Failed::failure)?;
        match self.file {
            None => context.out.line(&text),
            Some(file) => replace(&file, &(text + "\n"))
                .map_err(|error| Failed::failure(format!("cannot write {}: {error}", file.display())))?,
        }
        Ok(Exit::Ok)
    }
}

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub struct Import {
    /// The file that `export` wrote.
    file: PathBuf,
}

impl Import {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let shown = self.file.display();
        let text =
            std::fs::read_to_string(&self.file).map_err(|e| Failed::usage(format!("cannot read {shown}: {e}")))?;
        let json = serde_json::from_str(&text).map_err(|e| Failed::usage(format!("{shown} is not JSON: {e}")))?;
        let store = context.lasting_store("nothing was imported")?;
        let done = store.import(&json).map_err(|e| match e {
            crate::store::Error::NotAHistory(_) => Failed::usage(format!("{shown}: {e}")),
            other => other.into(),
        })?;
        context.out.line(&format!("{} new versions, progress of {} problems merged", done.versions, done.problems));
        Ok(Exit::Ok)
    }
}
