//! The reader's history: every judged version of every attempt, and how far they have come. SQLite, in one file.
//!
//! This is the only writer of user data besides the practice folder. A file that cannot be read is moved aside and said, never
//! silently replaced; a file of a newer program is left as it is.

pub mod paths;
mod schema;
mod transfer;

pub use transfer::Imported;

use crate::runner::text::headline;
use crate::runner::verdict::{Run, Verdict};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Another window may be writing for a moment.
const BUSY: Duration = Duration::from_secs(5);

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
        Some(rusqlite::ErrorCode::DiskFull) => "the disk is full".to_owned(),
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// Everything that a query of a version reads.
const COLUMNS: &str = "id, slug, at, verdict, headline, accepted";

impl Store {
    /// Opens the history at `path`, or begins one.
    pub fn open(path: &Path) -> Result<(Self, Opened), Error> {
        if let Some(folder) = path.parent()
            && let Err(error) = std::fs::create_dir_all(folder)
        {
            let why = format!("the folder {} cannot be created: {error}", folder.display());
            return Ok((Self::in_memory()?, Opened::ReadOnly { why }));
        }
        let existed = path.exists();
        match Self::open_writable(path) {
            Ok(store) => Ok((store, if existed { Opened::Existing } else { Opened::Fresh })),
            Err(Refused::Newer(version)) => Self::open_newer(path, version),
            Err(Refused::Locked(error)) => Err(Error::Database { doing: "opened", error }),
            Err(Refused::ReadOnly(why)) => Self::open_read_only(path, why),
            Err(Refused::Broken(why)) => Self::recover(path, why),
        }
    }

    /// A history that is gone with the program.
    pub fn in_memory() -> Result<Self, Error> {
        let mut connection =
            Connection::open_in_memory().map_err(|error| Error::Database { doing: "opened", error })?;
        schema::migrate(&mut connection).map_err(|error| Error::Database { doing: "begun", error })?;
        Ok(Self { connection })
    }

    fn open_writable(path: &Path) -> Result<Self, Refused> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(BUSY)?;
        let version = schema::version(&connection)?;
        if version > schema::VERSION {
            return Err(Refused::Newer(version));
        }
        // A file that is cut off in the middle can have a sound first page.
        let sound: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if sound != "ok" {
            return Err(Refused::Broken(sound));
        }
        if version < schema::VERSION {
            schema::migrate(&mut connection)?;
        }
        // Says now, and not at the first save, that nothing can be kept.
        connection.pragma_update(None, "user_version", schema::VERSION)?;
        Ok(Self { connection })
    }

    fn open_newer(path: &Path, version: i64) -> Result<(Self, Opened), Error> {
        let why = format!(
            "{} was written by a newer version of the program (layout {version}, this one knows {}); it is left as it is, \
             and nothing of this session is kept. Update the program, or set $LOGITLINGS_DATA to another folder",
            path.display(),
            schema::VERSION
        );
        Ok((Self::in_memory()?, Opened::ReadOnly { why }))
    }

    fn open_read_only(path: &Path, why: String) -> Result<(Self, Opened), Error> {
        let why = format!("{} cannot be written to ({why}): nothing of this session is kept", path.display());
        let memory = Self::in_memory()?;
        if let Ok(connection) = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
            // What is there is shown all the same.
            let old = Self { connection };
            if let Ok(history) = old.export() {
                memory.import(&history)?;
            }
        }
        Ok((memory, Opened::ReadOnly { why }))
    }

    fn recover(path: &Path, why: String) -> Result<(Self, Opened), Error> {
        let stamp = Timestamp::now().strftime("%Y%m%d-%H%M%S");
        let backup = path.with_extension(format!("broken-{stamp}.db"));
        std::fs::rename(path, &backup).map_err(|error| Error::File {
            doing: "move aside",
            path: path.to_owned(),
            error,
        })?;
        // A journal belongs to the file that was moved.
        for tail in ["-journal", "-wal", "-shm"] {
            let beside = |path: &Path| PathBuf::from(format!("{}{tail}", path.display()));
            let _ = std::fs::rename(beside(path), beside(&backup));
        }
        match Self::open_writable(path) {
            Ok(store) => Ok((store, Opened::Recovered { backup, why })),
            Err(_) => Self::open_read_only(path, why),
        }
    }

    /// Keeps what came of a run. The reader's own texts are kept with their verdict; a text that was kept last already gets
    /// the new verdict. Runs of anything else only count.
    pub fn record(&self, run: &Run, implementation: &str) -> Result<Option<VersionId>, Error> {
        if matches!(run.verdict, Verdict::Cancelled) {
            return Ok(None);
        }
        let keep = || -> rusqlite::Result<Option<VersionId>> {
            let now = Timestamp::now().to_string();
            let transaction = self.connection.unchecked_transaction()?;
            let (Some(text), "own") = (&run.source, implementation) else { return Ok(None) };
            let accepted = run.verdict.accepted();
            transaction.execute(
                "INSERT INTO progress (slug, runs, accepted_at) VALUES (?1, 1, ?2) ON CONFLICT (slug) DO UPDATE SET
                 runs = runs + 1, accepted_at = COALESCE(accepted_at, excluded.accepted_at)",
                params![run.problem, accepted.then_some(&now)],
            )?;
            let id = keep_text(&transaction, &run.problem, text, &now, run.verdict.word(), &headline(run), accepted)?;
            transaction.commit()?;
            Ok(Some(id))
        };
        keep().map_err(|error| Error::Database { doing: "written", error })
    }

    /// Keeps a text that is about to be replaced.
    pub fn save_text(&self, slug: &str, text: &str, why: &str) -> Result<VersionId, Error> {
        let keep = || -> rusqlite::Result<VersionId> {
            let last: Option<(VersionId, String)> = self
                .connection
                .query_row("SELECT id, text FROM versions WHERE slug = ?1 ORDER BY id DESC LIMIT 1", [slug], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            match last {
                Some((id, kept)) if kept == text => Ok(id),
                _ => keep_text(&self.connection, slug, text, &Timestamp::now().to_string(), "saved", why, false),
            }
        };
        keep().map_err(|error| Error::Database { doing: "written", error })
    }

    /// The kept versions of a problem, newest first.
    pub fn versions(&self, slug: &str) -> Result<Vec<Version>, Error> {
        let read = || -> rusqlite::Result<Vec<Version>> {
            let sql = format!("SELECT {COLUMNS} FROM versions WHERE slug = ?1 ORDER BY id DESC");
            self.connection.prepare(&sql)?.query_map([slug], version)?.collect()
        };
        read().map_err(|error| Error::Database { doing: "read", error })
    }

    /// A kept version with its text.
    pub fn version(&self, id: VersionId) -> Result<(Version, String), Error> {
        let sql = format!("SELECT {COLUMNS}, text FROM versions WHERE id = ?1");
        let found = self.connection.query_row(&sql, [id], |row| Ok((version(row)?, row.get(6)?))).optional();
        found.map_err(|error| Error::Database { doing: "read", error })?.ok_or(Error::NoVersion(id))
    }

    /// The text of a kept version.
    pub fn text(&self, id: VersionId) -> Result<String, Error> {
        self.version(id).map(|(_, text)| text)
    }

    /// How far every problem has come that was ever touched.
    pub fn progress(&self) -> Result<HashMap<String, Progress>, Error> {
        let read = || -> rusqlite::Result<HashMap<String, Progress>> {
            let mut found: HashMap<String, Progress> = HashMap::new();
            let mut rows =
                self.connection.prepare("SELECT slug, runs, hints, solution_seen, accepted_at FROM progress")?;
            let mut rows = rows.query([])?;
            while let Some(row) = rows.next()? {
                let progress = Progress {
                    runs: row.get(1)?,
                    hints: row.get::<_, u32>(2)? as usize,
                    solution_seen: row.get(3)?,
                    accepted_at: row.get::<_, Option<String>>(4)?.and_then(|at| at.parse().ok()),
                    ..Progress::default()
                };
                found.insert(row.get(0)?, progress);
            }
            let sql = format!(
                "SELECT {COLUMNS} FROM versions WHERE id IN (SELECT MAX(id) FROM versions WHERE verdict != 'saved' GROUP BY slug)"
            );
            for last in self.connection.prepare(&sql)?.query_map([], version)? {
                let last = last?;
                let slug = last.slug.clone();
                found.entry(slug).or_default().last = Some(last);
            }
            for progress in found.values_mut() {
                progress.status = match (progress.accepted_at.is_some(), progress.runs) {
                    (true, _) => Status::Accepted,
                    (false, 0) => Status::Untried,
                    (false, _) => Status::Tried,
                };
            }
            Ok(found)
        };
        read().map_err(|error| Error::Database { doing: "read", error })
    }

    /// Counts hint `number` (from 1) as shown.
    pub fn hint_shown(&self, slug: &str, number: usize) -> Result<(), Error> {
        let sql = "INSERT INTO progress (slug, hints) VALUES (?1, ?2)
                   ON CONFLICT (slug) DO UPDATE SET hints = MAX(hints, excluded.hints)";
        self.write(sql, params![slug, number as i64])
    }

    /// Notes that the reference was shown; it counts only before acceptance.
    pub fn solution_shown(&self, slug: &str) -> Result<(), Error> {
        let sql = "INSERT INTO progress (slug, solution_seen) VALUES (?1, 1)
                   ON CONFLICT (slug) DO UPDATE SET solution_seen = solution_seen OR accepted_at IS NULL";
        self.write(sql, params![slug])
    }

    fn write(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), Error> {
        let done = self.connection.execute(sql, values).map(|_| ());
        done.map_err(|error| Error::Database { doing: "written", error })
    }
}

fn keep_text(
    connection: &Connection,
    slug: &str,
    text: &str,
    now: &str,
    verdict: &str,
    headline: &str,
    accepted: bool,
) -> rusqlite::Result<VersionId> {
    let last: Option<(VersionId, String)> = connection
        .query_row("SELECT id, text FROM versions WHERE slug = ?1 ORDER BY id DESC LIMIT 1", [slug], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    if let Some((id, kept)) = last
        && kept == text
    {
        connection.execute(
            "UPDATE versions SET at = ?2, verdict = ?3, headline = ?4, accepted = ?5 WHERE id = ?1",
            params![id, now, verdict, headline, accepted],
        )?;
        return Ok(id);
    }
    connection.execute(
        "INSERT INTO versions (slug, text, at, verdict, headline, accepted) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![slug, text, now, verdict, headline, accepted],
    )?;
    Ok(connection.last_insert_rowid())
}

fn version(row: &rusqlite::Row) -> rusqlite::Result<Version> {
    Ok(Version {
        id: row.get(0)?,
        slug: row.get(1)?,
        at: row.get::<_, String>(2)?.parse().unwrap_or(Timestamp::UNIX_EPOCH),
        verdict: row.get(3)?,
        headline: row.get(4)?,
        accepted: row.get(5)?,
    })
}

/// Why a file cannot be opened for writing.
enum Refused {
    Newer(i64),
    ReadOnly(String),
    Broken(String),
    Locked(rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match error.sqlite_error_code() {
            Some(Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied | Code::DiskFull) => {
                Self::ReadOnly(explain(&error))
            }
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Locked(error),
            _ => Self::Broken(error.to_string()),
        }
    }
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
