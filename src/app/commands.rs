//! The one table of commands: footer, help, palette and README are made from it.

use super::key::Key;
use super::model::{Focus, Model, Tab};

/// What a command does; `update` carries it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The table says it.
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Open,
    Back,
    SwitchFocus,
    NextTab,
    PreviousTab,
    ShowStatement,
    ShowVerdict,
    ShowHints,
    ShowSolution,
    Edit,
    Run,
    RunCase,
    NextCase,
    PreviousCase,
    Cancel,
    Hint,
    Solution,
    Pick,
    Reset,
    Search,
    Palette,
    Dismiss,
    Help,
    Suspend,
    Quit,
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// What it does.
    pub action: Action,
    /// The keys, first the one that the footer shows.
    pub keys: &'static [&'static str],
    /// The footer's word; empty: not in the footer.
    pub word: &'static str,
    /// What it does, in a line.
    pub title: &'static str,
    /// Heading in the help.
    pub group: &'static str,
    /// When it works.
    pub when: fn(&Model) -> bool,
    /// Whether the palette lists it.
    pub palette: bool,
}

const fn command(
    action: Action,
    keys: &'static [&'static str],
    word: &'static str,
    title: &'static str,
    group: &'static str,
    when: fn(&Model) -> bool,
) -> Command {
    Command { action, keys, word, title, group, when, palette: true }
}

const fn silent(command: Command) -> Command {
    Command { palette: false, ..command }
}

fn always(_: &Model) -> bool {
    true
}

fn in_list(model: &Model) -> bool {
    model.focus == Focus::List
}

fn in_detail(model: &Model) -> bool {
    model.focus == Focus::Detail
}

fn has_cases(model: &Model) -> bool {
    model.tab == Tab::Verdict && model.run().is_some_and(|run| !run.report.cases.is_empty())
}

fn runs(model: &Model) -> bool {
    model.running.is_some()
}

fn rests(model: &Model) -> bool {
    model.running.is_none()
}

fn more_hints(model: &Model) -> bool {
    model.hints_shown() < model.problem().hints
}

fn has_notice(model: &Model) -> bool {
    !model.notices.is_empty()
}

const MOVE: &str = "Moving";
const WORK: &str = "Working on a problem";
const LOOK: &str = "Looking at a verdict";
const PROGRAM: &str = "The program";

/// All commands, in the order in which the help shows them.
pub static ALL: &[Command] = &[
    silent(command(Action::Up, &["↑", "k"], "", "up", MOVE, always)),
    silent(command(Action::Down, &["↓", "j"], "", "down", MOVE, always)),
    silent(command(Action::PageUp, &["pgup", "ctrl-u"], "", "half a page up", MOVE, always)),
    silent(command(Action::PageDown, &["pgdn", "ctrl-d", "space"], "", "half a page down", MOVE, always)),
    silent(command(Action::Top, &["home", "g"], "", "to the top", MOVE, always)),
    silent(command(Action::Bottom, &["end", "G"], "", "to the bottom", MOVE, always)),
    silent(command(Action::Open, &["enter", "→", "l"], "read", "read the selected problem", MOVE, in_list)),
    silent(command(Action::Back, &["esc", "←"], "back", "back to the list", MOVE, in_detail)),
    silent(command(Action::SwitchFocus, &["tab"], "", "from the list to the text and back", MOVE, always)),
    silent(command(Action::NextTab, &["]"], "", "next part: statement, verdict, hints, solution", MOVE, always)),
    silent(command(Action::PreviousTab, &["["], "", "previous part", MOVE, always)),
    command(Action::ShowStatement, &["1"], "", "show the statement", MOVE, always),
    command(Action::ShowVerdict, &["2"], "", "show the verdict", MOVE, always),
    command(Action::ShowHints, &["3"], "", "show the hints", MOVE, always),
    command(Action::ShowSolution, &["4"], "", "show the solution", MOVE, always),
    command(Action::Search, &["/"], "find", "find a problem by name or topic", MOVE, always),
    command(Action::Edit, &["e"], "edit", "open your file in $EDITOR", WORK, always),
    command(Action::Run, &["r"], "run", "judge your file; a run in flight is stopped", WORK, always),
    command(Action::Cancel, &["x"], "stop", "stop the run", WORK, runs),
    command(Action::Hint, &["h"], "hint", "show the next hint", WORK, more_hints),
    command(Action::Solution, &["s"], "solution", "show the reference beside your own code", WORK, always),
    command(
        Action::Pick,
        &["i"],
        "",
        "choose what is judged: a version, a file, the reference, a mistake",
        WORK,
        always,
    ),
    command(Action::Reset, &["R"], "", "put the skeleton back; your text is kept", WORK, rests),
    command(Action::NextCase, &["n"], "case", "next case", LOOK, has_cases),
    command(Action::PreviousCase, &["p"], "", "previous case", LOOK, has_cases),
    command(Action::RunCase, &["c"], "", "judge the selected case alone", LOOK, has_cases),
    silent(command(Action::Palette, &["ctrl-p", ":"], "", "all commands and problems by name", PROGRAM, always)),
    command(Action::Dismiss, &["d"], "dismiss", "dismiss the message", PROGRAM, has_notice),
    silent(command(Action::Help, &["?"], "keys", "all keys", PROGRAM, always)),
    silent(command(Action::Suspend, &["ctrl-z"], "", "to the shell; fg comes back", PROGRAM, always)),
    command(Action::Quit, &["q", "ctrl-c"], "quit", "leave", PROGRAM, always),
];

/// The command of a key, where it works now.
pub fn resolve(model: &Model, key: Key) -> Option<&'static Command> {
    ALL.iter().find(|command| (command.when)(model) && command.keys.iter().any(|name| name.parse() == Ok(key)))
}

/// The command of an action.
pub fn of(action: Action) -> Option<&'static Command> {
    ALL.iter().find(|command| command.action == action)
}

/// What the footer shows now: key and word.
pub fn footer(model: &Model) -> Vec<(&'static str, &'static str)> {
    let shown = ALL.iter().filter(|command| !command.word.is_empty() && (command.when)(model));
    shown.map(|command| (command.keys[0], command.word)).collect()
}

/// The table as the README holds it.
pub fn readme_table() -> String {
    let mut out = String::from("| keys | what they do |\n|---|---|\n");
    for command in ALL {
        let keys: Vec<String> = command.keys.iter().map(|key| format!("`{key}`")).collect();
        out.push_str(&format!("| {} | {} |\n", keys.join(" "), command.title));
    }
    out
}
