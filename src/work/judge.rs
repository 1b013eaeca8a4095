//! The thread that builds and runs. One run at a time, and the newest request wins.

use super::{Tell, spawn};
use crate::app::event::{Event, RunEvent, Warm};
use crate::judge::DeviceChoice;
use crate::runner::{Cancel, Implementation, Progress, Request, Runner};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

struct Job {
    generation: u64,
    request: Request,
    cancel: Cancel,
}

/// A handle on the thread.
#[derive(Clone)]
pub(super) struct Judge {
    jobs: Sender<Job>,
    present: Arc<Mutex<Cancel>>,
    warming: Cancel,
}

/// Starts the thread; it makes the judge ready first.
pub(super) fn start(runner: Runner, tell: Tell) -> Judge {
    let (jobs, todo) = channel();
    let judge = Judge { jobs, present: Arc::default(), warming: Cancel::default() };
    let (warming, to_warm, warm_runner) = (judge.warming.clone(), tell.clone(), runner.clone());
    spawn("warm", &tell, move || warm(&warm_runner, &warming, &to_warm));
    let to_judge = tell.clone();
    spawn("judge", &tell, move || work(&runner, &todo, &to_judge));
    judge
}

impl Judge {
    /// Cancels what runs and judges this.
    pub fn run(&self, generation: u64, slug: String, implementation: Implementation, only: Option<String>) {
        let request = Request { slug, implementation, device: DeviceChoice::Auto, only };
        let cancel = Cancel::default();
        let mut present = self.present.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        present.cancel();
        *present = cancel.clone();
        let _ = self.jobs.send(Job { generation, request, cancel });
    }

    /// Cancels what runs.
    pub fn cancel(&self) {
        self.present.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).cancel();
    }

    /// Ends whatever was started.
    pub fn stop(&self) {
        self.cancel();
        self.warming.cancel();
    }
}

fn warm(runner: &Runner, cancel: &Cancel, tell: &Tell) {
    let done = runner.warm(cancel, &mut |progress| tell.say(Event::Warm(progress.into())));
    tell.say(Event::Warm(match done {
        Ok(_) => Warm::Ready,
        Err(error) => Warm::Failed(error.to_string()),
    }));
}

fn work(runner: &Runner, todo: &Receiver<Job>, tell: &Tell) {
    while let Ok(mut job) = todo.recv() {
        while let Ok(newer) = todo.try_recv() {
            job = newer;
        }
        if job.cancel.is_cancelled() {
            continue;
        }
        let generation = job.generation;
        let say = |event| tell.say(Event::Run(generation, event));
        let done = runner.run(&job.request, &job.cancel, &mut |progress| translate(progress).into_iter().for_each(say));
        say(match done {
            Ok(run) => RunEvent::Done(Box::new(run)),
            Err(error) => RunEvent::Failed(error.to_string()),
        });
    }
}

fn translate(progress: Progress) -> Option<RunEvent> {
    Some(match progress {
        Progress::WaitingForCargo => RunEvent::Waiting,
        Progress::Building { line } => RunEvent::Building(line),
        Progress::Built { .. } => RunEvent::Built,
        Progress::Planned { cases, device } => RunEvent::Planned(cases, device),
        Progress::CaseDone(case) => RunEvent::CaseDone(Box::new(case)),
        Progress::Diagnosing => RunEvent::Diagnosing,
        Progress::CaseStarted { .. } => return None,
    })
}
