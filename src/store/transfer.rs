//! Moving a history to another machine: JSON out, JSON in, merged.

use super::{Error, Store};
use rusqlite::params;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Raised when a field changes its meaning.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct History {
    logitlings_history: u32,
    versions: Vec<KeptVersion>,
    progress: Vec<KeptProgress>,
}

#[derive(Serialize, Deserialize)]
struct KeptVersion {
    slug: String,
    text: String,
    at: String,
    verdict: String,
    headline: String,
    accepted: bool,
}

#[derive(Serialize, Deserialize)]
struct KeptProgress {
    slug: String,
    runs: u32,
    hints: u32,
    solution_seen: bool,
    accepted_at: Option<String>,
}

/// What an import brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Versions that were not there before.
    pub versions: usize,
    /// Problems whose progress was taken in.
    pub problems: usize,
}

impl Store {
    /// The whole history.
    pub fn export(&self) -> Result<Json, Error> {
        let read = || -> rusqlite::Result<History> {
            let versions = self
                .connection
                .prepare("SELECT slug, text, at, verdict, headline, accepted FROM versions ORDER BY id")?
                .query_map([], |row| {
                    Ok(KeptVersion {
                        slug: row.get(0)?,
                        text: row.get(1)?,
                        at: row.get(2)?,
                        verdict: row.get(3)?,
                        headline: row.get(4)?,
                        accepted: row.get(5)?,
                    })
                })?
                .collect::<Result<_, _>>()?;
            let progress = self
                .connection
                .prepare("SELECT slug, runs, hints, solution_seen, accepted_at FROM progress ORDER BY slug")?
                .query_map([], |row| {
                    Ok(KeptProgress {
                        slug: row.get(0)?,
                        runs: row.get(1)?,
                        hints: row.get(2)?,
                        solution_seen: row.get(3)?,
                        accepted_at: row.get(4)?,
                    })
                })?
                .collect::<Result<_, _>>()?;
            Ok(History { logitlings_history: FORMAT, versions, progress })
        };
        let history = read().map_err(|error| Error::Database { doing: "read", error })?;
        serde_json::to_value(history).map_err(|error| Error::NotAHistory(error.to_string()))
    }

    /// Merges a history into this one: versions that are missing are added, progress is the further of the two. Nothing
    /// is taken away, and the same history twice is the same as once.
    pub fn import(&self, history: &Json) -> Result<Imported, Error> {
        let history: History =
            serde_json::from_value(history.clone()).map_err(|error| Error::NotAHistory(error.to_string()))?;
        if history.logitlings_history != FORMAT {
            let theirs = history.logitlings_history;
            return Err(Error::NotAHistory(format!("it has format {theirs}, this program reads format {FORMAT}")));
        }
        let write = || -> rusqlite::Result<Imported> {
            let transaction = self.connection.unchecked_transaction()?;
            let mut versions = 0;
            for v in &history.versions {
                versions += transaction.execute(
                    "INSERT OR IGNORE INTO versions (slug, text, at, verdict, headline, accepted) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![v.slug, v.text, v.at, v.verdict, v.headline, v.accepted],
                )?;
            }
            for p in &history.progress {
                transaction.execute(
                    "INSERT INTO progress (slug, runs, hints, solution_seen, accepted_at) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (slug) DO UPDATE SET
                         runs = MAX(runs, excluded.runs),
                         hints = MAX(hints, excluded.hints),
                         solution_seen = MAX(solution_seen, excluded.solution_seen),
                         accepted_at = COALESCE(MIN(accepted_at, excluded.accepted_at), accepted_at, excluded.accepted_at)",
                    params![p.slug, p.runs, p.hints, p.solution_seen, p.accepted_at],
                )?;
            }
            transaction.commit()?;
            Ok(Imported { versions, problems: history.progress.len() })
        };
        write().map_err(|error| Error::Database { doing: "written", error })
    }
}
