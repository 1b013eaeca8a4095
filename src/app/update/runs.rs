//! Runs: how they begin, what is heard of them, how they end.

use super::{changed, in_sight, notice, select_slug, show};
use crate::app::event::{Effect, Level, RunEvent, Warm};
use crate::app::model::{Judged, Model, Place, Running, Stage, Tab};
use crate::runner::text::headline;
use crate::runner::verdict::{Implementation, Run, Verdict};
use crate::store::Status;

/// Judges an implementation of the selected problem; what runs is cancelled.
pub(super) fn start(model: &mut Model, implementation: Implementation, only: Option<String>) -> Vec<Effect> {
    let slug = model.slug().to_owned();
    model.generation += 1;
    model.running = Some(Running {
        slug: slug.clone(),
        implementation: implementation.clone(),
        only: only.clone(),
        stage: Stage::Building(String::new()),
        seconds: 0.0,
        planned: Vec::new(),
        done: Vec::new(),
    });
    show(model, Tab::Verdict);
    in_sight(model);
    let generation = model.generation;
    vec![match implementation {
        // The text of a version is in the store.
        Implementation::Saved { id, .. } => Effect::RunSaved { generation, slug, id, only },
        implementation => Effect::Run { generation, slug, implementation, only },
    }]
}

/// Judges the selected case alone, of what the shown verdict is about.
pub(super) fn start_case(model: &mut Model) -> Vec<Effect> {
    let (Some(judged), Some(case)) = (model.judged(), model.selected_case()) else { return Vec::new() };
    let (implementation, name) = (judged.implementation.clone(), case.name.clone());
    start(model, implementation, Some(name))
}

/// A save counts at once: what runs is cancelled, and the newest text is judged.
pub(super) fn saved(model: &mut Model, slug: &str) -> Vec<Effect> {
    select_slug(model, slug);
    if model.slug() != slug {
        return Vec::new();
    }
    model.chosen.remove(slug);
    model.sources.remove(slug);
    start(model, Implementation::Own, None)
}

/// Stops the run; what is still heard of it belongs to an old generation.
pub(super) fn cancel(model: &mut Model) -> Vec<Effect> {
    model.generation += 1;
    if let Some(running) = model.running.take() {
        notice(model, Level::Info, format!("the run of {} was stopped; r starts another", running.slug));
    }
    changed(model);
    vec![Effect::Cancel]
}

/// Takes in what is heard of the newest run.
pub(super) fn ran(model: &mut Model, event: RunEvent) {
    let Some(running) = &mut model.running else { return };
    match event {
        RunEvent::Waiting => running.stage = Stage::Waiting,
        RunEvent::Building(line) => running.stage = Stage::Building(line),
        RunEvent::Built => running.stage = Stage::Judging,
        RunEvent::Planned(cases, device) => {
            running.stage = Stage::Judging;
            running.planned = cases;
            model.device = Some(device);
        }
        RunEvent::CaseDone(case) => running.done.push(case.result.passed()),
        RunEvent::Diagnosing => running.stage = Stage::Diagnosing,
        RunEvent::Failed(why) => {
            model.running = None;
            notice(model, Level::Error, why);
        }
        RunEvent::Done(run) => finished(model, *run),
    }
    changed(model);
}

fn finished(model: &mut Model, run: Run) {
    let Some(Running { implementation, only, .. }) = model.running.take() else { return };
    if run.verdict == Verdict::Cancelled {
        return;
    }
    // A build that succeeded is all the warming there is.
    if run.build_seconds > 0.0 && run.verdict != Verdict::DoesNotCompile {
        model.warm = Warm::Ready;
    }
    let slug = run.problem.clone();
    let judged = Judged { run, implementation, only };
    if judged.counts() {
        // The store says the same in a moment; the screen does not wait, and a store that cannot write changes nothing.
        let status = &mut model.progress.entry(slug.clone()).or_default().status;
        *status = match (judged.run.verdict.accepted(), *status) {
            (true, _) | (_, Status::Accepted) => Status::Accepted,
            _ => Status::Tried,
        };
    }
    if model.place == Place::Lab {
        notice(model, Level::Info, format!("{slug}: {}; P goes to the verdict", headline(&judged.run)));
    }
    model.runs.insert(slug.clone(), judged);
    if slug == model.slug() {
        model.case = model.judged().map_or(0, |judged| Model::telling_case(&judged.run));
        if model.tab == Tab::Verdict {
            model.scroll = 0;
        }
    }
}
