//! Commands of the pack.

use super::{Action, Command, always, command};
use crate::app::model::{Focus, Model, Tab};

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

fn can_clear(model: &Model) -> bool {
    model.focus == Focus::List && !model.search.is_empty()
}

const MOVE: &str = "Moving";
const READ: &str = "Reading";
const WORK: &str = "Working on a problem";
const LOOK: &str = "Looking at a verdict";

/// What works among the problems.
pub(super) const TABLE: [Command; 31] = [
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
];
