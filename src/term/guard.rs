//! The modes of the terminal: each is remembered when it is set, and only what was set is taken back. The memory is
//! global because the panic hook must reach it without holding anything.

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{Command, execute};
use std::io::{self, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

static RAW: AtomicBool = AtomicBool::new(false);
static SCREEN: AtomicBool = AtomicBool::new(false);
static CURSOR: AtomicBool = AtomicBool::new(false);
static PASTE: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Sets what is not set yet. After an error nothing is left set.
pub(super) fn enter() -> io::Result<()> {
    set().inspect_err(|_| restore())
}

fn set() -> io::Result<()> {
    if !RAW.load(Ordering::SeqCst) {
        enable_raw_mode()?;
        RAW.store(true, Ordering::SeqCst);
    }
    on(&SCREEN, EnterAlternateScreen)?;
    on(&CURSOR, Hide)?;
    on(&PASTE, EnableBracketedPaste)?;
    on(&MOUSE, EnableMouseCapture)
}

/// Noted before it is written: taking back a mode that was never set does no harm, leaving one set does.
fn on(mode: &AtomicBool, command: impl Command) -> io::Result<()> {
    if mode.swap(true, Ordering::SeqCst) { Ok(()) } else { execute!(stdout(), command) }
}

fn off(mode: &AtomicBool, command: impl Command) {
    if mode.swap(false, Ordering::SeqCst) {
        // A terminal that is gone cannot be restored, and there is nobody to tell.
        let _ = execute!(stdout(), command);
    }
}

/// Takes back what was set, last first. May be called at any time, from any thread, any number of times.
pub fn restore() {
    off(&MOUSE, DisableMouseCapture);
    off(&PASTE, DisableBracketedPaste);
    off(&SCREEN, LeaveAlternateScreen);
    off(&CURSOR, Show);
    if RAW.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
    }
}

/// Restores the terminal when it goes.
pub(super) struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}
