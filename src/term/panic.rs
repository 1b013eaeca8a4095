//! Panics. Only a panic of the drawing thread ends the program and gives the terminal back; on any other thread it is
//! an event, and the running screen stays whole.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::thread;

/// A panic on a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerPanic {
    /// The thread's name.
    pub thread: String,
    /// What it said.
    pub message: String,
    /// `file:line:column`.
    pub location: Option<String>,
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync + 'static>;

/// Puts the earlier hook back when it goes.
pub(super) struct Installed {
    earlier: Arc<Hook>,
}

/// Makes the calling thread the drawing thread. `restore` gives the terminal back, `report` takes the workers' panics.
pub(super) fn install(
    restore: impl Fn() + Send + Sync + 'static,
    report: impl Fn(WorkerPanic) + Send + Sync + 'static,
) -> Installed {
    let drawing = thread::current().id();
    let earlier: Arc<Hook> = Arc::new(panic::take_hook());
    let next = Arc::clone(&earlier);
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == drawing {
            restore();
            next(info);
        } else {
            report(describe(info));
        }
    }));
    Installed { earlier }
}

impl Drop for Installed {
    fn drop(&mut self) {
        // While a panic is under way the hook cannot be changed; the process is ending then.
        if !thread::panicking() {
            let earlier = Arc::clone(&self.earlier);
            panic::set_hook(Box::new(move |info| earlier(info)));
        }
    }
}

fn describe(info: &PanicHookInfo<'_>) -> WorkerPanic {
    WorkerPanic {
        thread: thread::current().name().unwrap_or("unnamed").to_owned(),
        message: message(info.payload()),
        location: info.location().map(ToString::to_string),
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// One test, because the hook belongs to the process: a worker's panic is reported and restores nothing, the drawing
    /// thread's restores, and afterwards the earlier hook is back.
    #[test]
    fn only_the_drawing_thread_restores() {
        let restored = Arc::new(AtomicUsize::new(0));
        let reports: Arc<Mutex<Vec<WorkerPanic>>> = Arc::default();
        let (count, list) = (Arc::clone(&restored), Arc::clone(&reports));
        let drawing = thread::Builder::new().name("drawing".to_owned()).spawn(move || {
            let installed = install(
                move || {
                    count.fetch_add(1, Ordering::SeqCst);
                },
                move |panic| {
                    if panic.thread == "judge" {
                        list.lock().expect("nobody panics while holding it").push(panic);
                    }
                },
            );
            let judge = thread::Builder::new().name("judge".to_owned());
            let worker = judge.spawn(|| panic!("row {}", 7)).expect("a thread");
            assert!(worker.join().is_err());
            let caught = panic::catch_unwind(|| panic!("drawing failed"));
            assert!(caught.is_err());
            drop(installed);
            let _ = panic::catch_unwind(|| panic!("after the session"));
        });
        assert!(drawing.expect("a thread").join().is_ok());
        let reports = reports.lock().expect("nobody panics while holding it");
        assert_eq!(reports.len(), 1);
        assert_eq!((reports[0].thread.as_str(), reports[0].message.as_str()), ("judge", "row 7"));
        assert!(reports[0].location.as_ref().is_some_and(|place| place.contains("panic.rs")));
        assert_eq!(restored.load(Ordering::SeqCst), 1);
    }
}
