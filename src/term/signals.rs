//! Signals as events, from a thread of their own.

use super::{Event, Signal};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a stop may take to come. Where there is no job control it never comes, and this is how long ^Z takes.
const STOP: Duration = Duration::from_millis(500);

/// A ^C in the editor may be heard of this long after the editor is closed.
const LATE: Duration = Duration::from_secs(1);

/// What the two threads tell each other.
#[derive(Default)]
struct State {
    /// The editor has the terminal: ^C is the editor's.
    muted: bool,
    /// When it gave it back.
    unmuted: Option<Instant>,
    /// [`Signals::stop_job`] waits for SIGCONT.
    stopping: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    continued: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the signal is for the program; a SIGCONT that was waited for is not.
    fn pass(&self, signal: Signal) -> bool {
        let mut state = self.lock();
        match signal {
            Signal::Interrupt => !state.muted && state.unmuted.is_none_or(|at| at.elapsed() > LATE),
            Signal::Continue if state.stopping => {
                state.stopping = false;
                self.continued.notify_all();
                false
            }
            _ => true,
        }
    }
}

/// Listens until it is dropped.
pub(super) struct Signals {
    #[cfg(unix)]
    handle: signal_hook::iterator::Handle,
    shared: Arc<Shared>,
}

impl Signals {
    /// Starts to listen.
    #[cfg(unix)]
    pub(super) fn listen(send: impl Fn(Event) + Send + 'static) -> io::Result<Self> {
        use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGCONT])?;
        let handle = signals.handle();
        let shared: Arc<Shared> = Arc::default();
        let theirs = Arc::clone(&shared);
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for number in signals.forever() {
                let signal = match number {
                    SIGTERM => Signal::Terminate,
                    SIGHUP => Signal::HangUp,
                    SIGCONT => Signal::Continue,
                    _ => Signal::Interrupt,
                };
                if theirs.pass(signal) {
                    send(Event::Signal(signal));
                }
            }
        })?;
        Ok(Self { handle, shared })
    }

    /// There are none.
    #[cfg(not(unix))]
    pub(super) fn listen(_send: impl Fn(Event) + Send + 'static) -> io::Result<Self> {
        Ok(Self { shared: Arc::default() })
    }

    /// While the editor has the terminal, ^C is the editor's.
    pub(super) fn mute_interrupt(&self, muted: bool) {
        let mut state = self.shared.lock();
        state.muted = muted;
        state.unmuted = (!muted).then(Instant::now);
    }

    /// Stops the whole job, as ^Z does where the terminal is not in raw mode; returns when it is continued.
    #[cfg(unix)]
    pub(super) fn stop_job(&self) -> io::Result<()> {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        self.shared.lock().stopping = true;
        kill(Pid::from_raw(0), Signal::SIGTSTP)?;
        // Another thread may have to take the signal first; until the stop comes, this one must not go on and take the
        // terminal back.
        let state = self.shared.lock();
        let waited = self.shared.continued.wait_timeout_while(state, STOP, |state| state.stopping);
        waited.unwrap_or_else(PoisonError::into_inner).0.stopping = false;
        Ok(())
    }

    /// There is no job control here.
    #[cfg(not(unix))]
    pub(super) fn stop_job(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        #[cfg(unix)]
        self.handle.close();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn signals_become_events_and_interrupt_can_be_muted() {
        use nix::sys::signal::{Signal as Number, raise};
        let (send, events) = mpsc::channel();
        let signals = Signals::listen(move |event| {
            let _ = send.send(event);
        })
        .expect("signals can be listened to");
        let next = || events.recv_timeout(Duration::from_secs(10)).expect("an event");
        raise(Number::SIGINT).expect("raised");
        assert_eq!(next(), Event::Signal(Signal::Interrupt));
        raise(Number::SIGHUP).expect("raised");
        assert_eq!(next(), Event::Signal(Signal::HangUp));
        signals.mute_interrupt(true);
        raise(Number::SIGINT).expect("raised");
        raise(Number::SIGTERM).expect("raised");
        assert_eq!(next(), Event::Signal(Signal::Terminate));
    }
}
