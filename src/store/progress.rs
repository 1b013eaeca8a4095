//! How far each problem has come.

use super::versions::{COLUMNS, SAVED, version};
use super::{Error, Progress, Status, Store};
use rusqlite::{Connection, params};
use std::collections::HashMap;

impl Store {
    /// How far every problem has come that was ever touched.
    pub fn progress(&self) -> Result<HashMap<String, Progress>, Error> {
        self.reading(|connection| {
            let mut found = counters(connection)?;
            let sql = format!(
                "SELECT {COLUMNS} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY slug ORDER BY at DESC, id DESC) AS place
                 FROM versions WHERE verdict != ?1) WHERE place = 1"
            );
            for last in connection.prepare(&sql)?.query_map([SAVED], version)? {
                let last = last?;
                let entry = found.entry(last.slug.clone()).or_default();
                entry.last = Some(last);
            }
            found.values_mut().for_each(|progress| progress.status = progress.reached());
            Ok(found)
        })
    }

    /// Counts hint `number` (from 1) as shown.
    pub fn hint_shown(&self, slug: &str, number: usize) -> Result<(), Error> {
        let sql = "INSERT INTO progress (slug, hints) VALUES (?1, ?2)
                   ON CONFLICT (slug) DO UPDATE SET hints = MAX(hints, excluded.hints)";
        self.writing(|connection| connection.execute(sql, params![slug, number as u32]).map(drop))
    }

    /// Notes that the reference was shown; it counts only before acceptance.
    pub fn solution_shown(&self, slug: &str) -> Result<(), Error> {
        let sql = "INSERT INTO progress (slug, solution_seen) VALUES (?1, 1)
                   ON CONFLICT (slug) DO UPDATE SET solution_seen = solution_seen OR accepted_at IS NULL";
        self.writing(|connection| connection.execute(sql, [slug]).map(drop))
    }
}

impl Progress {
    fn reached(&self) -> Status {
        match (self.accepted_at.is_some(), self.runs) {
            (true, _) => Status::Accepted,
            (false, 0) if self.last.is_none() => Status::Untried,
            (false, _) => Status::Tried,
        }
    }
}

fn counters(connection: &Connection) -> rusqlite::Result<HashMap<String, Progress>> {
    let mut statement = connection.prepare("SELECT slug, runs, hints, solution_seen, accepted_at FROM progress")?;
    let rows = statement.query_map([], |row| {
        let progress = Progress {
            runs: row.get(1)?,
            hints: row.get::<_, u32>(2)? as usize,
            solution_seen: row.get(3)?,
            accepted_at: row.get::<_, Option<String>>(4)?.and_then(|at| at.parse().ok()),
            ..Progress::default()
        };
        Ok((row.get(0)?, progress))
    })?;
    rows.collect()
}
