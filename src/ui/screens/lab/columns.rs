//! What the table has columns for: the model's own distribution, every stage, and what is drawn from.

use crate::lab::track::Step;
use crate::sampling::stage::Stage;
use crate::sampling::trace::Row;

/// A column of probabilities.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    /// At most five columns wide.
    pub name: &'static str,
    /// The stage's value.
    pub value: String,
    pub kept: usize,
    /// What the kept candidates had before the stage.
    pub mass: f64,
    pub entropy: f64,
    /// The stage's place in a row; none: what is drawn from, where that is not the last stage's own.
    stage: Option<usize>,
}

/// The columns of a step, first to last.
pub(super) fn columns(step: &Step) -> Vec<Column> {
    let mut all: Vec<Column> = (step.trace.stages.iter().enumerate())
        .map(|(at, stage)| Column {
            name: stage.stage.as_ref().map_or("raw", name),
            value: stage.stage.as_ref().map_or(String::new(), value),
            kept: stage.kept,
            mass: stage.kept_mass,
            entropy: stage.entropy,
            stage: Some(at),
        })
        .collect();
    let last = &step.trace.stages[step.trace.stages.len() - 1];
    let kept = step.trace.kept.len();
    if kept == 1 && last.kept > 1 {
        let one =
            Column { name: "best", value: "greedy".to_owned(), kept, mass: last.largest, entropy: 0.0, stage: None };
        all.push(one);
    } else if !is_drawn_from(step) {
        all.push(Column { name: "final", value: String::new(), kept, mass: 1.0, entropy: last.entropy, stage: None });
    }
    all
}

/// Whether the last stage's probabilities are those that are drawn from: not where the rules do not renormalise.
fn is_drawn_from(step: &Step) -> bool {
    let pair = |row: &Row| Some((row.probabilities.last().copied()??, step.trace.kept.probability(row.id)));
    step.trace.rows.iter().filter_map(pair).take(4).all(|(shown, drawn)| (shown - drawn).abs() < 1e-5)
}

fn name(stage: &Stage) -> &'static str {
    match stage {
        Stage::Repetition { .. } => "rep",
        Stage::FrequencyPresence { .. } => "freq",
        Stage::Temperature(_) => "temp",
        Stage::TopK(_) => "top-k",
        Stage::TopP(_) => "top-p",
        Stage::MinP(_) => "min-p",
        Stage::Typical(_) => "typ",
    }
}

fn value(stage: &Stage) -> String {
    match stage {
        Stage::FrequencyPresence { frequency, presence } if *presence == 0.0 => frequency.to_string(),
        Stage::FrequencyPresence { frequency, presence } => format!("{frequency}/{presence}"),
        Stage::Repetition { penalty: v } => v.to_string(),
        Stage::TopK(k) => k.to_string(),
        Stage::Temperature(v) | Stage::TopP(v) | Stage::MinP(v) | Stage::Typical(v) => v.to_string(),
    }
}

/// A candidate through the columns.
pub(super) struct Candidate<'a> {
    step: &'a Step,
    pub id: u32,
    row: Option<&'a Row>,
}

impl<'a> Candidate<'a> {
    pub fn new(step: &'a Step, id: u32) -> Self {
        Self { step, id, row: step.trace.rows.iter().find(|row| row.id == id) }
    }

    /// Its rank in the model's own distribution, from 1.
    pub fn rank(&self) -> usize {
        1 + self.row.map_or_else(|| crate::sampling::trace::rank(&self.step.logits, self.id), |row| row.rank)
    }

    pub fn logit(&self) -> f32 {
        self.step.logits.get(self.id as usize).copied().unwrap_or(f32::NEG_INFINITY)
    }

    /// The probability in a column; none once it is removed, and where nobody followed it.
    pub fn probability(&self, column: &Column) -> Option<f64> {
        match (column.stage, self.row) {
            (Some(at), Some(row)) => row.probabilities.get(at).copied().flatten(),
            (Some(0), None) => Some(crate::app::lab::raw_probability(self.step, self.id)),
            (Some(at), None) if at + 1 < self.step.trace.stages.len() => None,
            _ => Some(self.last()).filter(|p| *p > 0.0),
        }
    }

    /// The probability in what is drawn from; 0 if it was removed.
    pub fn last(&self) -> f64 {
        self.step.trace.kept.probability(self.id)
    }

    /// Whether it is among those that are drawn from.
    pub fn is_kept(&self) -> bool {
        match self.row {
            Some(row) if self.step.trace.kept.len() > 1 => row.probabilities.last().is_some_and(Option::is_some),
            _ => self.last() > 0.0,
        }
    }

    /// The last probability that it had: where it is removed, that before its removal.
    pub fn before_removal(&self) -> f64 {
        let followed = self.row.and_then(|row| row.probabilities.iter().rev().find_map(|p| *p));
        followed.unwrap_or_else(|| crate::app::lab::raw_probability(self.step, self.id))
    }
}

/// The candidates that are drawn from, most probable first.
pub(super) fn leaders(step: &Step, count: usize) -> Vec<u32> {
    let mut rows: Vec<(f64, u32)> = step
        .trace
        .rows
        .iter()
        .map(|row| (step.trace.kept.probability(row.id), row.id))
        .filter(|(p, _)| *p > 0.0)
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    rows.into_iter().take(count).map(|(_, id)| id).collect()
}
