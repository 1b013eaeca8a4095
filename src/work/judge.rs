//! The thread that builds and runs. One run at a time, and the newest request wins.

use super::{Ended, Tell, guarded, spawn};
use crate::app::event::{Event, RunEvent, Warm};
use crate::judge::DeviceChoice;
use crate::runner::{Cancel, Implementation, Progress, Request, Runner};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

pub(super) struct Job {
    pub(super) generation: u64,
    request: Request,
    pub(super) cancel: Cancel,
}

/// A handle on the thread.
#[derive(Clone)]
pub(super) struct Judge {
    jobs: Sender<Job>,
    present: Arc<Mutex<Present>>,
    warming: Cancel,
}

/// The newest request.
#[derive(Default)]
struct Present {
    generation: u64,
    cancel: Cancel,
    /// The program is leaving: nothing begins any more.
    over: bool,
}

/// Starts the threads: one makes the judge ready, one judges. The second value tells when both are over.
pub(super) fn start(runner: Runner, tell: Tell) -> (Judge, [Ended; 2]) {
    let (jobs, todo) = channel();
    let judge = Judge { jobs, present: Arc::default(), warming: Cancel::default() };
    let (warming, to_warm, warm_runner) = (judge.warming.clone(), tell.clone(), runner.clone());
    let warmed = spawn("warm", &tell, move || warm(&warm_runner, &warming, &to_warm));
    let (to_judge, present) = (tell.clone(), Arc::clone(&judge.present));
    let judged = spawn("judge", &tell, move || work(&runner, &todo, &present, &to_judge));
    (judge, [warmed, judged])
}

impl Judge {
    /// Cancels what runs and judges this. A request that was overtaken on its way here is dropped.
    pub fn run(&self, generation: u64, slug: String, implementation: Implementation, only: Option<String>) {
        let request = Request { slug, implementation, device: DeviceChoice::Auto, only };
        let mut present = self.present();
        if present.over || generation < present.generation {
            return;
        }
        present.cancel.cancel();
        (present.generation, present.cancel) = (generation, Cancel::default());
        let _ = self.jobs.send(Job { generation, request, cancel: present.cancel.clone() });
    }

    /// Cancels what runs.
    pub fn cancel(&self) {
        self.present().cancel.cancel();
    }

    /// Ends whatever was started, and the threads.
    pub fn stop(&self) {
        self.warming.cancel();
        let mut present = self.present();
        present.over = true;
        present.cancel.cancel();
        let request = Request {
            slug: String::new(),
            implementation: Implementation::Own,
            device: DeviceChoice::Auto,
            only: None,
        };
        // Wakes the thread, which sees that it is over.
        let _ = self.jobs.send(Job { generation: u64::MAX, request, cancel: present.cancel.clone() });
    }

    /// A handle without threads behind it.
    #[cfg(test)]
    pub(super) fn for_test(jobs: Sender<Job>) -> Self {
        Self { jobs, present: Arc::default(), warming: Cancel::default() }
    }

    fn present(&self) -> std::sync::MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn warm(runner: &Runner, cancel: &Cancel, tell: &Tell) {
    let done = guarded(|| runner.warm(cancel, &mut |progress| tell.say(Event::Warm(progress.into()))));
    tell.say(Event::Warm(match done {
        Ok(Ok(_)) => Warm::Ready,
        Ok(Err(error)) => Warm::Failed(error.to_string()),
        Err(panic) => Warm::Failed(panic),
    }));
}

fn work(runner: &Runner, todo: &Receiver<Job>, present: &Mutex<Present>, tell: &Tell) {
    let over = || present.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).over;
    while let Ok(mut job) = todo.recv() {
        while let Ok(newer) = todo.try_recv() {
            job = newer;
        }
        if over() {
            return;
        }
        if job.cancel.is_cancelled() {
            continue;
        }
        let generation = job.generation;
        let say = |event| tell.say(Event::Run(generation, event));
        let run =
            || runner.run(&job.request, &job.cancel, &mut |progress| translate(progress).into_iter().for_each(say));
        say(match guarded(run) {
            Ok(Ok(run)) => RunEvent::Done(Box::new(run)),
            Ok(Err(error)) => RunEvent::Failed(error.to_string()),
            // The next save has a thread to judge it all the same.
            Err(panic) => RunEvent::Failed(panic),
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

impl From<Progress> for Warm {
    fn from(progress: Progress) -> Self {
        match progress {
            Progress::WaitingForCargo => Self::Waiting,
            Progress::Building { line } => Self::Building(line),
            _ => Self::Building(String::new()),
        }
    }
}
