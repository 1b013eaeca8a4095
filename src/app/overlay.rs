//! What lies over the screen and takes the keys.

use super::commands::{self, Command};
use super::model::Model;
use crate::pack;
use crate::runner::verdict::Implementation;
use crate::store::Version;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

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
        /// The problem.
        slug: &'static str,
        /// The problem's kept versions; none: not read yet.
        versions: Option<Vec<Version>>,
        /// The selected line.
        selected: usize,
        /// A path that is being typed.
        path: Option<String>,
        /// The lab's lane in which it is to draw; none: it is judged.
        lane: Option<usize>,
    },
    /// A question before something that cannot simply be taken back.
    Confirm {
        /// The problem that it is about.
        slug: &'static str,
        /// What is asked.
        question: Question,
    },
}

impl Overlay {
    /// The one problem that it is about, if it is about one.
    pub fn slug(&self) -> Option<&'static str> {
        match self {
            Self::Picker { slug, .. } | Self::Confirm { slug, .. } => Some(slug),
            Self::Help { .. } | Self::Palette { .. } => None,
        }
    }
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
#[derive(Clone, Copy, Debug)]
pub enum Found {
    /// A command.
    Command(&'static Command),
    /// A problem, an index into the model's.
    Problem(usize),
}

/// A line of the palette with the characters of [`Found::text`] that the query matched.
#[derive(Clone, Debug)]
pub struct Hit {
    /// What it is.
    pub found: Found,
    /// Its text.
    pub text: String,
    /// Indices of the matched characters.
    pub matched: Vec<u32>,
}

/// The lines of the palette: what works now and every problem, best match first.
pub fn palette(model: &Model, query: &str) -> Vec<Hit> {
    let commands = commands::ALL.iter().filter(|command| command.palette && command.works(model));
    let all = commands
        .map(|command| (command.doc.to_owned(), command.id, Found::Command(command)))
        .chain(model.problems.iter().enumerate().map(|(at, p)| (p.title.clone(), p.slug, Found::Problem(at))));
    let pattern = Pattern::parse(query, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut hits: Vec<(u32, Hit)> = all
        .filter_map(|(text, name, found)| {
            let (score, matched) = score(&pattern, &mut matcher, &text, name)?;
            Some((score, Hit { found, text, matched }))
        })
        .collect();
    // Equal ones stay in the order of the table.
    hits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// How well the pattern is found in a line or in its short name, and where in the line.
fn score(pattern: &Pattern, matcher: &mut Matcher, text: &str, name: &str) -> Option<(u32, Vec<u32>)> {
    let (mut buffer, mut matched) = (Vec::new(), Vec::new());
    let in_text = pattern.indices(Utf32Str::new(text, &mut buffer), matcher, &mut matched);
    let in_name = pattern.score(Utf32Str::new(name, &mut buffer), matcher);
    if in_text.is_none() || in_name > in_text {
        matched.clear();
    }
    matched.sort_unstable();
    matched.dedup();
    in_text.max(in_name).map(|score| (score, matched))
}

/// A line of the picker.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What can be judged; none: a path is asked for.
    pub implementation: Option<Implementation>,
    /// Its name.
    pub name: String,
    /// A line about it.
    pub about: String,
}

/// The lines of the picker. The reader's own versions come before what belongs to the problem.
pub fn choices(model: &Model, slug: &str, versions: Option<&[Version]>) -> Vec<Choice> {
    let line = |name: &str, about: &str, implementation| Choice {
        name: name.to_owned(),
        about: about.to_owned(),
        implementation,
    };
    let mut lines = vec![
        line("your file", "what you save in the practice folder", Some(Implementation::Own)),
        line("another file", "any path", None),
    ];
    for version in versions.unwrap_or_default() {
        let at = version.at.to_zoned(model.zone.clone()).strftime("%e %b %H:%M").to_string();
        let saved = Implementation::Saved { id: version.id, text: String::new() };
        let about = format!("{}  {}", at.trim_start(), version.headline);
        lines.push(line(&format!("version {}", version.id), &about, Some(saved)));
    }
    lines.push(line("the reference", "the right answer, judged like any other", Some(Implementation::Reference)));
    if let Some(entry) = pack::find(slug) {
        for info in (entry.problem)().mistakes() {
            let kind = if info.convention { "convention" } else { "mistake" };
            let implementation = Some(Implementation::Mistake(info.name.to_owned()));
            lines.push(line(&format!("{kind} {}", info.name), info.sentence, implementation));
        }
    }
    lines
}
