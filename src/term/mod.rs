//! The terminal as a thing that is borrowed and given back: modes, signals, panics, keys, the reader's editor.
//!
//! A [`Session`] owns all of it. Whatever ends the program (quit, panic of the drawing thread, SIGTERM), the terminal is
//! as it was before. A worker's panic never touches the terminal: it becomes an [`Event`].

pub mod background;
pub mod capabilities;
pub mod editor;
mod error;
mod guard;
mod hangup;
mod input;
mod panic;
mod session;
mod signals;
mod words;

pub use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
pub use error::Error;
pub use guard::restore;
pub use panic::WorkerPanic;
pub use session::{Session, Terminal};

/// What the terminal and the system tell the program.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A key went down, or repeats.
    Key(KeyEvent),
    /// Button, drag or wheel; bare movement is not reported.
    Mouse(MouseEvent),
    /// Text was pasted; line breaks are `\n`.
    Paste(String),
    /// The terminal has a new size.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// A signal.
    Signal(Signal),
    /// A thread other than the drawing one panicked.
    WorkerPanic(WorkerPanic),
    /// The terminal is gone or can no longer be read; the reason. Save and end. May be said more than once.
    InputLost(String),
}

/// The signals that the program answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM: save and end.
    Terminate,
    /// SIGHUP: the terminal is gone; save and end.
    HangUp,
    /// SIGINT from outside (^C is a key here).
    Interrupt,
    /// SIGCONT: back in the foreground; call [`Session::resume`].
    Continue,
}
