//! Kept versions: what is written after a run and before a reset, and read back.

use super::{Error, Measured, Store, Version, VersionId, now};
use crate::runner::text::headline;
use crate::runner::verdict::{Run, Verdict};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Verdict of a text that was kept without being judged as a whole.
pub(super) const SAVED: &str = "saved";

/// Everything that [`version`] reads.
pub(super) const COLUMNS: &str = "id, slug, at, verdict, headline, accepted, passed, cases, device, build_ms, run_ms";

/// What a text is kept with.
struct Label<'a> {
    verdict: &'a str,
    headline: &'a str,
    accepted: bool,
    measured: Option<Measured>,
}

impl Store {
    /// Keeps what came of a run of the reader's own file (`implementation` "own"): its text with its verdict. The same
    /// text as the one kept last gets the new verdict. Runs of anything else, and cancelled ones, leave no trace.
    pub fn record(&self, run: &Run, implementation: &str) -> Result<Option<VersionId>, Error> {
        let (Some(text), "own", false) = (&run.source, implementation, run.verdict == Verdict::Cancelled) else {
            return Ok(None);
        };
        let (now, accepted) = (now(), run.verdict.accepted());
        let line = headline(run);
        let label = Label { verdict: run.verdict.word(), headline: &line, accepted, measured: Some(Measured::of(run)) };
        self.writing(|connection| {
            connection.execute(
                "INSERT INTO progress (slug, runs, accepted_at) VALUES (?1, 1, ?2) ON CONFLICT (slug) DO UPDATE SET
                 runs = runs + 1, accepted_at = COALESCE(accepted_at, excluded.accepted_at)",
                params![run.problem, accepted.then_some(&now)],
            )?;
            match last(connection, &run.problem)? {
                Some((id, kept)) if kept == *text => label.replace(connection, id, &now).map(Some),
                _ => label.insert(connection, &run.problem, text, &now).map(Some),
            }
        })
    }

    /// Keeps a text that is about to be replaced, or that was not judged as a whole; `why` is shown in the list.
    pub fn save_text(&self, slug: &str, text: &str, why: &str) -> Result<VersionId, Error> {
        let label = Label { verdict: SAVED, headline: why, accepted: false, measured: None };
        self.writing(|connection| match last(connection, slug)? {
            Some((id, kept)) if kept == text => Ok(id),
            _ => label.insert(connection, slug, text, &now()),
        })
    }

    /// The kept versions of a problem, newest first.
    pub fn versions(&self, slug: &str) -> Result<Vec<Version>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM versions WHERE slug = ?1 ORDER BY at DESC, id DESC");
        self.reading(|connection| connection.prepare(&sql)?.query_map([slug], version)?.collect())
    }

    /// A kept version with its text.
    pub fn version(&self, id: VersionId) -> Result<(Version, String), Error> {
        let sql = format!("SELECT {COLUMNS}, text FROM versions WHERE id = ?1");
        let read = |row: &Row| Ok((version(row)?, row.get("text")?));
        self.reading(|connection| connection.query_row(&sql, [id], read).optional())?.ok_or(Error::NoVersion(id))
    }

    /// The text of a kept version.
    pub fn text(&self, id: VersionId) -> Result<String, Error> {
        self.version(id).map(|(_, text)| text)
    }
}

impl Measured {
    fn of(run: &Run) -> Self {
        let ms = |seconds: f64| (seconds * 1000.0).round() as u32;
        Self {
            passed: run.report.passed() as u32,
            cases: run.report.planned.len() as u32,
            device: run.report.device.clone(),
            build_ms: ms(run.build_seconds),
            run_ms: ms(run.run_seconds),
        }
    }
}

impl Label<'_> {
    fn insert(&self, connection: &Connection, slug: &str, text: &str, now: &str) -> rusqlite::Result<VersionId> {
        connection.execute(
            "INSERT INTO versions (slug, text, at, verdict, headline, accepted) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![slug, text, now, self.verdict, self.headline, self.accepted],
        )?;
        let id = connection.last_insert_rowid();
        self.replace(connection, id, now)
    }

    fn replace(&self, connection: &Connection, id: VersionId, now: &str) -> rusqlite::Result<VersionId> {
        let m = self.measured.as_ref();
        connection.execute(
            "UPDATE versions SET at = ?2, verdict = ?3, headline = ?4, accepted = ?5, passed = ?6, cases = ?7, device = ?8,
             build_ms = ?9, run_ms = ?10 WHERE id = ?1",
            params![
                id,
                now,
                self.verdict,
                self.headline,
                self.accepted,
                m.map(|m| m.passed),
                m.map(|m| m.cases),
                m.map(|m| &m.device),
                m.map(|m| m.build_ms),
                m.map(|m| m.run_ms),
            ],
        )?;
        Ok(id)
    }
}

/// The newest version of a problem.
fn last(connection: &Connection, slug: &str) -> rusqlite::Result<Option<(VersionId, String)>> {
    let sql = "SELECT id, text FROM versions WHERE slug = ?1 ORDER BY at DESC, id DESC LIMIT 1";
    connection.query_row(sql, [slug], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

pub(super) fn version(row: &Row) -> rusqlite::Result<Version> {
    Ok(Version {
        id: row.get("id")?,
        slug: row.get("slug")?,
        at: row.get::<_, String>("at")?.parse().unwrap_or(Timestamp::UNIX_EPOCH),
        verdict: row.get("verdict")?,
        headline: row.get("headline")?,
        accepted: row.get("accepted")?,
        measured: measured(row)?,
    })
}

/// None for what was kept without being judged, or before numbers were kept.
fn measured(row: &Row) -> rusqlite::Result<Option<Measured>> {
    let Some(cases) = row.get("cases")? else { return Ok(None) };
    Ok(Some(Measured {
        passed: row.get::<_, Option<u32>>("passed")?.unwrap_or_default(),
        cases,
        device: row.get::<_, Option<String>>("device")?.unwrap_or_default(),
        build_ms: row.get::<_, Option<u32>>("build_ms")?.unwrap_or_default(),
        run_ms: row.get::<_, Option<u32>>("run_ms")?.unwrap_or_default(),
    }))
}
