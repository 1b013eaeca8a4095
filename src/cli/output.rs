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
    lost: Option<std::io::Error>,
}

impl Output {
    /// Output with or without colour.
    pub fn new(colour: Colour) -> Self {
        let terminal = || std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { colour: matches!(colour, Colour::Always) || (colour == Colour::Auto && terminal()), lost: None }
    }

    /// Whether colours are written.
    pub fn colour(&self) -> bool {
        self.colour
    }

    /// Writes to standard output.
    pub fn text(&mut self, text: &str) {
        if self.lost.is_none() {
            let mut out = std::io::stdout().lock();
            self.lost = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
        }
    }

    /// Writes a line to standard output.
    pub fn line(&mut self, text: &str) {
        self.text(&format!("{text}\n"));
    }

    /// Whether nothing more can be written to standard output.
    pub fn gone(&self) -> bool {
        self.lost.is_some()
    }

    /// Why output was lost, unless its reader merely went away: a full disk is worth a word, `| head` is not.
    pub fn failure(&self) -> Option<&std::io::Error> {
        self.lost.as_ref().filter(|error| error.kind() != std::io::ErrorKind::BrokenPipe)
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
