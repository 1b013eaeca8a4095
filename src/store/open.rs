//! Opening the file, whatever has happened to it.

use super::{Error, Opened, Store, explain, schema};
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Another window may be writing for a moment.
const BUSY: Duration = Duration::from_secs(5);

/// Why a file cannot be opened for writing.
enum Refused {
    Newer(i64),
    ReadOnly(String),
    Broken(String),
    /// Says nothing about the file: it is locked, or the drive does not answer.
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        use ErrorCode as Code;
        match error.sqlite_error_code() {
            Some(Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied | Code::DiskFull) => {
                Self::ReadOnly(explain(&error))
            }
            // "Unknown" is SQLite's plain error: a table that is not there, or is there already.
            Some(Code::NotADatabase | Code::DatabaseCorrupt | Code::Unknown) => Self::Broken(error.to_string()),
            _ => Self::Failed(error),
        }
    }
}

impl Store {
    /// Opens the history at `path`, or begins one.
    pub fn open(path: &Path) -> Result<(Self, Opened), Error> {
        if let Some(folder) = path.parent()
            && let Err(error) = fs::create_dir_all(folder)
        {
            let why =
                format!("the folder {} cannot be created ({error}): nothing of this session is kept", folder.display());
            return Ok((Self::in_memory()?, Opened::ReadOnly { why }));
        }
        let existed = fs::metadata(path).is_ok_and(|file| file.len() > 0);
        match Self::open_writable(path) {
            Ok(store) => Ok((store, if existed { Opened::Existing } else { Opened::Fresh })),
            Err(Refused::Newer(version)) => Self::open_newer(path, version),
            Err(Refused::Failed(error)) => Err(Error::Database { doing: "opened", error }),
            Err(Refused::ReadOnly(why)) => Self::open_read_only(path, &why),
            Err(Refused::Broken(_)) => Self::recover(path),
        }
    }

    /// A history that is gone with the program.
    pub fn in_memory() -> Result<Self, Error> {
        let mut connection =
            Connection::open_in_memory().map_err(|error| Error::Database { doing: "opened", error })?;
        schema::migrate(&mut connection).map_err(|error| Error::Database { doing: "begun", error })?;
        Ok(Self::over(connection))
    }

    fn open_writable(path: &Path) -> Result<Self, Refused> {
        // Looked up without SQLite first: opening alone can change what lies beside a database.
        if let Some(version) = stamped(path).filter(|version| *version > schema::VERSION) {
            return Err(Refused::Newer(version));
        }
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
        schema::present(&connection)?;
        // Says now, and not at the first save, that nothing can be kept.
        connection.pragma_update(None, "user_version", schema::VERSION)?;
        Ok(Self::over(connection))
    }

    /// What this program understands of a newer file is shown; the file itself is only copied.
    fn open_newer(path: &Path, version: i64) -> Result<(Self, Opened), Error> {
        let why = format!(
            "{} was written by a newer version of the program (layout {version}, this one knows {}); it is left as it is, \
             and nothing of this session is kept. Update the program, or set $LOGITLINGS_DATA to another folder",
            path.display(),
            schema::VERSION
        );
        let memory = Self::in_memory()?;
        if let Ok((folder, copy)) = copied(path)
            && let Ok(connection) = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)
        {
            let newer = Self { connection, _copy: Some(folder) };
            if let Ok(history) = newer.export() {
                memory.import(&history)?;
            }
        }
        Ok((memory, Opened::ReadOnly { why }))
    }

    /// What is there is shown, out of a copy that is brought to today's layout; it has the same ids.
    fn open_read_only(path: &Path, why: &str) -> Result<(Self, Opened), Error> {
        let why = format!("{} cannot be written to ({why}): nothing of this session is kept", path.display());
        if path.is_file()
            && let Ok((folder, copy)) = copied(path)
            && let Ok(store) = Self::open_writable(&copy)
        {
            return Ok((Self { _copy: Some(folder), ..store }, Opened::ReadOnly { why }));
        }
        Ok((Self::in_memory()?, Opened::ReadOnly { why }))
    }

    /// Moves a broken file aside and begins a new one. Of two windows that find it broken one does so; the other then
    /// finds the new one.
    fn recover(path: &Path) -> Result<(Self, Opened), Error> {
        let lock = File::create(beside(path, ".lock"));
        // Not every drive can lock; then the second look below is all there is.
        let _held = lock.and_then(|file| file.lock().map(|()| file));
        let why = match Self::open_writable(path) {
            Ok(store) => return Ok((store, Opened::Existing)),
            Err(Refused::Broken(why)) => why,
            Err(Refused::Newer(version)) => return Self::open_newer(path, version),
            Err(Refused::ReadOnly(why)) => return Self::open_read_only(path, &why),
            Err(Refused::Failed(error)) => return Err(Error::Database { doing: "opened", error }),
        };
        let backup = free_name(path);
        if let Err(error) = fs::rename(path, &backup) {
            let why = format!(
                "{} could not be read ({why}) and cannot be moved aside ({error}): it is left as it is, and nothing of this \
                 session is kept",
                path.display()
            );
            return Ok((Self::in_memory()?, Opened::ReadOnly { why }));
        }
        // A journal belongs to the file that was moved.
        for tail in ["-journal", "-wal", "-shm"] {
            let _ = fs::rename(beside(path, tail), beside(&backup, tail));
        }
        match Self::open_writable(path) {
            Ok(store) => Ok((store, Opened::Recovered { backup, why })),
            Err(_) => Ok((Self::in_memory()?, Opened::ReadOnly { why: lost_footing(path, &backup, &why) })),
        }
    }
}

fn lost_footing(path: &Path, backup: &Path, why: &str) -> String {
    format!(
        "your history could not be read ({why}); it was kept as {}, and no new one can be begun at {}: nothing of this \
         session is kept",
        backup.display(),
        path.display()
    )
}

/// The layout that a database file says it has, read from its header (big-endian, at byte 60).
fn stamped(path: &Path) -> Option<i64> {
    let mut header = [0; 64];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    let version = [header[60], header[61], header[62], header[63]];
    header.starts_with(b"SQLite format 3\0").then(|| i64::from(i32::from_be_bytes(version)))
}

/// A copy of the database, with what an interrupted write has left beside it.
fn copied(path: &Path) -> std::io::Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::Builder::new().prefix("logitlings-history-").tempdir()?;
    let copy = folder.path().join("store.db");
    for tail in ["", "-journal", "-wal"] {
        match fs::read(beside(path, tail)) {
            // Written anew, because a copied file keeps its permissions.
            Ok(bytes) => fs::write(beside(&copy, tail), bytes)?,
            Err(error) if tail.is_empty() => return Err(error),
            Err(_) => {}
        }
    }
    Ok((folder, copy))
}

/// "store.db" with "-journal" is "store.db-journal".
fn beside(path: &Path, tail: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(tail);
    PathBuf::from(name)
}

/// A name that no earlier broken file has.
fn free_name(path: &Path) -> PathBuf {
    let stamp = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = |n: u32| match n {
        1 => path.with_extension(format!("broken-{stamp}.db")),
        _ => path.with_extension(format!("broken-{stamp}-{n}.db")),
    };
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(1))
}
