//! Moving a history to another machine: JSON out, JSON in, merged.

use super::{Error, Store, moment};
use jiff::Timestamp;
use rusqlite::{Connection, params};
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
    // These came later; a history without them is as good.
    #[serde(default)]
    passed: Option<u32>,
    #[serde(default)]
    cases: Option<u32>,
    #[serde(default)]
    device: Option<String>,
    #[serde(default)]
    build_ms: Option<u32>,
    #[serde(default)]
    run_ms: Option<u32>,
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
        let history = self.reading(|connection| {
            let (versions, progress) = (kept_versions(connection)?, kept_progress(connection)?);
            Ok(History { logitlings_history: FORMAT, versions, progress })
        })?;
        serde_json::to_value(history).map_err(|error| Error::NotAHistory(error.to_string()))
    }

    /// Merges a history into this one: versions that are missing are added, progress is the further of the two. Nothing
    /// is taken away, and the same history twice is the same as once.
    pub fn import(&self, history: &Json) -> Result<Imported, Error> {
        let mut history: History =
            serde_json::from_value(history.clone()).map_err(|error| Error::NotAHistory(error.to_string()))?;
        if history.logitlings_history != FORMAT {
            let theirs = history.logitlings_history;
            return Err(Error::NotAHistory(format!("it has format {theirs}, this program reads format {FORMAT}")));
        }
        history.versions.iter_mut().try_for_each(|version| normalise(&mut version.at))?;
        history.progress.iter_mut().filter_map(|p| p.accepted_at.as_mut()).try_for_each(normalise)?;
        self.writing(|connection| {
            let mut versions = 0;
            for version in &history.versions {
                versions += version.merge(connection)?;
            }
            history.progress.iter().try_for_each(|progress| progress.merge(connection))?;
            Ok(Imported { versions, problems: history.progress.len() })
        })
    }
}

impl KeptVersion {
    /// How many rows it added: one, or none where it is already there.
    fn merge(&self, connection: &Connection) -> rusqlite::Result<usize> {
        connection.execute(
            "INSERT OR IGNORE INTO versions
             (slug, text, at, verdict, headline, accepted, passed, cases, device, build_ms, run_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                self.slug,
                self.text,
                self.at,
                self.verdict,
                self.headline,
                self.accepted,
                self.passed,
                self.cases,
                self.device,
                self.build_ms,
                self.run_ms
            ],
        )
    }
}

impl KeptProgress {
    fn merge(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO progress (slug, runs, hints, solution_seen, accepted_at) VALUES (?1, ?2, ?3, ?4, ?5)
                   ON CONFLICT (slug) DO UPDATE SET
                       runs = MAX(runs, excluded.runs),
                       hints = MAX(hints, excluded.hints),
                       solution_seen = MAX(solution_seen, excluded.solution_seen),
                       accepted_at = COALESCE(MIN(accepted_at, excluded.accepted_at), accepted_at, excluded.accepted_at)";
        let values = params![self.slug, self.runs, self.hints, self.solution_seen, self.accepted_at];
        connection.execute(sql, values).map(drop)
    }
}

/// A time as this program writes it, so that texts sort as times do.
fn normalise(at: &mut String) -> Result<(), Error> {
    let parsed: Timestamp = at.parse().map_err(|_| Error::NotAHistory(format!("\"{at}\" is not a time")))?;
    *at = moment(parsed);
    Ok(())
}

fn kept_versions(connection: &Connection) -> rusqlite::Result<Vec<KeptVersion>> {
    let sql = "SELECT slug, text, at, verdict, headline, accepted, passed, cases, device, build_ms, run_ms
               FROM versions ORDER BY at, id";
    let one = |row: &rusqlite::Row| {
        Ok(KeptVersion {
            slug: row.get(0)?,
            text: row.get(1)?,
            at: row.get(2)?,
            verdict: row.get(3)?,
            headline: row.get(4)?,
            accepted: row.get(5)?,
            passed: row.get(6)?,
            cases: row.get(7)?,
            device: row.get(8)?,
            build_ms: row.get(9)?,
            run_ms: row.get(10)?,
        })
    };
    connection.prepare(sql)?.query_map([], one)?.collect()
}

fn kept_progress(connection: &Connection) -> rusqlite::Result<Vec<KeptProgress>> {
    let sql = "SELECT slug, runs, hints, solution_seen, accepted_at FROM progress ORDER BY slug";
    let one = |row: &rusqlite::Row| {
        Ok(KeptProgress {
            slug: row.get(0)?,
            runs: row.get(1)?,
            hints: row.get(2)?,
            solution_seen: row.get(3)?,
            accepted_at: row.get(4)?,
        })
    };
    connection.prepare(sql)?.query_map([], one)?.collect()
}
