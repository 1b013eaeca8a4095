//! The database's layout, one step a version.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Steps from an empty file to today's layout; `user_version` counts how many were taken. A step is never changed, only
/// followed by another.
const STEPS: &[&str] = &[
    "
    CREATE TABLE versions (
        id INTEGER PRIMARY KEY,
        slug TEXT NOT NULL,
        text TEXT NOT NULL,
        at TEXT NOT NULL,
        verdict TEXT NOT NULL,
        headline TEXT NOT NULL,
        accepted INTEGER NOT NULL
    );
    CREATE INDEX versions_by_slug ON versions (slug, id);
    CREATE UNIQUE INDEX versions_once ON versions (slug, at, verdict, text);
    CREATE TABLE progress (
        slug TEXT PRIMARY KEY,
        runs INTEGER NOT NULL DEFAULT 0,
        hints INTEGER NOT NULL DEFAULT 0,
        solution_seen INTEGER NOT NULL DEFAULT 0,
        accepted_at TEXT
    );
",
    "
    ALTER TABLE versions ADD COLUMN passed INTEGER;
    ALTER TABLE versions ADD COLUMN cases INTEGER;
    ALTER TABLE versions ADD COLUMN device TEXT;
    ALTER TABLE versions ADD COLUMN build_ms INTEGER;
    ALTER TABLE versions ADD COLUMN run_ms INTEGER;
    CREATE INDEX versions_by_time ON versions (slug, at, id);
",
];

/// The version that this program writes.
pub const VERSION: i64 = STEPS.len() as i64;

/// The version of a file.
pub fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Takes the steps that are missing, all of them or none. Two programs that start at once take them once.
pub fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let from = version(&transaction)?;
    for step in STEPS.iter().skip(from as usize) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Whether the tables are what the version says.
pub fn present(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare("SELECT text, at, cases FROM versions")?;
    connection.prepare("SELECT slug, runs, hints FROM progress").map(drop)
}
