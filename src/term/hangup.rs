//! Notices that the terminal was closed. The reader of keys cannot be trusted with it: crossterm, asked at the wrong
//! moment, reads for ever from a terminal that is gone. And SIGHUP is not sent to a program that is not the session's first.

use super::Event;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Milliseconds after which the thread looks whether it is still wanted.
#[cfg(unix)]
const TICK: u16 = 1000;

/// Watches until it is dropped.
pub(super) struct Hangup {
    ended: Arc<AtomicBool>,
}

impl Hangup {
    /// Starts to watch.
    #[cfg(unix)]
    pub(super) fn watch(send: impl Fn(Event) + Send + 'static) -> io::Result<Self> {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        use std::os::fd::AsFd;
        let ended = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&ended);
        std::thread::Builder::new().name("hangup".to_owned()).spawn(move || {
            let stdin = io::stdin();
            while !theirs.load(Ordering::SeqCst) {
                // Nothing is asked for: only a hang-up is reported.
                let mut terminal = [PollFd::new(stdin.as_fd(), PollFlags::empty())];
                let found = poll(&mut terminal, PollTimeout::from(TICK));
                if found.is_ok_and(|count| count > 0) {
                    send(Event::InputLost("the terminal was closed".to_owned()));
                    return;
                }
            }
        })?;
        Ok(Self { ended })
    }

    /// Nothing to watch here.
    #[cfg(not(unix))]
    pub(super) fn watch(_send: impl Fn(Event) + Send + 'static) -> io::Result<Self> {
        Ok(Self { ended: Arc::default() })
    }
}

impl Drop for Hangup {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
    }
}
