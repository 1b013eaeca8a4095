//! Keys, mouse and pasted text, from a thread of their own that steps aside while the editor has the terminal.

use super::Event;
use crossterm::event::{self, Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the thread may be deaf to a request; a pause takes at most this long.
const TICK: Duration = Duration::from_millis(50);

/// How long anyone waits for the thread: should it be stuck in the terminal, the program still goes on and ends.
const STUCK: Duration = Duration::from_secs(1);

/// Where events come from; a trait, so that the tests need no terminal.
pub(super) trait Source: Send + 'static {
    /// Whether there is an event within `timeout`.
    fn poll(&mut self, timeout: Duration) -> io::Result<bool>;
    /// The next event.
    fn read(&mut self) -> io::Result<Raw>;
}

/// The terminal.
pub(super) struct Tty;

impl Source for Tty {
    /// crossterm reads for ever, at full speed, from a terminal that was closed: so it is only asked while there is one.
    #[cfg(unix)]
    fn poll(&mut self, timeout: Duration) -> io::Result<bool> {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        use std::os::fd::AsFd;
        // What crossterm has read and not yet handed out comes first, and its resizes are not seen from here.
        if event::poll(Duration::ZERO)? {
            return Ok(true);
        }
        let stdin = io::stdin();
        let mut terminal = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        poll(&mut terminal, PollTimeout::try_from(timeout).unwrap_or(PollTimeout::ZERO))?;
        let found = terminal[0].revents().unwrap_or(PollFlags::empty());
        if found.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL) {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal was closed"));
        }
        event::poll(Duration::ZERO)
    }

    #[cfg(not(unix))]
    fn poll(&mut self, timeout: Duration) -> io::Result<bool> {
        event::poll(timeout)
    }

    fn read(&mut self) -> io::Result<Raw> {
        event::read()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    PauseAsked,
    Paused,
    Stop,
    Stopped,
}

/// The state, and its change as a signal between the two threads.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: State) {
        *self.lock() = state;
        self.changed.notify_all();
    }

    /// The pause that was asked for begins, unless it was called off meanwhile.
    fn paused(&self) {
        let mut state = self.lock();
        if *state == State::PauseAsked {
            *state = State::Paused;
            self.changed.notify_all();
        }
    }

    /// Waits for another state, but not for ever.
    fn wait_while(&self, state: MutexGuard<'_, State>, same: State) {
        drop(self.changed.wait_timeout_while(state, STUCK, |state| *state == same));
    }
}

/// The thread. Ends when this is dropped.
pub(super) struct Input {
    shared: Arc<Shared>,
}

impl Input {
    /// Starts to read. `late_reply`: the terminal was asked for its background and has not answered yet.
    pub(super) fn start(
        source: impl Source,
        late_reply: bool,
        send: impl Fn(Event) + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared { state: Mutex::new(State::Reading), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let reader = std::thread::Builder::new().name("input".to_owned());
        reader.spawn(move || {
            read_all(source, &theirs, &mut Translator::new(late_reply), &send);
            theirs.set(State::Stopped);
        })?;
        Ok(Self { shared })
    }

    /// Returns when the thread reads no more; what has arrived by then was sent.
    pub(super) fn pause(&self) {
        let mut state = self.shared.lock();
        if *state == State::Reading {
            *state = State::PauseAsked;
        }
        self.shared.wait_while(state, State::PauseAsked);
    }

    /// Reads again.
    pub(super) fn go_on(&self) {
        let mut state = self.shared.lock();
        if matches!(*state, State::Paused | State::PauseAsked) {
            *state = State::Reading;
            self.shared.changed.notify_all();
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if *state != State::Stopped {
            *state = State::Stop;
            self.shared.changed.notify_all();
            self.shared.wait_while(state, State::Stop);
        }
    }
}

fn read_all(mut source: impl Source, shared: &Shared, translator: &mut Translator, send: &impl Fn(Event)) {
    loop {
        let asked = *shared.lock();
        let timeout = if asked == State::PauseAsked { Duration::ZERO } else { TICK };
        match asked {
            State::Stop | State::Stopped => return,
            State::Paused => {
                let state = shared.lock();
                let waited = shared.changed.wait_while(state, |state| *state == State::Paused);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
            State::Reading | State::PauseAsked => match read_one(&mut source, timeout) {
                Ok(Some(raw)) => translator.translate(raw).into_iter().for_each(send),
                Ok(None) if asked == State::PauseAsked => shared.paused(),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    send(Event::InputLost(error.to_string()));
                    return;
                }
            },
        }
    }
}

fn read_one(source: &mut impl Source, timeout: Duration) -> io::Result<Option<Raw>> {
    if source.poll(timeout)? { source.read().map(Some) } else { Ok(None) }
}

/// From the terminal's events to ours.
struct Translator {
    /// How many more keys may belong to a late reply; none expected: 0.
    late: usize,
    inside: bool,
}

/// A reply is `ESC ] 11 ; rgb:ffff/ffff/ffff BEL`; two of them, with room to spare.
const REPLY: usize = 80;

impl Translator {
    fn new(late_reply: bool) -> Self {
        Self { late: if late_reply { REPLY } else { 0 }, inside: false }
    }

    fn translate(&mut self, raw: Raw) -> Option<Event> {
        match raw {
            Raw::Key(key) if key.kind == KeyEventKind::Release || self.is_reply(&key) => None,
            Raw::Key(key) => Some(Event::Key(key)),
            Raw::Mouse(mouse) if mouse.kind == MouseEventKind::Moved => None,
            Raw::Mouse(mouse) => Some(Event::Mouse(mouse)),
            Raw::Paste(text) => Some(Event::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))),
            Raw::Resize(width, height) => Some(Event::Resize { width, height }),
            Raw::FocusGained | Raw::FocusLost => None,
        }
    }

    /// A terminal that answers after the wait was over is heard as keys: Alt-], text, BEL or Alt-\. They are nobody's
    /// typing.
    fn is_reply(&mut self, key: &KeyEvent) -> bool {
        let with = |modifier| key.modifiers.contains(modifier);
        if self.late == 0 {
            return false;
        }
        if !self.inside {
            self.inside = key.code == KeyCode::Char(']') && with(KeyModifiers::ALT);
            return self.inside;
        }
        self.late -= 1;
        let bell = key.code == KeyCode::Char('g') && with(KeyModifiers::CONTROL);
        let terminator = key.code == KeyCode::Char('\\') && with(KeyModifiers::ALT);
        self.inside = !(bell || terminator || self.late == 0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};

    /// Events from a channel, as a terminal would deliver them.
    struct Script {
        events: Receiver<io::Result<Raw>>,
        next: Option<io::Result<Raw>>,
    }

    impl Source for Script {
        fn poll(&mut self, timeout: Duration) -> io::Result<bool> {
            if self.next.is_none() {
                match self.events.recv_timeout(timeout) {
                    Ok(event) => self.next = Some(event),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("hung up")),
                }
            }
            Ok(self.next.is_some())
        }

        fn read(&mut self) -> io::Result<Raw> {
            self.next.take().unwrap_or_else(|| Err(io::Error::other("read without poll")))
        }
    }

    fn start() -> (Input, Sender<io::Result<Raw>>, Receiver<Event>) {
        let (terminal, events) = mpsc::channel();
        let (send, heard) = mpsc::channel();
        let source = Script { events, next: None };
        let input = Input::start(source, false, move |event| drop(send.send(event))).expect("a thread");
        (input, terminal, heard)
    }

    fn key(code: char) -> Raw {
        Raw::Key(KeyEvent::new(KeyCode::Char(code), KeyModifiers::NONE))
    }

    fn next(heard: &Receiver<Event>) -> Event {
        heard.recv_timeout(Duration::from_secs(10)).expect("an event")
    }

    #[test]
    fn keys_arrive_in_order_and_a_pause_loses_none() {
        let (input, terminal, heard) = start();
        for c in ['a', 'b', 'c'] {
            terminal.send(Ok(key(c))).expect("sent");
        }
        input.pause();
        let before: Vec<Event> = heard.try_iter().collect();
        assert_eq!(before.len(), 3, "what had arrived was sent before the pause");
        terminal.send(Ok(key('d'))).expect("sent");
        assert!(heard.try_recv().is_err(), "nothing is read during the pause");
        input.go_on();
        assert!(matches!(next(&heard), Event::Key(k) if k.code == KeyCode::Char('d')));
    }

    #[test]
    fn a_lost_terminal_is_said_once_and_a_pause_does_not_hang() {
        let (input, terminal, heard) = start();
        drop(terminal);
        assert!(matches!(next(&heard), Event::InputLost(_)));
        input.pause();
        input.go_on();
        drop(input);
        assert!(heard.recv().is_err());
    }

    #[test]
    fn only_presses_and_repeats_count() {
        let mut translator = Translator::new(false);
        let of = |kind| Raw::Key(KeyEvent { kind, ..KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE) });
        assert!(translator.translate(of(KeyEventKind::Press)).is_some());
        assert!(translator.translate(of(KeyEventKind::Repeat)).is_some());
        assert!(translator.translate(of(KeyEventKind::Release)).is_none());
    }

    #[test]
    fn pasted_line_breaks_are_plain() {
        let pasted = Translator::new(false).translate(Raw::Paste("a\r\nb\rc".to_owned()));
        assert_eq!(pasted, Some(Event::Paste("a\nb\nc".to_owned())));
    }

    #[test]
    fn a_late_reply_is_no_typing() {
        let mut translator = Translator::new(true);
        let mut press = |code, modifiers| translator.translate(Raw::Key(KeyEvent::new(KeyCode::Char(code), modifiers)));
        assert!(press('j', KeyModifiers::NONE).is_some());
        assert!(press(']', KeyModifiers::ALT).is_none());
        assert!("11;rgb:1e1e/1e1e/1e1e".chars().all(|c| press(c, KeyModifiers::NONE).is_none()));
        assert!(press('\\', KeyModifiers::ALT).is_none());
        assert!(press('k', KeyModifiers::NONE).is_some());
    }

    #[test]
    fn a_reply_that_never_ends_gives_the_keys_back() {
        let mut translator = Translator::new(true);
        let mut press = |code, modifiers| translator.translate(Raw::Key(KeyEvent::new(KeyCode::Char(code), modifiers)));
        assert!(press(']', KeyModifiers::ALT).is_none());
        let eaten = (0..1000).take_while(|_| press('x', KeyModifiers::NONE).is_none()).count();
        assert_eq!(eaten, REPLY);
        assert!(press(']', KeyModifiers::ALT).is_some());
    }
}
