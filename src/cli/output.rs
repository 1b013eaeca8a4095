//! Standard output and standard error of the command line. A reader that went away (`| head`) ends the program quietly.

use std::io::{IsTerminal, Write};

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where a command writes.
#[derive(Debug)]
pub struct Output {
    colour: bool,
    gone: bool,
}

impl Output {
    /// Output with or without colour.
    pub fn new(colour: Colour) -> Self {
        let terminal = || std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { colour: matches!(colour, Colour::Always) || (colour == Colour::Auto && terminal()), gone: false }
    }

    /// Whether colours are written.
    pub fn colour(&self) -> bool {
        self.colour
    }

    /// Writes to standard output.
    pub fn text(&mut self, text: &str) {
        if !self.gone {
            let mut out = std::io::stdout().lock();
            self.gone = out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err();
        }
    }

    /// Writes a line to standard output.
    pub fn line(&mut self, text: &str) {
        self.text(&format!("{text}\n"));
    }

    /// Whether the reader of standard output went away.
    pub fn gone(&self) -> bool {
        self.gone
    }

    /// Writes a line to standard error.
    pub fn note(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// `text` in an ANSI style ("1" bold, "31" red …) where colours are written.
    pub fn styled(&self, style: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
