//! Is the terminal dark or light? Asked once, before anything reads keys, and never for long.

use crate::ui::theme::Background;
use std::io::IsTerminal;
use std::time::Duration;
use terminal_colorsaurus::{Error, QueryOptions, ThemeMode, theme_mode};

/// Longer than a terminal on the same machine needs, shorter than a reader notices.
const PATIENCE: Duration = Duration::from_millis(100);

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    /// The terminal said so.
    Known(Background),
    /// It cannot be asked, or did not understand.
    Unknown,
    /// It did not answer in time; the answer may still come, as keys.
    TimedOut,
}

impl Detected {
    /// Dark where it is not known: most are.
    pub fn or_dark(self) -> Background {
        if let Self::Known(background) = self { background } else { Background::Dark }
    }
}

/// Asks the terminal, where there is one.
pub fn detect() -> Detected {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Detected::Unknown;
    }
    let mut options = QueryOptions::default();
    options.timeout = PATIENCE;
    match theme_mode(options) {
        Ok(ThemeMode::Dark) => Detected::Known(Background::Dark),
        Ok(ThemeMode::Light) => Detected::Known(Background::Light),
        Err(Error::Timeout(_)) => Detected::TimedOut,
        Err(_) => Detected::Unknown,
    }
}
