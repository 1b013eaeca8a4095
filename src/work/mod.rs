//! The threads behind the screens, and the loop in front of them.
//!
//! The loop owns terminal, model and cache. It waits for events, takes all that are there, updates, hands effects to the
//! threads, and draws once. Everything that can take long is on a thread: runs, the history, watching.

mod history;
mod judge;
mod translate;

use crate::app::event::{Event, Level, Warm};
use crate::app::{Effect, Model, update};
use crate::runner::watch::{Change, WatchMode, watch};
use crate::runner::{Limits, Practice, Runner};
use crate::term::capabilities::{self, Look};
use crate::term::editor::Editor;
use crate::term::{self, Session, Signal};
use crate::ui::code;
use crate::ui::screens::{Cache, view};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often the clock of a run is redrawn.
const TICK: Duration = Duration::from_millis(100);

/// What reaches the loop.
enum Incoming {
    Term(term::Event),
    App(Event),
    /// The highlighter is ready: code can be drawn in colour.
    Highlighter,
}

/// A way to tell the loop something from any thread.
#[derive(Clone)]
struct Tell(Sender<Incoming>);

impl Tell {
    /// The loop may be gone already; then nobody needs to know.
    fn say(&self, event: Event) {
        let _ = self.0.send(Incoming::App(event));
    }
}

/// Runs the screens until the reader leaves.
pub fn run(practice: Practice) -> Result<(), term::Error> {
    let Look { theme, late_reply } = capabilities::look();
    let (send, incoming) = channel();
    let terminal = send.clone();
    let session = Session::start(late_reply, move |event| drop(terminal.send(Incoming::Term(event))))?;
    let runner = Runner::new(practice, Limits::default());
    let tell = Tell(send);
    let mut screen = Loop {
        session,
        theme,
        cache: Cache::default(),
        model: Model::new(),
        history: history::start(runner.practice().clone(), tell.clone()),
        judge: judge::start(runner.clone(), tell.clone()),
        runner,
        began: None,
        leaving: false,
    };
    screen.draw()?;
    prepare(&screen.runner, &tell);
    screen.listen(&incoming)
}

/// What happens behind the first frame: the folder, the watcher, the judge, the highlighter.
fn prepare(runner: &Runner, tell: &Tell) {
    let (runner, tell_all) = (runner.clone(), tell.clone());
    let work = move || {
        let tell = tell_all;
        if let Err(error) = runner.practice().ensure() {
            tell.say(Event::Notice(Level::Error, error.to_string()));
        }
        let to_watch = tell.clone();
        let watcher = watch(runner.practice(), move |change| match change {
            Change::Saved { slug } => to_watch.say(Event::Saved(slug)),
            Change::Mode(WatchMode::Polling { why }) => to_watch.say(Event::Polling(why)),
            Change::Mode(WatchMode::Events) => {}
        });
        match watcher {
            // It watches as long as the program runs.
            Ok(watcher) => std::mem::forget(watcher),
            Err(error) => tell.say(Event::Notice(Level::Warning, error.to_string())),
        }
    };
    spawn("prepare", tell, work);
    let ready = tell.0.clone();
    spawn("highlighter", tell, move || {
        code::warm();
        let _ = ready.send(Incoming::Highlighter);
    });
}

/// A named thread; that there is none is said.
fn spawn(name: &str, tell: &Tell, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = std::thread::Builder::new().name(name.to_owned()).spawn(work) {
        tell.say(Event::Notice(Level::Error, format!("no thread for \"{name}\": {error}")));
    }
}

struct Loop {
    session: Session,
    theme: crate::ui::theme::Theme,
    cache: Cache,
    model: Model,
    runner: Runner,
    history: Sender<history::Job>,
    judge: judge::Judge,
    /// When the present run began.
    began: Option<Instant>,
    leaving: bool,
}

impl Loop {
    fn listen(&mut self, incoming: &Receiver<Incoming>) -> Result<(), term::Error> {
        while !self.leaving {
            let first = if self.model.running.is_some() {
                incoming.recv_timeout(TICK)
            } else {
                incoming.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match first {
                Ok(first) => self.take(first)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            // Only the newest frame is drawn.
            while let Ok(next) = incoming.try_recv() {
                self.take(next)?;
            }
            if let Some(began) = self.began.filter(|_| self.model.running.is_some()) {
                self.feed(Event::Tick(began.elapsed().as_secs_f64()))?;
            }
            if !self.leaving {
                self.draw()?;
            }
        }
        self.judge.stop();
        Ok(())
    }

    fn draw(&mut self) -> Result<(), term::Error> {
        let (model, theme, cache) = (&self.model, &self.theme, &mut self.cache);
        let mut layout = None;
        self.session.draw(|frame| layout = Some(view(model, theme, cache, frame)))?;
        let before = self.model.scroll;
        if let Some(layout) = layout {
            update(&mut self.model, Event::Drawn(layout));
        }
        // The text became shorter than where it was scrolled to.
        if self.model.scroll != before {
            let (model, theme, cache) = (&self.model, &self.theme, &mut self.cache);
            self.session.draw(|frame| drop(view(model, theme, cache, frame)))?;
        }
        Ok(())
    }

    fn take(&mut self, incoming: Incoming) -> Result<(), term::Error> {
        match incoming {
            Incoming::App(event) => self.feed(event),
            Incoming::Highlighter => {
                self.cache.clear();
                Ok(())
            }
            Incoming::Term(event) => self.on_terminal(event),
        }
    }

    fn on_terminal(&mut self, event: term::Event) -> Result<(), term::Error> {
        match event {
            term::Event::Key(key) => self.feed(Event::Key(translate::key(key))),
            term::Event::Mouse(mouse) => translate::mouse(mouse).map_or(Ok(()), |event| self.feed(event)),
            term::Event::Paste(text) => self.feed(Event::Paste(text)),
            // The next frame asks for the size itself.
            term::Event::Resize { .. } => Ok(()),
            term::Event::Signal(Signal::Continue) => self.session.resume(),
            term::Event::Signal(_) => {
                self.leaving = true;
                Ok(())
            }
            term::Event::WorkerPanic(panic) => {
                let place = panic.location.map_or(String::new(), |place| format!(" at {place}"));
                let text = format!(
                    "a part of the program failed ({}{place}: {}); the rest goes on",
                    panic.thread, panic.message
                );
                self.feed(Event::Notice(Level::Error, text))
            }
            term::Event::InputLost(_) => {
                self.leaving = true;
                Ok(())
            }
        }
    }

    fn feed(&mut self, event: Event) -> Result<(), term::Error> {
        if let Event::Run(generation, crate::app::RunEvent::Done(run)) = &event {
            // Kept whatever the screen shows meanwhile; the judge has said which implementation it was.
            let _ = self.history.send(history::Job::Record(*generation, run.clone()));
        }
        for effect in update(&mut self.model, event) {
            self.carry_out(effect)?;
        }
        Ok(())
    }

    fn carry_out(&mut self, effect: Effect) -> Result<(), term::Error> {
        let history = |job| drop(self.history.send(job));
        match effect {
            Effect::Run { generation, slug, implementation, only } => {
                self.began = Some(Instant::now());
                if implementation == crate::runner::Implementation::Own {
                    history(history::Job::Own(generation));
                }
                self.judge.run(generation, slug, implementation, only);
            }
            Effect::RunSaved { generation, slug, id } => {
                self.began = Some(Instant::now());
                history(history::Job::RunSaved { generation, slug, id, judge: self.judge.clone() });
            }
            Effect::Cancel => self.judge.cancel(),
            Effect::Edit { slug, line } => return self.edit(&slug, line),
            Effect::HintShown(slug, number) => history(history::Job::Hint(slug, number)),
            Effect::SolutionShown(slug) => history(history::Job::Solution(slug)),
            Effect::Reset(slug) => history(history::Job::Reset(slug)),
            Effect::LoadVersions(slug) => history(history::Job::Versions(slug)),
            Effect::LoadSource(slug) => history(history::Job::Source(slug)),
            Effect::Suspend => return self.session.stop_job(),
            Effect::Quit => self.leaving = true,
        }
        Ok(())
    }

    /// The reader's editor has the terminal until it is closed.
    fn edit(&mut self, slug: &str, line: Option<usize>) -> Result<(), term::Error> {
        let file = match self.runner.practice().file(slug) {
            Ok(file) => file,
            Err(error) => return self.feed(Event::Notice(Level::Error, error.to_string())),
        };
        let opened = match Editor::from_env() {
            Ok(editor) => self.session.suspended(|| editor.open(&file, line))?,
            Err(error) => Err(error),
        };
        match opened {
            Ok(()) => Ok(()),
            Err(error) => {
                let text =
                    format!("{error}. The file is {}: open it in any editor, saving it is enough", file.display());
                self.feed(Event::Notice(Level::Error, text))
            }
        }
    }
}

impl From<crate::runner::Progress> for Warm {
    fn from(progress: crate::runner::Progress) -> Self {
        match progress {
            crate::runner::Progress::WaitingForCargo => Self::Waiting,
            crate::runner::Progress::Building { line } => Self::Building(line),
            _ => Self::Building(String::new()),
        }
    }
}
