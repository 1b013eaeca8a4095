//! `run` and `watch`.

use super::{Context, Exit, Failed, Result, device, problem};
use crate::judge::DeviceChoice;
use crate::runner::text::{headline, plain, run_text};
use crate::runner::watch::{Change, WatchMode, watch};
use crate::runner::{Cancel, Implementation, Progress, Request, Run as Judged, Runner, Verdict};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The problem.
    slug: String,
    /// What to judge: a file, `reference`, `mistake:NAME`, or `saved:ID` [default: your own file].
    #[arg(long = "impl", value_name = "WHAT")]
    implementation: Option<String>,
    /// The device: auto, cpu, cuda:N or metal.
    #[arg(long, default_value = "auto", value_parser = device)]
    device: DeviceChoice,
    /// Only the case of this name; your text is kept, and passing is not acceptance.
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let entry = problem(&self.slug)?;
        let implementation = implementation(self.implementation.as_deref(), entry.slug, context)?;
        if let Some(case) = &self.case {
            let cases = (entry.problem)().case_names(&self.device.open().map_err(Failed::usage)?);
            if !cases.contains(&case.as_str()) {
                let list = cases.iter().map(|name| format!("\n  {name}")).collect::<String>();
                return Err(Failed::usage(format!("{} has no case \"{case}\"; there are:{list}", entry.slug)));
            }
        }
        let runner = context.runner()?;
        let request =
            Request { slug: entry.slug.to_owned(), implementation, device: self.device, only: self.case.clone() };
        let cancel = cancel_on_signals()?;
        let mut said = Said::default();
        let run = runner.run(&request, &cancel, &mut |progress| said.progress(&context.out, &progress))?;
        keep(context, &request, &run);
        if self.json {
            let json = serde_json::to_string_pretty(&run).map_err(Failed::failure)?;
            context.out.line(&json);
        } else {
            let text = if context.out.colour() { coloured(&run) } else { run_text(&run) };
            context.out.text(&text);
        }
        Ok(exit(&run))
    }
}

/// What `--impl` names; the reader's own file without it.
pub(super) fn implementation(what: Option<&str>, slug: &str, context: &Context) -> Result<Implementation> {
    Ok(match what {
        None => Implementation::Own,
        Some("reference") => Implementation::Reference,
        Some(what) => match what.split_once(':') {
            Some(("mistake", name)) => Implementation::Mistake(name.to_owned()),
            Some(("saved", id)) => {
                let id =
                    id.parse().map_err(|_| Failed::usage(format!("saved:{id}: \"{id}\" is not a version's number")))?;
                let (version, text) = context.store()?.version(id)?;
                if version.slug != slug {
                    return Err(Failed::usage(format!("version {id} is one of {}, not of {slug}", version.slug)));
                }
                Implementation::Saved { id, text }
            }
            _ if !Path::new(what).exists() => {
                return Err(Failed::usage(format!(
                    "{what}: there is no such file; it takes a file, reference, mistake:NAME or saved:ID"
                )));
            }
            _ => Implementation::File(PathBuf::from(what)),
        },
    })
}

fn exit(run: &Judged) -> Exit {
    match run.verdict {
        Verdict::Accepted => Exit::Ok,
        Verdict::Cancelled => Exit::Cancelled,
        _ => Exit::NotAccepted,
    }
}

/// A run that cannot be kept is still a run.
fn keep(context: &Context, request: &Request, run: &Judged) {
    if request.implementation != Implementation::Own {
        return;
    }
    let kept = context.store().and_then(|store| {
        match (&request.only, &run.source) {
            (None, _) => store.record(run, "own").map(drop),
            // One case is not the problem: it can neither be accepted nor undo an acceptance.
            (Some(case), Some(text)) => {
                store.save_text(&run.problem, text, &format!("judged in case \"{case}\" alone")).map(drop)
            }
            (Some(_), None) => Ok(()),
        }?;
        Ok(())
    });
    if let Err(failed) = kept {
        context.out.note(&format!("the run could not be kept: {}", failed.message));
    }
}

/// The text with rustc's own colours and a coloured verdict.
fn coloured(run: &Judged) -> String {
    let mut text = run_text(run);
    for diagnostic in &run.diagnostics {
        text = text.replacen(&plain(&diagnostic.rendered), &diagnostic.rendered, 1);
    }
    let line = headline(run);
    let style = if run.verdict.accepted() { "1;32" } else { "1;31" };
    text.replacen(&line, &format!("\u{1b}[{style}m{line}\u{1b}[0m"), 1)
}

/// What is worth saying while one waits, each thing once.
#[derive(Default)]
struct Said {
    waiting: bool,
    building: bool,
}

impl Said {
    fn progress(&mut self, out: &super::Output, progress: &Progress) {
        match progress {
            Progress::WaitingForCargo if !self.waiting => {
                self.waiting = true;
                out.note("another cargo is building in this folder: waiting for it");
            }
            Progress::Building { line }
                if line.contains("Compiling") && line.contains("logitlings") && !self.building =>
            {
                self.building = true;
                out.note("building the judge for the practice folder (once, a minute or so)");
            }
            _ => {}
        }
    }
}

fn cancel_on_signals() -> Result<Cancel> {
    let cancel = Cancel::default();
    let flag = cancel.clone();
    let mut signals = signal_hook::iterator::Signals::new([2, 15, 1])
        .map_err(|error| Failed::failure(format!("signals cannot be caught: {error}")))?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(|_| flag.cancel()))
        .map_err(Failed::failure)?;
    Ok(cancel)
}

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub struct Watch {
    /// The device: auto, cpu, cuda:N or metal.
    #[arg(long, default_value = "auto", value_parser = device)]
    device: DeviceChoice,
}

impl Watch {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let runner = context.runner()?;
        let cancel = cancel_on_signals()?;
        let mut said = Said::default();
        runner.warm(&cancel, &mut |progress| said.progress(&context.out, &progress))?;
        let (send, changes) = channel();
        let _watcher = watch(runner.practice(), move |change| drop(send.send(change)))?;
        context.out.note(&format!("watching {}; ^C ends", runner.practice().root().display()));
        while !cancel.is_cancelled() && !context.out.gone() {
            let Ok(change) = changes.recv_timeout(std::time::Duration::from_millis(100)) else { continue };
            match change {
                Change::Saved { slug } => self.judge(context, &runner, slug, &changes, &cancel)?,
                Change::Mode(WatchMode::Polling { why }) => {
                    context
                        .out
                        .note(&format!("the system reports no changes here ({why}); looking every moment instead"));
                }
                Change::Mode(WatchMode::Events) => {}
            }
        }
        Ok(Exit::Cancelled)
    }

    /// Judges the newest save: one that comes in meanwhile cancels the run and is judged instead.
    fn judge(
        &self,
        context: &mut Context,
        runner: &Runner,
        slug: String,
        changes: &Receiver<Change>,
        ended: &Cancel,
    ) -> Result<()> {
        let mut next = Some(slug);
        while let Some(slug) = next.take() {
            let request = Request { slug, implementation: Implementation::Own, device: self.device, only: None };
            let cancel = Cancel::default();
            let run = std::thread::scope(|scope| {
                let running = scope.spawn(|| runner.run(&request, &cancel, &mut |_| {}));
                while !running.is_finished() {
                    if let Ok(Change::Saved { slug }) = changes.recv_timeout(std::time::Duration::from_millis(20)) {
                        next = Some(slug);
                        cancel.cancel();
                    }
                    if ended.is_cancelled() {
                        cancel.cancel();
                    }
                }
                running.join()
            });
            let run = run.map_err(|_| Failed::failure("the run panicked; this is a bug"))??;
            keep(context, &request, &run);
            if run.verdict != Verdict::Cancelled {
                let text = if context.out.colour() { coloured(&run) } else { run_text(&run) };
                context.out.text(&text);
            }
        }
        Ok(())
    }
}
