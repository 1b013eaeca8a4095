//! The thread that holds the model and the lanes. Requests are carried out in their order; a long one gives way to a newer
//! one between two tokens.

use super::{Ended, at_home, guarded};
use crate::lab::embedded::{self, Loaded};
use crate::lab::engine::Done;
use crate::lab::record::is_export;
use crate::lab::{Answer, Request, Workbench};
use crate::store::replace;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// At most one view in this time while a request goes on.
const PAUSE: Duration = Duration::from_millis(15);
/// How long leaving waits for the token, or the export, that is under way.
const LEAVE: Duration = Duration::from_secs(1);

struct Ask {
    generation: u64,
    request: Request,
}

/// What both sides see.
#[derive(Default)]
struct Shared {
    /// Requests that the thread has not taken yet.
    waiting: AtomicUsize,
    over: AtomicBool,
}

/// A handle on the thread. Dropped, it lets the thread end.
pub struct Lab {
    asks: Sender<Ask>,
    shared: Arc<Shared>,
    ended: Ended,
}

/// Starts the thread. It loads the embedded model at once and says what there is to see; `tell` is called from the thread.
pub fn start(tell: impl Fn(Answer) + Send + 'static) -> Lab {
    start_with(embedded::load, tell)
}

/// As [`start`], with another model.
pub fn start_with(
    load: impl FnOnce() -> Result<Loaded, String> + Send + 'static,
    tell: impl Fn(Answer) + Send + 'static,
) -> Lab {
    let (asks, todo) = channel();
    let (alive, ended) = channel();
    let shared = Arc::new(Shared::default());
    let lab = Lab { asks, shared: Arc::clone(&shared), ended: Ended(ended) };
    // Both the thread and the failure to start it have something to say.
    let tell = Arc::new(std::sync::Mutex::new(tell));
    let say = Arc::clone(&tell);
    let say = move |answer| say.lock().unwrap_or_else(|poisoned| poisoned.into_inner())(answer);
    let complain = move |answer| tell.lock().unwrap_or_else(|poisoned| poisoned.into_inner())(answer);
    let work = move || {
        let _alive: Sender<()> = alive;
        work(load, &todo, &shared, &say);
    };
    if let Err(error) = std::thread::Builder::new().name("lab".to_owned()).spawn(work) {
        complain(Answer::Failed(format!("no thread for the lab: {error}")));
    }
    lab
}

impl Lab {
    /// Carries this out behind what was asked before; its answers bear the number.
    pub fn ask(&self, generation: u64, request: Request) {
        self.shared.waiting.fetch_add(1, Ordering::SeqCst);
        // A thread that is gone has said why.
        let _ = self.asks.send(Ask { generation, request });
    }

    /// Ends the thread; waits a moment for the token or the export that is under way.
    pub fn stop(&self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes the thread, which sees that it is over.
        self.ask(0, Request::Back(0));
        self.ended.wait(Instant::now() + LEAVE);
    }
}

fn work(load: impl FnOnce() -> Result<Loaded, String>, todo: &Receiver<Ask>, shared: &Shared, tell: &dyn Fn(Answer)) {
    let loaded = guarded(load).and_then(|loaded| loaded);
    let bench =
        loaded.and_then(|loaded| guarded(|| Workbench::new(loaded.clone())).and_then(|bench| Ok((bench?, loaded))));
    let mut thread = match bench {
        Ok((bench, loaded)) => Thread { bench, loaded, shared, tell, shown: Instant::now() },
        Err(reason) => {
            tell(Answer::Failed(reason.clone()));
            while let Some(ask) = next(todo, shared) {
                tell(Answer::Refused(ask.generation, reason.clone()));
            }
            return;
        }
    };
    thread.show(0);
    while let Some(ask) = next(todo, shared) {
        thread.carry_out(ask);
    }
}

/// The next request; none when it is over.
fn next(todo: &Receiver<Ask>, shared: &Shared) -> Option<Ask> {
    let ask = todo.recv().ok()?;
    shared.waiting.fetch_sub(1, Ordering::SeqCst);
    (!shared.over.load(Ordering::SeqCst)).then_some(ask)
}

struct Thread<'a> {
    bench: Workbench,
    /// To begin again with, should the bench be beyond use.
    loaded: Loaded,
    shared: &'a Shared,
    tell: &'a dyn Fn(Answer),
    /// When the last view was shown.
    shown: Instant,
}

impl Thread<'_> {
    fn show(&mut self, generation: u64) {
        (self.tell)(Answer::View(generation, Box::new(self.bench.view())));
        self.shown = Instant::now();
    }

    fn carry_out(&mut self, Ask { generation, request }: Ask) {
        let (shared, tell, shown) = (self.shared, self.tell, &mut self.shown);
        let newer = || shared.waiting.load(Ordering::SeqCst) > 0 || shared.over.load(Ordering::SeqCst);
        let mut between = |bench: &Workbench| {
            if shown.elapsed() >= PAUSE {
                tell(Answer::View(generation, Box::new(bench.view())));
                *shown = Instant::now();
            }
            !newer()
        };
        match guarded(|| self.bench.carry_out(request, &mut between)) {
            Ok(Ok(Done::Changed)) => {
                // The newer request's view shows this one's work, too.
                if newer() && self.shown.elapsed() < PAUSE {
                    return;
                }
            }
            Ok(Ok(Done::Export(path, text))) => tell(match export(path, &text) {
                Ok(path) => Answer::Exported(path),
                Err(reason) => Answer::Refused(generation, reason),
            }),
            Ok(Err(reason)) => tell(Answer::Refused(generation, reason)),
            Err(panic) => {
                tell(Answer::Failed(panic));
                self.recover();
            }
        }
        self.show(generation);
    }

    /// After a panic: the lanes are kept if they can still be looked at. A step is added to a lane only when it is whole.
    fn recover(&mut self) {
        if guarded(|| drop(self.bench.view())).is_err()
            && let Ok(Ok(fresh)) = guarded(|| Workbench::new(self.loaded.clone()))
        {
            self.bench = fresh;
        }
    }
}

/// Writes a run to a file. What is there already is replaced only if it is such a run itself.
fn export(path: PathBuf, text: &str) -> Result<PathBuf, String> {
    let path = at_home(path);
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    if path.as_os_str().is_empty() {
        return Err("the export needs the name of a file".to_owned());
    }
    if path.is_file() && !std::fs::read_to_string(&path).is_ok_and(|old| is_export(&old)) {
        return Err(format!("{} is there already and is no export of the lab: name another file", path.display()));
    }
    replace(&path, text).map_err(failed)?;
    Ok(path)
}
