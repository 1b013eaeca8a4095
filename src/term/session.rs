//! The program's time with the terminal, from the first mode that is set to the last that is taken back.

use super::guard::{self, Guard};
use super::hangup::Hangup;
use super::input::{Input, Tty};
use super::panic::{self, Installed};
use super::signals::Signals;
use super::{Error, Event};
use crossterm::execute;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};
use std::io::{self, BufWriter, IsTerminal, Stdout, stdin, stdout};
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// A frame leaves in one write.
pub type Terminal = ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Room for a frame of 200×60 with colours.
const FRAME: usize = 256 * 1024;

/// Owns the terminal. To be held, drawn on and dropped by the thread that started it.
///
/// Fields go in this order: nobody reads and no signal is answered any more when the modes are taken back.
pub struct Session {
    input: Input,
    _hangup: Hangup,
    signals: Signals,
    _hook: Installed,
    _guard: Guard,
    /// Never dropped: ratatui's destructor shows the cursor, which the guard has done already, and where the terminal is
    /// gone it prints why it could not, which panics because nobody can be told. Every frame has been flushed.
    terminal: ManuallyDrop<Terminal>,
}

impl Session {
    /// Takes the terminal. `send` is called from several threads and must not block. `late_reply`: see
    /// [`Detected::TimedOut`](super::background::Detected).
    pub fn start(late_reply: bool, send: impl Fn(Event) + Send + Sync + 'static) -> Result<Self, Error> {
        if !stdout().is_terminal() {
            return Err(Error::NotATerminal("output"));
        }
        if !stdin().is_terminal() {
            return Err(Error::NotATerminal("input"));
        }
        let send = Arc::new(send);
        let (to_signals, to_panics, to_hangup) = (Arc::clone(&send), Arc::clone(&send), Arc::clone(&send));
        let signals = Signals::listen(move |event| to_signals(event))?;
        let hook = panic::install(guard::restore, move |panic| to_panics(Event::WorkerPanic(panic)));
        guard::enter()?;
        let guard = Guard;
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(FRAME, stdout())))?;
        let terminal = ManuallyDrop::new(terminal);
        let input = Input::start(Tty, late_reply, move |event| send(event))?;
        let hangup = Hangup::watch(move |event| to_hangup(event))?;
        let mut session = Self { input, _hangup: hangup, signals, _hook: hook, _guard: guard, terminal };
        session.redraw_all()?;
        Ok(session)
    }

    /// Draws a frame. The terminal shows it at once or not at all, where it can.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> Result<(), Error> {
        crossterm::queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(render).map(|_| ());
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Ok(drawn?)
    }

    /// The terminal's size.
    pub fn size(&self) -> Result<Size, Error> {
        Ok(self.terminal.size()?)
    }

    /// Forgets what is on the screen; the next frame is drawn whole.
    pub fn redraw_all(&mut self) -> Result<(), Error> {
        let Size { width, height } = self.terminal.size()?;
        // Not `clear`: that asks the terminal for the cursor, and the answer would be read by the input thread.
        Ok(self.terminal.resize(Rect::new(0, 0, width, height))?)
    }

    /// Gives the terminal away while `run` runs (the editor), then takes it back. Draw a frame afterwards.
    pub fn suspended<T>(&mut self, run: impl FnOnce() -> T) -> Result<T, Error> {
        self.without_terminal(|_| run())
    }

    /// ^Z: gives the terminal back to the shell and sleeps until `fg`. Draw a frame afterwards.
    pub fn stop_job(&mut self) -> Result<(), Error> {
        Ok(self.without_terminal(Signals::stop_job)??)
    }

    /// After SIGCONT: sets every mode again, because whoever had the terminal meanwhile may have changed them. Draw a
    /// frame afterwards.
    pub fn resume(&mut self) -> Result<(), Error> {
        self.suspended(|| ())
    }

    fn without_terminal<T>(&mut self, run: impl FnOnce(&Signals) -> T) -> Result<T, Error> {
        self.input.pause();
        self.signals.mute_interrupt(true);
        guard::restore();
        let value = run(&self.signals);
        let entered = guard::enter();
        self.signals.mute_interrupt(false);
        self.input.go_on();
        entered?;
        self.redraw_all()?;
        Ok(value)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::other(error)
    }
}
