//! Watching the practice folder for saves.
//!
//! Editors save in many ways: in place, by renaming over, with a backup beside. So the folders are watched, not the files; an
//! event only means "look", and a save is a text that differs from the one seen before.

use super::{Error, Practice};
use crate::pack;
use notify::{RecursiveMode, Watcher as _};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Saves within this time are one.
const QUIET: Duration = Duration::from_millis(60);
/// How often the files are looked at where the system reports nothing.
const POLL: Duration = Duration::from_millis(700);

/// What the watcher says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A problem's file has another text.
    Saved {
        /// The problem.
        slug: String,
    },
    /// How the folder is watched; said once at the start and again when it changes.
    Mode(WatchMode),
}

/// How the folder is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMode {
    /// The system reports changes.
    Events,
    /// The files are looked at now and then.
    Polling {
        /// Why.
        why: String,
    },
}

/// Watches until it is dropped.
pub struct Watcher {
    _system: Option<notify::RecommendedWatcher>,
    stop: Sender<Poke>,
}

enum Poke {
    Look,
    Stop,
    Lost(String),
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.stop.send(Poke::Stop);
    }
}

/// Starts watching; `send` is called on the watcher's own thread.
pub fn watch(practice: &Practice, send: impl Fn(Change) + Send + 'static) -> Result<Watcher, Error> {
    let (poke, poked) = channel();
    let (system, mode) = match system(practice, poke.clone()) {
        Ok(system) => (Some(system), WatchMode::Events),
        Err(error) => (None, WatchMode::Polling { why: error.to_string() }),
    };
    let mut seen = Seen::new(practice);
    let work = move || {
        send(Change::Mode(mode.clone()));
        look_on(&poked, mode, &mut seen, &send);
    };
    std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(work)
        .map_err(|error| Error::Watch(format!("no thread for it: {error}")))?;
    Ok(Watcher { _system: system, stop: poke })
}

fn system(practice: &Practice, poke: Sender<Poke>) -> notify::Result<notify::RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let _ = match event {
            Ok(event) if event.need_rescan() || event.paths.iter().any(|path| is_source(path)) => poke.send(Poke::Look),
            Ok(_) => Ok(()),
            Err(error) => poke.send(Poke::Lost(error.to_string())),
        };
    })?;
    // The topics' folders alone: `target` may lie inside the practice folder and never rests.
    watcher.watch(practice.root(), RecursiveMode::NonRecursive)?;
    for folder in folders(practice) {
        watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

fn folders(practice: &Practice) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = pack::all().map(|entry| practice.root().join(entry.topic.slug())).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// Whether a path can be a problem's file; editors' droppings (4913, .swp, ~, "p copy.rs") cannot.
fn is_source(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    name.strip_suffix(".rs").is_some_and(|slug| pack::find(slug).is_some())
}

fn look_on(poked: &Receiver<Poke>, mut mode: WatchMode, seen: &mut Seen, send: &impl Fn(Change)) {
    loop {
        let poke = match mode {
            WatchMode::Events => poked.recv().map_err(|_| RecvTimeoutError::Disconnected),
            WatchMode::Polling { .. } => poked.recv_timeout(POLL),
        };
        match poke {
            Ok(Poke::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(Poke::Lost(why)) => {
                mode = WatchMode::Polling { why };
                send(Change::Mode(mode.clone()));
            }
            Ok(Poke::Look) if settle(poked) => return,
            Ok(Poke::Look) | Err(RecvTimeoutError::Timeout) => {}
        }
        seen.changed().into_iter().for_each(|slug| send(Change::Saved { slug }));
    }
}

/// Waits until nothing has happened for a moment; says whether the end was asked for meanwhile.
fn settle(poked: &Receiver<Poke>) -> bool {
    let longest = Instant::now() + QUIET * 5;
    while Instant::now() < longest {
        match poked.recv_timeout(QUIET) {
            Ok(Poke::Stop) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    false
}

/// The texts as they were last seen.
struct Seen {
    files: Vec<(String, PathBuf)>,
    texts: HashMap<String, u64>,
}

impl Seen {
    fn new(practice: &Practice) -> Self {
        let files = pack::all().filter_map(|entry| Some((entry.slug.to_owned(), practice.file(entry.slug).ok()?)));
        let mut seen = Self { files: files.collect(), texts: HashMap::new() };
        seen.changed();
        seen
    }

    /// Slugs whose text differs from before. A file that is missing or empty for a moment, as in the middle of a save, is
    /// no change.
    fn changed(&mut self) -> Vec<String> {
        let mut changed = Vec::new();
        for (slug, path) in &self.files {
            let Ok(text) = std::fs::read(path) else { continue };
            if text.is_empty() {
                continue;
            }
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            let now = hasher.finish();
            if self.texts.insert(slug.clone(), now) != Some(now) {
                changed.push(slug.clone());
            }
        }
        changed
    }
}
