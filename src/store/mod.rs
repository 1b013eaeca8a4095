//! The reader's history: every judged version of every attempt, and how far they have come. SQLite, in one file.
//!
//! This is the only writer of user data besides the practice folder. A file that cannot be read is moved aside and said, never
//! silently replaced; a file of a newer program is left as it is.
//!
//! The journal is SQLite's default, not the write-ahead log: WAL needs memory that all programs share and is therefore not
//! safe on a network drive, and a history that is written once a run gains nothing from it. Two windows take turns: each
//! write is one short transaction, and who comes second waits up to five seconds.

mod files;
mod open;
pub mod paths;
mod progress;
mod schema;
mod transfer;
mod versions;

pub use files::replace;
pub use transfer::Imported;

use jiff::Timestamp;
use rusqlite::Connection;
use std::path::PathBuf;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The texts say it.
pub enum Error {
    #[error("the history cannot be {doing}: {}", explain(error))]
    Database { doing: &'static str, error: rusqlite::Error },
    #[error("cannot {doing} {}: {error}", path.display())]
    File { doing: &'static str, path: PathBuf, error: std::io::Error },
    #[error("there is no saved version {0}; `logitlings versions <slug>` lists them")]
    NoVersion(i64),
    #[error("this is no history of logitlings: {0}")]
    NotAHistory(String),
}

fn explain(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => "the disk is full; free some space and try again".to_owned(),
        Some(rusqlite::ErrorCode::ReadOnly) => "it may not be written to (read-only file or folder)".to_owned(),
        Some(rusqlite::ErrorCode::DatabaseBusy) => "another program has held it for five seconds".to_owned(),
        _ => error.to_string(),
    }
}

/// Id of a kept version.
pub type VersionId = i64;

/// How opening went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// There was none.
    Fresh,
    /// There was one.
    Existing,
    /// It could not be read; it lies under another name now and a new one was begun.
    Recovered {
        /// Where it lies.
        backup: PathBuf,
        /// Why.
        why: String,
    },
    /// It can be read and not written: nothing of this session is kept.
    ReadOnly {
        /// Why.
        why: String,
    },
}

/// A kept version of an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Its id.
    pub id: VersionId,
    /// The problem.
    pub slug: String,
    /// When it was judged last.
    pub at: Timestamp,
    /// The verdict's stable word; "saved" for a text that was kept without being judged.
    pub verdict: String,
    /// The verdict in one line.
    pub headline: String,
    /// Whether it was accepted.
    pub accepted: bool,
    /// What was measured; none for a text that was kept without being judged.
    pub measured: Option<Measured>,
}

/// The numbers of a judged version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Cases that passed.
    pub passed: u32,
    /// Cases that were planned.
    pub cases: u32,
    /// The device, as reports name it; empty where no case began.
    pub device: String,
    /// Milliseconds of the build.
    pub build_ms: u32,
    /// Milliseconds of the run.
    pub run_ms: u32,
}

/// How far a problem has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Never judged.
    #[default]
    Untried,
    /// Judged, and never accepted.
    Tried,
    /// Accepted at least once.
    Accepted,
}

/// A problem's progress.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How far.
    pub status: Status,
    /// The version judged last.
    pub last: Option<Version>,
    /// How many runs.
    pub runs: u32,
    /// How many hints were shown.
    pub hints: usize,
    /// Whether the reference was shown before the problem was accepted.
    pub solution_seen: bool,
    /// When it was first accepted.
    pub accepted_at: Option<Timestamp>,
}

/// The history.
pub struct Store {
    connection: Connection,
    /// The copy that is read instead of a file that may not be written to; it goes when the store goes.
    _copy: Option<tempfile::TempDir>,
}

impl Store {
    fn over(connection: Connection) -> Self {
        Self { connection, _copy: None }
    }

    fn reading<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        read(&self.connection).map_err(|error| Error::Database { doing: "read", error })
    }

    /// One transaction. It takes the writer's lock at once: a lock that is taken after a read cannot be waited for.
    fn writing<T>(&self, write: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        let done = || {
            let transaction =
                rusqlite::Transaction::new_unchecked(&self.connection, rusqlite::TransactionBehavior::Immediate)?;
            let value = write(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        done().map_err(|error| Error::Database { doing: "written", error })
    }
}

/// Now, always with nine digits, so that texts sort as times do.
fn now() -> String {
    moment(Timestamp::now())
}

fn moment(at: Timestamp) -> String {
    format!("{at:.9}")
}

impl Opened {
    /// What the reader should know about how opening went; none: all is well.
    pub fn notice(&self) -> Option<String> {
        match self {
            Self::Fresh | Self::Existing => None,
            Self::Recovered { backup, why } => Some(format!(
                "your history could not be read ({why}); it was kept as {} and a new one was begun",
                backup.display()
            )),
            Self::ReadOnly { why } => Some(why.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_said_and_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(&folder.path().join("store.db")).unwrap();
        let kept = store.save_text("sdpa", "small", "before").unwrap();
        let pages: i64 = store.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        store.connection.pragma_update(None, "max_page_count", pages).unwrap();
        let full = store.save_text("sdpa", &"x".repeat(100_000), "too much").unwrap_err().to_string();
        assert!(full.contains("the disk is full"), "{full}");
        assert_eq!(store.text(kept).unwrap(), "small");
        store.connection.pragma_update(None, "max_page_count", pages + 100).unwrap();
        store.save_text("sdpa", &"x".repeat(100_000), "after it was freed").unwrap();
    }
}
