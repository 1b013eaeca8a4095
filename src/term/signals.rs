//! Signals as events, from a thread of their own.

use super::{Event, Signal};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Listens until it is dropped.
pub(super) struct Signals {
    #[cfg(unix)]
    handle: signal_hook::iterator::Handle,
    muted: Arc<AtomicBool>,
}

impl Signals {
    /// Starts to listen.
    #[cfg(unix)]
    pub(super) fn listen(send: impl Fn(Event) + Send + 'static) -> io::Result<Self> {
        use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGCONT])?;
        let handle = signals.handle();
        let muted = Arc::new(AtomicBool::new(false));
        let quiet = Arc::clone(&muted);
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for number in signals.forever() {
                let signal = match number {
                    SIGTERM => Signal::Terminate,
                    SIGHUP => Signal::HangUp,
                    SIGCONT => Signal::Continue,
                    _ => Signal::Interrupt,
                };
                if signal != Signal::Interrupt || !quiet.load(Ordering::SeqCst) {
                    send(Event::Signal(signal));
                }
            }
        })?;
        Ok(Self { handle, muted })
    }

    /// There are none.
    #[cfg(not(unix))]
    pub(super) fn listen(_send: impl Fn(Event) + Send + 'static) -> io::Result<Self> {
        Ok(Self { muted: Arc::default() })
    }

    /// While the editor has the terminal, ^C is the editor's.
    pub(super) fn mute_interrupt(&self, muted: bool) {
        self.muted.store(muted, Ordering::SeqCst);
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        #[cfg(unix)]
        self.handle.close();
    }
}

/// Stops the whole job, as ^Z does where the terminal is not in raw mode; returns when it is continued.
#[cfg(unix)]
pub(super) fn stop_job() -> io::Result<()> {
    use nix::sys::signal::{Signal, kill, raise};
    use nix::unistd::Pid;
    kill(Pid::from_raw(0), Signal::SIGTSTP)?;
    // Any thread may have taken that one, and this one would run on for a moment and take the terminal back. A signal to
    // the thread itself is there before the call returns; SIGCONT clears what is left over.
    Ok(raise(Signal::SIGTSTP)?)
}

/// There is no job control here.
#[cfg(not(unix))]
pub(super) fn stop_job() -> io::Result<()> {
    Ok(())
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
