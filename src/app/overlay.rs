//! What lies over the screen and takes the keys.

use super::commands::{self, Command};
use super::model::Model;
use crate::pack;
use crate::runner::verdict::Implementation;
use crate::store::Version;

/// What lies over the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Overlay {
    /// All keys.
    Help {
        /// First row that is seen.
        scroll: usize,
    },
    /// Commands and problems by name.
    Palette {
        /// What was typed.
        query: String,
        /// The selected line.
        selected: usize,
    },
    /// Which implementation is judged.
    Picker {
        /// The problem's kept versions; none: not read yet.
        versions: Option<Vec<Version>>,
        /// The selected line.
        selected: usize,
        /// A path that is being typed.
        path: Option<String>,
    },
    /// A question before something that cannot simply be taken back.
    Confirm(Question),
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Show the reference before the problem is accepted?
    Solution,
    /// Put the skeleton back?
    Reset,
}

/// A line of the palette.
#[derive(Clone, Copy)]
pub enum Found {
    /// A command.
    Command(&'static Command),
    /// A problem, an index into the model's.
    Problem(usize),
}

/// The lines of the palette: what works now and every problem, best match first.
pub fn palette(model: &Model, query: &str) -> Vec<Found> {
    let commands = commands::ALL.iter().filter(|command| command.palette && (command.when)(model));
    let all = commands
        .map(|command| (command.title.to_owned(), Found::Command(command)))
        .chain(model.problems.iter().enumerate().map(|(i, p)| (format!("{} {}", p.title, p.slug), Found::Problem(i))));
    let mut scored: Vec<(usize, Found)> = all
        .filter_map(|(text, found)| score(&text.to_lowercase(), &query.to_lowercase()).map(|s| (s, found)))
        .collect();
    scored.sort_by_key(|(score, _)| *score);
    scored.into_iter().map(|(_, found)| found).collect()
}

/// How well `query`'s letters are found in order in `text`: the fewer letters passed over, the better; none if not at all.
fn score(text: &str, query: &str) -> Option<usize> {
    let mut rest = text.char_indices();
    let (mut last, mut skipped) = (None::<usize>, 0);
    for wanted in query.chars().filter(|c| !c.is_whitespace()) {
        let (at, _) = rest.by_ref().find(|(_, c)| *c == wanted)?;
        skipped += last.map_or(at, |last| (at - last - 1) * 2);
        last = Some(at);
    }
    Some(skipped)
}

/// The lines of the picker.
pub fn choices(model: &Model, versions: Option<&[Version]>) -> Vec<(String, String, Option<Implementation>)> {
    let mut lines = vec![
        ("your own file".to_owned(), "what you save in the practice folder".to_owned(), Some(Implementation::Own)),
        ("another file …".to_owned(), "any path".to_owned(), None),
        ("the reference".to_owned(), "must be accepted".to_owned(), Some(Implementation::Reference)),
    ];
    if let Some(entry) = pack::find(model.slug()) {
        for info in (entry.problem)().mistakes() {
            let kind = if info.convention { "convention" } else { "mistake" };
            let implementation = Some(Implementation::Mistake(info.name.to_owned()));
            lines.push((format!("{kind} {}", info.name), info.sentence.to_owned(), implementation));
        }
    }
    for version in versions.unwrap_or_default() {
        let saved = Implementation::Saved { id: version.id, text: String::new() };
        lines.push((format!("version {}", version.id), version.headline.clone(), Some(saved)));
    }
    lines
}
