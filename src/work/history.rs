//! The thread that holds the history and touches the reader's files.

use super::judge::Judge;
use super::{Ended, Tell, guarded, spawn};
use crate::app::event::{Event, Level, RunEvent};
use crate::runner::{Implementation, Practice, Run};
use crate::store::{Opened, Store, paths};
use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};

/// What is to be done.
pub(super) enum Job {
    /// This run is one of the reader's own file; of one case alone, if it has a name.
    Own(u64, Option<String>),
    /// A run is over.
    Record(u64, Box<Run>),
    Hint(String, usize),
    Solution(String),
    Reset(String),
    Versions(String),
    Source(String),
    RunSaved {
        generation: u64,
        slug: String,
        id: i64,
        only: Option<String>,
        judge: Judge,
    },
    /// Nothing comes after this.
    Stop,
}

/// Starts the thread; it reads the history first. The second value tells when it is over.
pub(super) fn start(practice: Practice, tell: Tell) -> (Sender<Job>, Ended) {
    let (send, todo) = channel::<Job>();
    let to_self = tell.clone();
    let ended = spawn("history", &tell, move || {
        let Some(mut history) = History::open(practice, to_self) else { return };
        history.loaded();
        while let Ok(job) = todo.recv() {
            if matches!(job, Job::Stop) {
                return;
            }
            if let Err(text) = guarded(|| history.carry_out(job)).unwrap_or_else(Err) {
                history.tell.say(Event::Notice(Level::Error, text));
            }
        }
    });
    (send, ended)
}

struct History {
    store: Store,
    keeps: bool,
    practice: Practice,
    tell: Tell,
    /// Runs of the reader's own file, and the one case of those that were about one.
    own: HashMap<u64, Option<String>>,
}

impl History {
    fn open(practice: Practice, tell: Tell) -> Option<Self> {
        let opened = match paths::database() {
            Some(path) => Store::open(&path),
            None => Store::in_memory().map(|store| {
                let why = "no home folder is known, so nothing is kept: set $LOGITLINGS_DATA".to_owned();
                (store, Opened::ReadOnly { why })
            }),
        };
        let opened = opened.or_else(|error| {
            let why = format!("{error}; nothing of this session is kept");
            Store::in_memory().map(|store| (store, Opened::ReadOnly { why }))
        });
        match opened {
            Ok((store, opened)) => {
                opened.notice().into_iter().for_each(|text| tell.say(Event::Notice(Level::Warning, text)));
                let keeps = !matches!(opened, Opened::ReadOnly { .. });
                Some(Self { store, keeps, practice, tell, own: HashMap::new() })
            }
            Err(error) => {
                tell.say(Event::Notice(Level::Error, error.to_string()));
                None
            }
        }
    }

    fn loaded(&self) {
        match self.store.progress() {
            Ok(progress) => self.tell.say(Event::Loaded(progress)),
            Err(error) => self.tell.say(Event::Notice(Level::Error, error.to_string())),
        }
    }

    fn carry_out(&mut self, job: Job) -> Result<(), String> {
        let text = |error: crate::store::Error| error.to_string();
        match job {
            Job::Own(generation, only) => drop(self.own.insert(generation, only)),
            Job::Record(generation, run) => match self.own.remove(&generation) {
                None => {}
                Some(None) => {
                    self.store.record(&run, "own").map_err(text)?;
                    self.loaded();
                }
                // One case says nothing of the others: its text is kept, and it is no verdict.
                Some(Some(case)) => {
                    if let Some(source) = &run.source {
                        let why = format!("kept when the case \"{case}\" was judged alone");
                        self.store.save_text(&run.problem, source, &why).map_err(text)?;
                    }
                }
            },
            Job::Hint(slug, number) => self.store.hint_shown(&slug, number).map_err(text)?,
            Job::Solution(slug) => self.store.solution_shown(&slug).map_err(text)?,
            Job::Reset(slug) => self.reset(slug)?,
            Job::Versions(slug) => {
                let versions = self.store.versions(&slug).map_err(text)?;
                self.tell.say(Event::Versions(slug, versions));
            }
            Job::Source(slug) => {
                let source = self.practice.read(&slug).map_err(|error| error.to_string())?;
                self.tell.say(Event::Source(slug, source));
            }
            Job::RunSaved { generation, slug, id, only, judge } => match self.store.text(id) {
                Ok(source) => judge.run(generation, slug, Implementation::Saved { id, text: source }, only),
                Err(error) => self.tell.say(Event::Run(generation, RunEvent::Failed(error.to_string()))),
            },
            Job::Stop => {}
        }
        Ok(())
    }

    /// The old text is safe before the new one is written.
    fn reset(&self, slug: String) -> Result<(), String> {
        if !self.keeps {
            return Err("your text cannot be kept now, so nothing was reset".to_owned());
        }
        let old = self.practice.read(&slug).map_err(|error| error.to_string())?;
        let version = self.store.save_text(&slug, &old, "kept before a reset").map_err(|error| error.to_string())?;
        self.practice.reset(&slug).map_err(|error| error.to_string())?;
        self.tell.say(Event::WasReset(slug, version));
        Ok(())
    }
}
