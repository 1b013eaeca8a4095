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
    ShowQuestions,
    Edit,
    Run,
    RunCase,
    NextCase,
    PreviousCase,
    Cancel,
    CopyCase,
    CopyVerdict,
    Hint,
    Solution,
    Answer,
    Pick,
    Reset,
    Search,
    ClearSearch,
    Palette,
    Dismiss,
    Help,
    Suspend,
    Quit,
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// A stable name, for tests and for the palette's search.
    pub id: &'static str,
    /// What it does.
    pub action: Action,
    /// The keys, first the one that the footer shows.
    pub keys: &'static [&'static str],
    /// A word or two, for the footer.
    pub title: &'static str,
    /// What it does, in a line.
    pub doc: &'static str,
    /// Heading in the help.
    pub group: &'static str,
    /// When it works.
    pub when: fn(&Model) -> bool,
    /// Its place in the footer, first things first; 0: not in the footer.
    pub footer: u8,
    /// Whether the palette lists it.
    pub palette: bool,
}

/// A command that the palette lists and the footer does not.
const fn command(
    id: &'static str,
    action: Action,
    keys: &'static [&'static str],
    [title, doc, group]: [&'static str; 3],
    when: fn(&Model) -> bool,
) -> Command {
    Command { id, action, keys, title, doc, group, when, footer: 0, palette: true }
}

impl Command {
    const fn footer(self, place: u8) -> Self {
        Self { footer: place, ..self }
    }

    const fn silent(self) -> Self {
        Self { palette: false, ..self }
    }
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
    model.tab == Tab::Verdict && model.judged().is_some_and(|judged| !judged.run.report.cases.is_empty())
}

fn has_inputs(model: &Model) -> bool {
    has_cases(model) && model.selected_case().is_some_and(|case| !case.inputs.is_empty())
}

fn has_verdict(model: &Model) -> bool {
    model.judged().is_some()
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

fn has_questions(model: &Model) -> bool {
    model.tabs().contains(&Tab::Questions)
}

fn more_answers(model: &Model) -> bool {
    model.tab == Tab::Questions && model.answers_shown() < model.problem().questions
}

fn has_notice(model: &Model) -> bool {
    !model.notices.is_empty()
}

fn can_clear(model: &Model) -> bool {
    model.focus == Focus::List && !model.search.is_empty()
}

const MOVE: &str = "Moving";
const READ: &str = "Reading";
const WORK: &str = "Working on a problem";
const LOOK: &str = "Looking at a verdict";
const PROGRAM: &str = "The program";

/// All commands, in the order in which the help shows them.
pub static ALL: &[Command] = &[
    command("up", Action::Up, &["↑", "k"], ["up", "up", MOVE], always).silent(),
    command("down", Action::Down, &["↓", "j"], ["down", "down", MOVE], always).silent(),
    command("page-up", Action::PageUp, &["pgup", "ctrl-u"], ["page up", "half a page up", MOVE], always).silent(),
    command(
        "page-down",
        Action::PageDown,
        &["pgdn", "ctrl-d", "space"],
        ["page down", "half a page down", MOVE],
        always,
    )
    .silent(),
    command("top", Action::Top, &["home", "g"], ["top", "to the top", MOVE], always).silent(),
    command("bottom", Action::Bottom, &["end", "G"], ["bottom", "to the bottom", MOVE], always).silent(),
    command("open", Action::Open, &["enter", "→", "l"], ["read", "read the selected problem", MOVE], in_list)
        .silent()
        .footer(7),
    command("back", Action::Back, &["esc", "←"], ["back", "back to the list", MOVE], in_detail).silent().footer(7),
    command(
        "switch-focus",
        Action::SwitchFocus,
        &["tab", "shift-tab"],
        ["other side", "from the list to the text and back", MOVE],
        always,
    )
    .silent(),
    command("search", Action::Search, &["/"], ["find", "find a problem by name or topic", MOVE], always).footer(8),
    command("clear-search", Action::ClearSearch, &["esc"], ["show all", "show all problems again", MOVE], can_clear)
        .footer(6),
    command("statement", Action::ShowStatement, &["1"], ["statement", "show the statement", READ], always),
    command("verdict", Action::ShowVerdict, &["2"], ["verdict", "show the verdict", READ], always),
    command("hints", Action::ShowHints, &["3"], ["hints", "show the hints seen so far", READ], always),
    command(
        "reference",
        Action::ShowSolution,
        &["4"],
        ["solution", "show the solution; asks first while the problem is not accepted", READ],
        always,
    ),
    command(
        "questions",
        Action::ShowQuestions,
        &["5"],
        ["questions", "show what an interviewer asks next (with the solution)", READ],
        has_questions,
    ),
    command("next-part", Action::NextTab, &["]"], ["next part", "next part of the problem", READ], always).silent(),
    command("previous-part", Action::PreviousTab, &["["], ["previous part", "previous part", READ], always).silent(),
    command("edit", Action::Edit, &["e"], ["edit", "open your file in $EDITOR", WORK], always).footer(1),
    command("run", Action::Run, &["r"], ["run", "judge your file; a run in flight is stopped", WORK], always).footer(2),
    command("stop", Action::Cancel, &["x"], ["stop", "stop the run", WORK], runs).footer(3),
    command("hint", Action::Hint, &["h"], ["hint", "show the next hint; hints are counted", WORK], more_hints)
        .footer(4),
    command(
        "solution",
        Action::Solution,
        &["s"],
        ["solution", "show the reference beside your own code", WORK],
        always,
    )
    .footer(5),
    command("answer", Action::Answer, &["a"], ["answer", "show the next answer", WORK], more_answers).footer(3),
    command(
        "pick",
        Action::Pick,
        &["i"],
        ["judge …", "judge something else: a saved version, a file, the reference, a mistake", WORK],
        always,
    ),
    command(
        "reset",
        Action::Reset,
        &["R"],
        ["reset", "put the skeleton back; asks first, and your text is kept", WORK],
        rests,
    ),
    command("next-case", Action::NextCase, &["n"], ["next case", "next case", LOOK], has_cases).footer(3),
    command("previous-case", Action::PreviousCase, &["p"], ["previous case", "previous case", LOOK], has_cases),
    command("run-case", Action::RunCase, &["c"], ["this case", "judge the selected case alone", LOOK], has_cases)
        .footer(4),
    command(
        "copy-case",
        Action::CopyCase,
        &["y"],
        ["copy", "copy the inputs of the case as Rust, for a unit test", LOOK],
        has_inputs,
    )
    .footer(6),
    command(
        "copy-verdict",
        Action::CopyVerdict,
        &["Y"],
        ["copy all", "copy the whole verdict as text", LOOK],
        has_verdict,
    ),
    command(
        "palette",
        Action::Palette,
        &["ctrl-p", ":"],
        ["go to", "all commands and problems by name", PROGRAM],
        always,
    )
    .silent(),
    command("dismiss", Action::Dismiss, &["d"], ["dismiss", "dismiss the message", PROGRAM], has_notice).footer(1),
    command("help", Action::Help, &["?"], ["keys", "all keys", PROGRAM], always).silent().footer(LAST),
    command("suspend", Action::Suspend, &["ctrl-z"], ["suspend", "to the shell; `fg` comes back", PROGRAM], always)
        .silent(),
    command("quit", Action::Quit, &["q", "ctrl-c"], ["quit", "leave", PROGRAM], always).footer(LAST),
];

/// The place of what is always in the footer, at its end.
const LAST: u8 = 9;

/// The command of a key, where it works now.
pub fn resolve(model: &Model, key: Key) -> Option<&'static Command> {
    ALL.iter().find(|command| (command.when)(model) && command.keys.iter().any(|name| name.parse() == Ok(key)))
}

/// The command of an action.
pub fn of(action: Action) -> Option<&'static Command> {
    ALL.iter().find(|command| command.action == action)
}

/// What the footer shows now, first things first: key, word, and whether it must be there.
pub fn footer(model: &Model) -> Vec<(&'static str, &'static str, bool)> {
    let mut shown: Vec<&Command> = ALL.iter().filter(|command| command.footer > 0 && (command.when)(model)).collect();
    shown.sort_by_key(|command| command.footer);
    shown.into_iter().map(|command| (command.keys[0], command.title, command.footer == LAST)).collect()
}

/// The table as the README holds it, between the marks `<!-- keys -->` and `<!-- /keys -->`.
pub fn readme_table() -> String {
    let mut out = String::new();
    let mut group = "";
    for command in ALL {
        if command.group != group {
            group = command.group;
            let before = if out.is_empty() { "" } else { "\n" };
            out.push_str(&format!("{before}| {group} | |\n|---|---|\n"));
        }
        let keys: Vec<String> = command.keys.iter().map(|key| format!("`{key}`")).collect();
        out.push_str(&format!("| {} | {} |\n", keys.join(" "), command.doc));
    }
    out
}
