//! The state.

use super::event::{Layout, Level, Warm};
use super::lab::Lab;
use super::overlay::Overlay;
use crate::judge::report::CaseReport;
use crate::pack::{self, Topic};
use crate::runner::verdict::{Implementation, Run, Verdict};
use crate::store::{Progress, Status};
use jiff::tz::TimeZone;
use std::collections::{HashMap, HashSet};

/// Everything that the screens show.
#[derive(Clone, Debug)]
pub struct Model {
    /// Where the reader is.
    pub place: Place,
    /// The lab.
    pub lab: Lab,
    /// The pack's problems in order.
    pub problems: Vec<Problem>,
    /// Progress by slug.
    pub progress: HashMap<String, Progress>,
    /// Whether the history has been read.
    pub loaded: bool,
    /// The search.
    pub search: String,
    /// Whether the search is being typed.
    pub searching: bool,
    /// The selected problem, an index into `problems`.
    pub selected: usize,
    /// Which side has the keys.
    pub focus: Focus,
    /// What the detail shows.
    pub tab: Tab,
    /// First row of the detail that is seen.
    pub scroll: usize,
    /// The last run of each problem.
    pub runs: HashMap<String, Judged>,
    /// The selected case of the verdict.
    pub case: usize,
    /// What is running.
    pub running: Option<Running>,
    /// The number of the newest run.
    pub generation: u64,
    /// How far the judge is.
    pub warm: Warm,
    /// Seconds since the judge began to be made ready.
    pub warm_seconds: u64,
    /// The device that the last run used; none: there was no run.
    pub device: Option<String>,
    /// What the reader should know, oldest first.
    pub notices: Vec<(Level, String)>,
    /// What lies over the screen.
    pub overlay: Option<Overlay>,
    /// Which implementation `run` takes, where it is not the reader's own.
    pub chosen: HashMap<String, Implementation>,
    /// Text of the reader's files, where they were read.
    pub sources: HashMap<String, String>,
    /// How many answers to follow-up questions are shown.
    pub answers: HashMap<String, usize>,
    /// The reader's time zone, for dates.
    pub zone: TimeZone,
    /// Problems whose reference the reader has asked to see.
    pub revealed: HashSet<String>,
    /// Where the last frame put things.
    pub layout: Layout,
    /// Changes whenever what the detail shows may have changed.
    pub revision: u64,
}

/// The places of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The problems.
    Pack,
    /// The lab.
    Lab,
}

impl Place {
    /// All, in order.
    pub const ALL: [Self; 2] = [Self::Pack, Self::Lab];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Lab => "lab",
        }
    }
}

/// A problem's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Slug.
    pub slug: &'static str,
    /// Topic.
    pub topic: Topic,
    /// Title.
    pub title: String,
    /// How often it is asked.
    pub tier: u8,
    /// Par time.
    pub minutes: u32,
    /// How many hints.
    pub hints: usize,
    /// How many follow-up questions.
    pub questions: usize,
}

/// A finished run, and what it was a run of.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The run.
    pub run: Run,
    /// What was judged.
    pub implementation: Implementation,
    /// The only case that was run; none: all.
    pub only: Option<String>,
}

impl Judged {
    /// Whether it counts for the reader's progress.
    pub fn counts(&self) -> bool {
        self.implementation == Implementation::Own && self.only.is_none()
    }
}

/// Which side has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The list of problems.
    List,
    /// The detail.
    Detail,
}

/// What the detail shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tab {
    /// The statement.
    Statement,
    /// The last run.
    Verdict,
    /// The hints shown so far.
    Hints,
    /// The reference beside the reader's own.
    Solution,
    /// What an interviewer asks next.
    Questions,
}

impl Tab {
    /// All, in order.
    pub const ALL: [Self; 5] = [Self::Statement, Self::Verdict, Self::Hints, Self::Solution, Self::Questions];
}

/// A run in flight.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// The problem.
    pub slug: String,
    /// What is judged.
    pub implementation: Implementation,
    /// Only this case.
    pub only: Option<String>,
    /// What is happening.
    pub stage: Stage,
    /// Seconds so far.
    pub seconds: f64,
    /// The cases that will run.
    pub planned: Vec<String>,
    /// Passed or not, of those that are over.
    pub done: Vec<bool>,
}

/// What a run is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// Waiting for another cargo.
    Waiting,
    /// Cargo says this.
    Building(String),
    /// The cases.
    Judging,
    /// Trying the mistakes.
    Diagnosing,
}

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Air between topics.
    Gap,
    /// A topic with how many of its problems are accepted, and how many there are.
    Topic(Topic, usize, usize),
    /// A problem, an index into the model's.
    Problem(usize),
}

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

impl Model {
    /// The state before anything is known.
    pub fn new() -> Self {
        let problem = |entry: &'static pack::Entry| {
            let statement = entry.statement();
            Problem {
                slug: entry.slug,
                topic: entry.topic,
                title: statement.title.clone(),
                tier: statement.tier,
                minutes: statement.minutes,
                hints: statement.hints.len(),
                questions: statement.follow_ups.len(),
            }
        };
        Self {
            place: Place::Pack,
            lab: Lab::default(),
            problems: pack::all().map(problem).collect(),
            progress: HashMap::new(),
            loaded: false,
            search: String::new(),
            searching: false,
            selected: 0,
            focus: Focus::List,
            tab: Tab::Statement,
            scroll: 0,
            runs: HashMap::new(),
            case: 0,
            running: None,
            generation: 0,
            warm: Warm::Building(String::new()),
            warm_seconds: 0,
            device: None,
            notices: Vec::new(),
            overlay: None,
            chosen: HashMap::new(),
            sources: HashMap::new(),
            answers: HashMap::new(),
            zone: TimeZone::UTC,
            revealed: HashSet::new(),
            layout: Layout::default(),
            revision: 0,
        }
    }

    /// The selected problem.
    pub fn problem(&self) -> &Problem {
        &self.problems[self.selected.min(self.problems.len() - 1)]
    }

    /// The selected problem's slug.
    pub fn slug(&self) -> &'static str {
        self.problem().slug
    }

    /// How far a problem has come.
    pub fn status(&self, slug: &str) -> Status {
        self.progress.get(slug).map(|progress| progress.status).unwrap_or_default()
    }

    /// Hints shown of the selected problem.
    pub fn hints_shown(&self) -> usize {
        self.progress.get(self.slug()).map_or(0, |progress| progress.hints)
    }

    /// The last run of the selected problem.
    pub fn judged(&self) -> Option<&Judged> {
        self.runs.get(self.slug())
    }

    /// The selected case of that run.
    pub fn selected_case(&self) -> Option<&CaseReport> {
        self.judged()?.run.report.cases.get(self.case)
    }

    /// How many answers to follow-up questions of the selected problem are shown.
    pub fn answers_shown(&self) -> usize {
        self.answers.get(self.slug()).copied().unwrap_or(0)
    }

    /// The parts that the selected problem has now.
    pub fn tabs(&self) -> Vec<Tab> {
        let questions = self.problem().questions > 0 && self.may_see_solution();
        Tab::ALL.into_iter().filter(|tab| *tab != Tab::Questions || questions).collect()
    }

    /// Whether the reference may be shown without asking.
    pub fn may_see_solution(&self) -> bool {
        self.status(self.slug()) == Status::Accepted || self.revealed.contains(self.slug())
    }

    /// What `run` judges.
    pub fn implementation(&self) -> Implementation {
        self.chosen.get(self.slug()).cloned().unwrap_or(Implementation::Own)
    }

    /// Whether a problem matches the search: every word of it stands in slug, title or topic.
    pub fn matches(&self, problem: &Problem) -> bool {
        let words = self.search.to_lowercase();
        let text = format!("{} {} {}", problem.slug, problem.title, problem.topic.title()).to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    }

    /// The list's rows.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut topic = None;
        for (index, problem) in self.problems.iter().enumerate().filter(|(_, problem)| self.matches(problem)) {
            if topic != Some(problem.topic) {
                if topic.is_some() {
                    rows.push(Row::Gap);
                }
                topic = Some(problem.topic);
                let all = || self.problems.iter().filter(|other| other.topic == problem.topic);
                let accepted = all().filter(|other| self.status(other.slug) == Status::Accepted).count();
                rows.push(Row::Topic(problem.topic, accepted, all().count()));
            }
            rows.push(Row::Problem(index));
        }
        rows
    }

    /// The list row of the selected problem.
    pub fn selected_row(&self) -> Option<usize> {
        self.rows().iter().position(|row| *row == Row::Problem(self.selected))
    }

    /// How many problems are accepted.
    pub fn accepted(&self) -> usize {
        self.problems.iter().filter(|problem| self.status(problem.slug) == Status::Accepted).count()
    }

    /// Whether something runs that a clock should be shown for.
    pub fn busy(&self) -> bool {
        self.running.is_some() || matches!(self.warm, Warm::Building(_) | Warm::Waiting)
    }

    /// Whether list and detail are both on the screen whichever of them has the keys.
    pub fn sees_both(&self) -> bool {
        self.layout.wide
    }

    /// The index of the first case that did not pass; the first case otherwise.
    pub fn telling_case(run: &Run) -> usize {
        run.report.cases.iter().position(|case| !case.result.passed()).unwrap_or(0)
    }

    /// The line of rustc's first error in the reader's own file.
    pub fn error_line(&self) -> Option<usize> {
        let judged = self.judged().filter(|judged| judged.implementation == Implementation::Own)?;
        let run = Some(&judged.run).filter(|run| run.verdict == Verdict::DoesNotCompile)?;
        run.diagnostics.iter().find(|d| d.level == "error")?.place.as_ref().map(|(_, line, _)| *line)
    }
}
