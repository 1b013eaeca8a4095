//! Commands of the lab. Left and right move in time, up and down in whatever list is in front.

use super::{Action, Command, command};
use crate::app::lab::Panel;
use crate::app::model::Model;

/// What a command of the lab does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The table says it.
pub enum LabAction {
    Step,
    Back,
    TenOn,
    TenBack,
    Start,
    End,
    Play,
    Slower,
    Faster,
    Up,
    Down,
    PageUp,
    PageDown,
    Force,
    Find,
    Take,
    Leave,
    Settings,
    Toggle,
    More,
    Less,
    Earlier,
    Later,
    Type,
    Presets,
    Roll,
    Seed,
    NextLane,
    PreviousLane,
    Copy,
    Close,
    Own,
    OwnLoop,
    Branches,
    Expected,
    Prompt,
    Export,
}

fn ready(model: &Model) -> bool {
    model.lab.view.is_some()
}

fn pauses(model: &Model) -> bool {
    ready(model) && !model.lab.playing && !in_settings(model)
}

fn plays(model: &Model) -> bool {
    model.lab.playing && !in_settings(model)
}

fn has_past(model: &Model) -> bool {
    model.lab.track().is_some_and(|track| !track.steps().is_empty())
}

fn has_future(model: &Model) -> bool {
    model.lab.track().is_some_and(|track| track.ahead() > 0)
}

/// The table of candidates has the keys, and there is a step whose token could be another.
fn at_table(model: &Model) -> bool {
    has_past(model) && model.lab.panel == Panel::None && !model.lab.expecting
}

fn in_settings(model: &Model) -> bool {
    ready(model) && matches!(model.lab.panel, Panel::Settings { .. })
}

fn in_stage(model: &Model) -> bool {
    matches!(model.lab.panel, Panel::Settings { line } if line.kind().is_some()) && ready(model)
}

fn in_list(model: &Model) -> bool {
    ready(model) && matches!(model.lab.panel, Panel::Presets { .. } | Panel::Branches { .. })
}

fn no_panel(model: &Model) -> bool {
    ready(model) && model.lab.panel == Panel::None
}

fn is_open(model: &Model) -> bool {
    ready(model) && (model.lab.panel != Panel::None || model.lab.expecting)
}

fn several(model: &Model) -> bool {
    model.lab.view.as_ref().is_some_and(|view| view.tracks.len() > 1)
}

fn has_branches(model: &Model) -> bool {
    model.lab.track().is_some_and(|track| !track.branches().is_empty())
}

const TIME: &str = "In the lab: time";
const TOKEN: &str = "In the lab: tokens";
const SAMPLER: &str = "In the lab: the sampler";
const LANES: &str = "In the lab: lanes and runs";

const fn lab(
    id: &'static str,
    action: LabAction,
    keys: &'static [&'static str],
    words: [&'static str; 3],
    when: fn(&Model) -> bool,
) -> Command {
    command(id, Action::Lab(action), keys, words, when)
}

/// What works in the lab.
pub(super) const TABLE: [Command; 38] = [
    lab("step", LabAction::Step, &["→", "l"], ["step", "one step forward, in every lane", TIME], ready).footer(3),
    lab("step-back", LabAction::Back, &["←", "h"], ["back", "one step back; nothing is lost", TIME], has_past)
        .footer(3),
    lab("ten-on", LabAction::TenOn, &["]"], ["ten on", "ten steps forward", TIME], ready),
    lab("ten-back", LabAction::TenBack, &["["], ["ten back", "ten steps back", TIME], has_past),
    lab("start", LabAction::Start, &["home", "g"], ["start", "before the first step", TIME], has_past),
    lab("end", LabAction::End, &["end", "G"], ["end", "to the last step that is known", TIME], has_future),
    lab("play", LabAction::Play, &["space"], ["play", "step on by itself", TIME], pauses).footer(4),
    lab("pause", LabAction::Play, &["space"], ["pause", "stand still", TIME], plays).footer(4),
    lab("slower", LabAction::Slower, &["<"], ["slower", "play more slowly", TIME], ready),
    lab("faster", LabAction::Faster, &[">"], ["faster", "play faster", TIME], ready),
    lab("lab-up", LabAction::Up, &["↑", "k"], ["up", "up in the list in front", TOKEN], ready).silent(),
    lab("lab-down", LabAction::Down, &["↓", "j"], ["down", "down in the list in front", TOKEN], ready).silent(),
    lab("lab-page-up", LabAction::PageUp, &["pgup", "ctrl-u"], ["page up", "a page up", TOKEN], ready).silent(),
    lab("lab-page-down", LabAction::PageDown, &["pgdn", "ctrl-d"], ["page down", "a page down", TOKEN], ready).silent(),
    lab(
        "force",
        LabAction::Force,
        &["enter", "f"],
        ["force", "put the selected token in the drawn one's place; what came after is kept as a branch", TOKEN],
        at_table,
    )
    .footer(5),
    lab(
        "find-token",
        LabAction::Find,
        &["/"],
        ["any token", "find any token of the vocabulary by text or id, to force it", TOKEN],
        has_past,
    ),
    lab(
        "expected",
        LabAction::Expected,
        &["v"],
        ["prompt view", "what the model expected at each place of the prompt, and back", TOKEN],
        ready,
    )
    .footer(8),
    lab("settings", LabAction::Settings, &["s"], ["settings", "the sampler of the chosen lane", SAMPLER], ready)
        .footer(6),
    lab("toggle", LabAction::Toggle, &["space"], ["on/off", "switch the line on or off", SAMPLER], in_settings)
        .footer(1),
    lab("more", LabAction::More, &["+", "="], ["more", "a larger value, the next rules", SAMPLER], in_settings)
        .footer(1),
    lab("less", LabAction::Less, &["-"], ["less", "a smaller value, the rules before", SAMPLER], in_settings).footer(1),
    lab(
        "earlier",
        LabAction::Earlier,
        &["K"],
        ["earlier", "apply the stage earlier: the order is half of a sampler", SAMPLER],
        in_stage,
    )
    .footer(2),
    lab("later", LabAction::Later, &["J"], ["later", "apply the stage later", SAMPLER], in_stage).footer(2),
    lab("type", LabAction::Type, &["enter"], ["type", "type the value", SAMPLER], in_stage).footer(1),
    lab(
        "presets",
        LabAction::Presets,
        &["p"],
        ["presets", "ready-made comparisons: greedy, sweeps, whose rules", SAMPLER],
        ready,
    )
    .footer(7),
    lab("next-lane", LabAction::NextLane, &["tab"], ["next lane", "choose the next lane", LANES], several).footer(5),
    lab(
        "previous-lane",
        LabAction::PreviousLane,
        &["shift-tab"],
        ["lane before", "choose the lane before", LANES],
        several,
    ),
    lab(
        "copy-lane",
        LabAction::Copy,
        &["c"],
        ["copy lane", "a copy of the lane beside it, to compare settings under the same draws", LANES],
        ready,
    )
    .footer(6),
    lab("close-lane", LabAction::Close, &["x"], ["close lane", "close the chosen lane", LANES], several).footer(8),
    lab(
        "own-sampler",
        LabAction::Own,
        &["o"],
        ["own sampler", "let your sample-token draw in the chosen lane, beside the reference", LANES],
        ready,
    )
    .footer(7),
    lab(
        "own-notebook",
        LabAction::OwnLoop,
        &["O"],
        ["own notebook", "let sample_next_token of your decode-notebook draw in the chosen lane", LANES],
        ready,
    ),
    lab(
        "branches",
        LabAction::Branches,
        &["b"],
        ["branches", "the continuations that the lane has left, to return to one", LANES],
        has_branches,
    )
    .footer(7),
    lab("take", LabAction::Take, &["enter"], ["take", "take the selected line", LANES], in_list).footer(1),
    lab("prompt", LabAction::Prompt, &["e"], ["prompt", "write another prompt", LANES], ready).footer(7),
    lab("roll", LabAction::Roll, &["r"], ["next seed", "the same run under the next seed", LANES], no_panel).footer(8),
    lab("seed", LabAction::Seed, &["S"], ["seed", "type a seed", LANES], ready),
    lab("export", LabAction::Export, &["w"], ["write", "write the run to a file, as JSON or CSV", LANES], ready)
        .footer(8),
    lab("leave", LabAction::Leave, &["esc"], ["close", "close what is open", LANES], is_open).footer(1),
];
