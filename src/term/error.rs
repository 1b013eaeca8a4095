//! What can go wrong between the program and the terminal, said to the reader.

use std::io;

/// A failure of the terminal or of the editor.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Input or output is no terminal.
    #[error("the {0} is not a terminal; start logitlings in a terminal window, or use `logitlings run` for plain text")]
    NotATerminal(&'static str),
    /// A mode of the terminal could not be changed.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
    /// Neither variable is set.
    #[error("no editor is set: set VISUAL or EDITOR (for example `export EDITOR=vim`) and start logitlings again")]
    NoEditor,
    /// The variable cannot be split into words.
    #[error("${variable} is not a command: {why}")]
    EditorCommand {
        /// VISUAL or EDITOR.
        variable: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// The editor's program is not there.
    #[error("the editor \"{program}\" (from ${variable}) was not found; install it or set ${variable} to another one")]
    EditorMissing {
        /// The program.
        program: String,
        /// VISUAL or EDITOR.
        variable: &'static str,
    },
    /// The editor could not be started.
    #[error("the editor \"{program}\" (from ${variable}) did not start: {source}")]
    EditorStart {
        /// The program.
        program: String,
        /// VISUAL or EDITOR.
        variable: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The editor ended with an error.
    #[error("the editor \"{program}\" ended with {status}; the file is as the editor left it")]
    EditorFailed {
        /// The program.
        program: String,
        /// "exit status: 1", "signal: 9".
        status: String,
    },
}
