//! The threads behind the screens, and the loop in front of them.
//!
//! The loop owns terminal, model and cache. It waits for events, takes all that are there, updates, hands effects to the
//! threads, and draws once. Everything that can take long is on a thread: runs, the history, watching.

mod clipboard;
mod guests;
mod history;
mod judge;
pub mod lab;
mod translate;

use crate::app::event::{Event, Level, Warm};
use crate::app::{Effect, Model, update};
use crate::lab::Sampler;
use crate::runner::watch::{Change, WatchMode, watch};
use crate::runner::{Implementation, Limits, Practice, Runner};
use crate::term::capabilities::{self, Look};
use crate::term::editor::Editor;
use crate::term::{self, Session, Signal};
use crate::ui::code;
use crate::ui::screens::{Cache, view};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often the clock of a run is redrawn, and that of the judge's making.
const TICK: Duration = Duration::from_millis(100);
const SLOW_TICK: Duration = Duration::from_secs(1);
/// How long leaving may take while threads end what they began: children are ended, what came of runs is kept.
const LEAVE: Duration = Duration::from_secs(4);

/// What reaches the loop.
enum Incoming {
    Term(term::Event),
    App(Event),
    /// The highlighter is ready: code can be drawn in colour.
    Highlighter,
    /// A sampler for a lane of the lab stands ready, under this name; or why it does not.
    Guest(usize, Result<(String, Box<dyn Sampler>), String>),
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
    let mut model = Model::new();
    model.zone = jiff::tz::TimeZone::system();
    let (history, kept) = history::start(runner.practice().clone(), tell.clone());
    let (judge, judged) = judge::start(runner.clone(), tell.clone());
    // Declared before the session's owner, so dropped after it: the terminal is the reader's again before anything is
    // waited for. Also on a panic here, and where the terminal is gone and giving it back fails.
    let to_lab = tell.clone();
    let lab = Rc::new(lab::start(move |answer| to_lab.say(Event::Lab(answer))));
    let threads =
        Threads { judge: judge.clone(), judged, history: history.clone(), kept, lab: Rc::clone(&lab), incoming };
    let mut screen = Loop {
        lab,
        guest: None,
        tell: tell.clone(),
        played: Instant::now(),
        session,
        theme,
        cache: Cache::default(),
        model,
        history,
        judge,
        runner,
        started: Instant::now(),
        began: None,
        leaving: false,
    };
    screen.draw()?;
    prepare(&screen.runner, &tell);
    screen.listen(&threads.incoming)
}

/// The threads, and what they say. Dropped, it ends what they began and keeps what came of it.
struct Threads {
    judge: judge::Judge,
    judged: [Ended; 2],
    history: Sender<history::Job>,
    kept: Ended,
    lab: Rc<lab::Lab>,
    incoming: Receiver<Incoming>,
}

impl Drop for Threads {
    fn drop(&mut self) {
        let end = Instant::now() + LEAVE;
        self.judge.stop();
        self.lab.stop();
        self.judged.iter().for_each(|ended| ended.wait(end));
        for late in self.incoming.try_iter() {
            if let Incoming::App(Event::Run(generation, crate::app::RunEvent::Done(run))) = late {
                let _ = self.history.send(history::Job::Record(generation, run));
            }
        }
        let _ = self.history.send(history::Job::Stop);
        self.kept.wait(end);
    }
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

/// Tells when a thread is over.
struct Ended(Receiver<()>);

impl Ended {
    /// Waits for that, but no longer than until `end`.
    fn wait(&self, end: Instant) {
        // Nothing is ever sent: the thread's end drops the sender.
        let _ = self.0.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

/// A named thread; that there is none is said.
fn spawn(name: &str, tell: &Tell, work: impl FnOnce() + Send + 'static) -> Ended {
    let (alive, ended) = channel();
    let work = move || {
        let _alive: Sender<()> = alive;
        work();
    };
    if let Err(error) = std::thread::Builder::new().name(name.to_owned()).spawn(work) {
        tell.say(Event::Notice(Level::Error, format!("no thread for \"{name}\": {error}")));
    }
    Ended(ended)
}

/// Does one piece of work; a panic in it is an answer, and the thread goes on with the next.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|panic| {
        let said =
            panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
        format!("the program failed in this ({}): please report it", said.unwrap_or_else(|| "no message".to_owned()))
    })
}

struct Loop {
    lab: Rc<lab::Lab>,
    /// A sampler that stands ready for a lane, until the lab is asked to take it.
    guest: Option<(String, Box<dyn Sampler>)>,
    tell: Tell,
    /// When a lab that plays took its last step.
    played: Instant,
    session: Session,
    theme: crate::ui::theme::Theme,
    cache: Cache,
    model: Model,
    runner: Runner,
    history: Sender<history::Job>,
    judge: judge::Judge,
    /// When the program began.
    started: Instant,
    /// When the present run began.
    began: Option<Instant>,
    leaving: bool,
}

impl Loop {
    fn listen(&mut self, incoming: &Receiver<Incoming>) -> Result<(), term::Error> {
        while !self.leaving {
            let first = match self.tick() {
                Some(tick) => incoming.recv_timeout(tick),
                None => incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
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
            if self.model.lab.pace().is_some_and(|pace| self.played.elapsed() >= pace) {
                self.played = Instant::now();
                self.feed(Event::Play)?;
            }
            if self.warming() {
                self.feed(Event::WarmTick(self.started.elapsed().as_secs()))?;
            }
            if !self.leaving {
                self.draw()?;
            }
        }
        Ok(())
    }

    /// How long to wait for an event; for ever where nothing moves by itself.
    fn tick(&self) -> Option<Duration> {
        let running = self.model.running.as_ref().map(|_| TICK);
        let clock = running.or_else(|| self.warming().then_some(SLOW_TICK));
        let step = self.model.lab.pace().map(|pace| pace.saturating_sub(self.played.elapsed()));
        clock.into_iter().chain(step).min()
    }

    fn warming(&self) -> bool {
        matches!(self.model.warm, Warm::Building(_) | Warm::Waiting)
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
            Incoming::Guest(lane, came) => {
                let ready = came.map(|guest| self.guest = Some(guest));
                self.feed(Event::Guest(lane, ready))
            }
            Incoming::Term(event) => self.on_terminal(event),
        }
    }

    fn on_terminal(&mut self, event: term::Event) -> Result<(), term::Error> {
        match event {
            term::Event::Key(key) => self.feed(Event::Key(translate::key(key))),
            term::Event::Mouse(mouse) => translate::mouse(mouse).map_or(Ok(()), |event| self.feed(event)),
            term::Event::Paste(text) => self.feed(Event::Paste(text)),
            // The next frame asks for the size itself. It is drawn whole: between two sizes that are the same there may have
            // been a smaller one, which cut off what was on the screen.
            term::Event::Resize { .. } => self.session.redraw_all(),
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
                let implementation = match implementation {
                    Implementation::Own => {
                        history(history::Job::Own(generation, only.clone()));
                        Implementation::Own
                    }
                    Implementation::File(path) => Implementation::File(at_home(path)),
                    other => other,
                };
                self.judge.run(generation, slug, implementation, only);
            }
            Effect::RunSaved { generation, slug, id, only } => {
                self.began = Some(Instant::now());
                history(history::Job::RunSaved { generation, slug, id, only, judge: self.judge.clone() });
            }
            Effect::Copy(text) => {
                if let Err(error) = clipboard::copy(&mut std::io::stdout(), &text) {
                    return self.feed(Event::Notice(Level::Error, format!("the terminal took no copy: {error}")));
                }
            }
            Effect::Lab(number, request) => self.lab.ask(number, request),
            Effect::Serve { lane, slug, implementation } => {
                guests::call(&self.runner, &self.tell, lane, slug, implementation);
            }
            Effect::Invite(number, lane) => {
                if let Some((name, guest)) = self.guest.take() {
                    self.lab.invite(number, lane, &name, guest);
                }
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

/// A path as a shell would read it: `~/` is the reader's home.
fn at_home(path: PathBuf) -> PathBuf {
    match (path.strip_prefix("~"), std::env::var_os("HOME")) {
        (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell() -> (Tell, Receiver<Incoming>) {
        let (send, heard) = channel();
        (Tell(send), heard)
    }

    #[test]
    fn a_panic_in_one_piece_of_work_leaves_the_thread_for_the_next() {
        let (tell, _heard) = tell();
        let (send, answers) = channel();
        let ended = spawn("work", &tell, move || {
            for piece in 0..3 {
                let _ = send.send(guarded(|| if piece == 1 { panic!("piece {piece}") } else { piece }));
            }
        });
        ended.wait(Instant::now() + Duration::from_secs(30));
        let answers: Vec<_> = answers.iter().collect();
        assert_eq!((&answers[0], &answers[2]), (&Ok(0), &Ok(2)));
        assert!(answers[1].as_ref().is_err_and(|text| text.contains("piece 1")), "{answers:?}");
    }

    #[test]
    fn an_overtaken_request_is_dropped_and_none_begins_after_the_end() {
        let (jobs, todo) = channel();
        let judge = judge::Judge::for_test(jobs);
        judge.run(2, "sdpa".to_owned(), Implementation::Own, None);
        judge.run(1, "sdpa".to_owned(), Implementation::Own, None);
        judge.run(3, "sdpa".to_owned(), Implementation::Own, None);
        let seen: Vec<(u64, bool)> = todo.try_iter().map(|job| (job.generation, job.cancel.is_cancelled())).collect();
        assert_eq!(seen, [(2, true), (3, false)], "the newer cancels the older, never the other way round");
        judge.stop();
        judge.run(4, "sdpa".to_owned(), Implementation::Own, None);
        assert!(todo.try_iter().all(|job| job.generation == u64::MAX));
    }
}
