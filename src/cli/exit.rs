//! Exit codes, as `logitlings --help` and the README state them.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; for `run`: accepted.
    Ok = 0,
    /// Not accepted; for `check`: a shortfall; for `doctor`: something is amiss.
    NotAccepted = 1,
    /// The command line is off, or names something that is not there.
    Usage = 2,
    /// Our own failure: no cargo, no history, a folder that cannot be written to.
    Failure = 3,
    /// Interrupted.
    Cancelled = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Shown under `--help`.
pub const HELP: &str = "\
Exit codes:
  0    done; for run: accepted
  1    not accepted; for check: a shortfall; for doctor: something is amiss
  2    wrong usage: the command line, or a file that it names
  3    a failure of the program or of what it needs (no cargo, a folder that cannot be written to)
  130  interrupted";

/// What a command can fail with.
#[derive(Debug)]
pub struct Failed {
    /// The code.
    pub exit: Exit,
    /// What happened and what to do.
    pub message: String,
}

/// Result of a command.
pub type Result<T = Exit> = std::result::Result<T, Failed>;

impl Failed {
    /// The command line names something that is not there.
    pub fn usage(message: impl ToString) -> Self {
        Self { exit: Exit::Usage, message: message.to_string() }
    }

    /// Our own failure.
    pub fn failure(message: impl ToString) -> Self {
        Self { exit: Exit::Failure, message: message.to_string() }
    }
}

impl From<crate::runner::Error> for Failed {
    fn from(error: crate::runner::Error) -> Self {
        use crate::runner::Error as E;
        match &error {
            E::UnknownProblem(_) | E::Refused { .. } | E::NotText(_) => Self::usage(error),
            E::File { error: io, doing: "read", .. }
                if matches!(io.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::IsADirectory) =>
            {
                Self::usage(error)
            }
            _ => Self::failure(error),
        }
    }
}

impl From<crate::store::Error> for Failed {
    fn from(error: crate::store::Error) -> Self {
        use crate::store::Error as E;
        match &error {
            E::NoVersion(_) | E::NotAHistory(_) => Self::usage(error),
            _ => Self::failure(error),
        }
    }
}
