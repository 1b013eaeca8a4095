//! The lab: what its commands do, what its thread answers, how it plays.

use super::notice;
use crate::app::commands::LabAction;
use crate::app::event::{Effect, Level};
use crate::app::lab::sheet::Sheet;
use crate::app::lab::{Field, Lab, Line, Panel, SPEEDS, Text};
use crate::app::model::{Model, Place};
use crate::app::overlay::Overlay;
use crate::lab::lanes::MOST;
use crate::lab::recipe::{PRESETS, Recipe};
use crate::lab::view::{Answer, Request};
use crate::runner::verdict::Implementation;

/// Steps that are taken when there are none: enough to see something.
const FIRST: usize = 12;
/// Steps of a leap.
const LEAP: usize = 10;
/// Rows of a page, where none was drawn yet.
const PAGE: usize = 10;

/// Over to the lab. The first time it is in the middle of a decode already.
pub(super) fn enter(model: &mut Model) -> Vec<Effect> {
    model.place = Place::Lab;
    model.searching = false;
    begin(&mut model.lab)
}

/// The first steps, once there is a reader and a model.
fn begin(lab: &mut Lab) -> Vec<Effect> {
    let empty = lab.view.as_ref().is_none_or(|view| view.tracks.iter().all(|track| track.prompt().is_empty()));
    if empty || lab.begun {
        return Vec::new();
    }
    lab.begun = true;
    if lab.known() > 0 { Vec::new() } else { ask(lab, Request::Step(FIRST)) }
}

fn ask(lab: &mut Lab, request: Request) -> Vec<Effect> {
    lab.asked += 1;
    vec![Effect::Lab(lab.asked, request)]
}

/// Takes in what the thread says.
pub(super) fn answered(model: &mut Model, answer: Answer) -> Vec<Effect> {
    match answer {
        // A view of an earlier request comes late, or not at all.
        Answer::View(number, _) if number < model.lab.answered => {}
        Answer::View(number, view) => {
            let lab = &mut model.lab;
            lab.sent.take_if(|(sent, _)| *sent <= number);
            let before = lab.identity();
            (lab.answered, lab.view, lab.failed) = (number, Some(view), None);
            if number == lab.asked {
                lab.wanted = lab.lane();
            }
            if lab.identity() != before {
                lab.candidate = None;
            }
            // Why a lane ended stands in the lane.
            let ended = model.lab.view.iter().flat_map(|view| &view.tracks).filter_map(|track| track.ended.clone());
            let ended: Vec<String> = ended.collect();
            model.notices.retain(|(level, text)| *level != Level::Info || !ended.contains(text));
            let mut effects = if model.place == Place::Lab { begin(&mut model.lab) } else { Vec::new() };
            effects.extend(go_on(&mut model.lab));
            effects.extend(expect(&mut model.lab));
            return effects;
        }
        Answer::Refused(number, why) => {
            model.lab.playing = false;
            // What was to come after it would come after something else.
            model.lab.after.take_if(|(after, _)| *after == number);
            if let Some((_, text)) = model.lab.sent.take_if(|(sent, _)| *sent == number) {
                model.lab.panel = Panel::Prompt(text);
            }
            notice(model, Level::Info, why);
        }
        Answer::Exported(path) => notice(model, Level::Info, format!("the run was written to {}", path.display())),
        Answer::Failed(why) => {
            model.lab.playing = false;
            match model.lab.view {
                Some(_) => notice(model, Level::Error, why),
                None => model.lab.failed = Some(why),
            }
        }
    }
    Vec::new()
}

/// Asks for what was to come after a request that is carried out now.
fn go_on(lab: &mut Lab) -> Vec<Effect> {
    let answered = lab.answered;
    let next = lab.after.take_if(|(number, _)| *number <= answered);
    next.map_or_else(Vec::new, |(_, request)| ask(lab, request))
}

/// Asks for the prompt view where it is looked at and not there.
fn expect(lab: &mut Lab) -> Vec<Effect> {
    let missing = lab.view.as_ref().is_some_and(|view| view.expected.is_none() && !view.prompt.is_empty());
    if lab.expecting && missing && lab.asked == lab.answered { ask(lab, Request::Expect) } else { Vec::new() }
}

/// It is time for a step.
pub(super) fn play(model: &mut Model) -> Vec<Effect> {
    let lab = &mut model.lab;
    if !lab.playing || lab.answered < lab.asked {
        return Vec::new();
    }
    if lab.ended() {
        lab.playing = false;
        return Vec::new();
    }
    ask(lab, Request::Step(1))
}

/// Carries a command out.
pub(super) fn act(model: &mut Model, action: LabAction) -> Vec<Effect> {
    use LabAction as A;
    let lab = &mut model.lab;
    match action {
        A::Step | A::Back | A::TenOn | A::TenBack | A::Start | A::End => return travel(lab, action),
        A::Play => {
            lab.playing = !lab.playing && !lab.ended();
            return if lab.playing { ask(lab, Request::Step(1)) } else { Vec::new() };
        }
        A::Slower => lab.speed = lab.speed.saturating_sub(1),
        A::Faster => lab.speed = (lab.speed + 1).min(SPEEDS.len() - 1),
        A::Up => step(model, -1),
        A::Down => step(model, 1),
        A::PageUp => step(model, -page(model)),
        A::PageDown => step(model, page(model)),
        A::Force => return force(lab),
        A::Take => return take(lab),
        A::Leave => leave(lab),
        A::Settings | A::Presets | A::Branches => open(lab, action),
        A::Toggle | A::More | A::Less | A::Earlier | A::Later => return set(lab, action),
        A::NextLane | A::PreviousLane => next_lane(lab, if action == A::NextLane { 1 } else { -1 }),
        A::Copy => return copy(model),
        A::Own => return own(model, "sample-token"),
        A::OwnLoop => return own(model, "decode-notebook"),
        A::Close => {
            let lane = lab.lane();
            return ask(lab, Request::Close(lane));
        }
        A::Roll => {
            let seed = lab.view.as_ref().map_or(0, |view| view.seed).wrapping_add(1);
            return reseed(lab, seed);
        }
        A::Expected => {
            lab.expecting = !lab.expecting;
            return expect(lab);
        }
        A::Find | A::Type | A::Seed | A::Prompt | A::Export => begin_typing(lab, action),
    }
    Vec::new()
}

/// Asks which sampler is to draw in the chosen lane.
fn own(model: &mut Model, slug: &'static str) -> Vec<Effect> {
    let lane = Some(model.lab.lane());
    model.overlay = Some(Overlay::Picker { slug, versions: None, selected: 0, path: None, lane });
    vec![Effect::LoadVersions(slug.to_owned())]
}

/// Has a sampler built for a lane.
pub(super) fn invite(
    model: &mut Model,
    lane: usize,
    slug: &'static str,
    implementation: Implementation,
) -> Vec<Effect> {
    model.lab.playing = false;
    model.lab.inviting = Some(lane);
    vec![Effect::Serve { lane, slug, implementation }]
}

/// A sampler stands ready: it draws from the lane's start on, and all lanes go again to where the reader was.
pub(super) fn guest_came(model: &mut Model, lane: usize, ready: Result<(), String>) -> Vec<Effect> {
    model.lab.inviting = None;
    if let Err(why) = ready {
        notice(model, Level::Error, why);
        return Vec::new();
    }
    let lab = &mut model.lab;
    let steps = if lab.cursor() == 0 { FIRST } else { lab.cursor() };
    lab.asked += 1;
    let mut effects = vec![Effect::Invite(lab.asked, lane)];
    effects.extend(ask(lab, Request::Jump(0)));
    effects.extend(ask(lab, Request::Step(steps)));
    effects
}

/// Through time. Whoever moves by hand wants it to stand still.
fn travel(lab: &mut Lab, action: LabAction) -> Vec<Effect> {
    lab.playing = false;
    let known = lab.known();
    let request = match action {
        LabAction::Back => Request::Back(1),
        LabAction::TenOn => Request::Step(LEAP),
        LabAction::TenBack => Request::Back(LEAP),
        LabAction::Start => Request::Jump(0),
        LabAction::End => Request::Jump(known),
        _ => Request::Step(1),
    };
    ask(lab, request)
}

/// To behind a step.
pub(super) fn jump(lab: &mut Lab, steps: usize) -> Vec<Effect> {
    lab.playing = false;
    ask(lab, Request::Jump(steps))
}

fn page(model: &Model) -> isize {
    let rows = usize::from(model.layout.lab.table[3]);
    isize::try_from(if rows == 0 { PAGE } else { rows.saturating_sub(1).max(1) }).unwrap_or(1)
}

/// Moves the selection of the list in front.
pub(super) fn step(model: &mut Model, rows: isize) {
    let lab = &mut model.lab;
    let branches = lab.track().map_or(0, |track| track.branches().len());
    let moved = |at: usize, count: usize| at.saturating_add_signed(rows).min(count.saturating_sub(1));
    match &mut lab.panel {
        Panel::Settings { line } => {
            let line = *line;
            lab.panel = Panel::Settings { line: neighbour(lab, line, rows) };
        }
        Panel::Presets { selected } => *selected = moved(*selected, PRESETS.len()),
        Panel::Branches { selected } => *selected = moved(*selected, branches),
        Panel::Find { selected, found, .. } => *selected = moved(*selected, found.len()),
        Panel::None | Panel::Prompt(_) | Panel::Field(..) if lab.expecting => {
            let places = lab.view.as_ref().and_then(|view| view.expected.as_ref()).map_or(0, |all| all.len());
            lab.place = moved(lab.place, places);
        }
        Panel::None | Panel::Prompt(_) | Panel::Field(..) => {
            let candidates = lab.candidates();
            lab.candidate = candidates.get(moved(lab.row(), candidates.len())).copied();
        }
    }
}

fn neighbour(lab: &Lab, line: Line, rows: isize) -> Line {
    let lines = sheet(lab).lines();
    let at = lines.iter().position(|other| *other == line).unwrap_or(0);
    lines[at.saturating_add_signed(rows).min(lines.len() - 1)]
}

/// A line of the settings that was clicked.
pub(super) fn choose_line(lab: &mut Lab, at: usize) {
    if let Some(line) = sheet(lab).lines().get(at) {
        lab.panel = Panel::Settings { line: *line };
    }
}

/// The chosen lane's settings.
fn sheet(lab: &Lab) -> Sheet {
    Sheet::new(lab.track().map(|track| Recipe::from(track.settings())).unwrap_or_default())
}

/// Puts the selected candidate in the place of the drawn one.
fn force(lab: &mut Lab) -> Vec<Effect> {
    let selected = lab.candidates().get(lab.row()).copied();
    selected.map_or_else(Vec::new, |token| put(lab, token))
}

/// Puts any token in the place of the drawn one.
pub(super) fn put(lab: &mut Lab, token: u32) -> Vec<Effect> {
    lab.playing = false;
    let lane = lab.lane();
    ask(lab, Request::Force { lane, token })
}

/// Takes the selected line of the open list.
pub(super) fn take(lab: &mut Lab) -> Vec<Effect> {
    let lane = lab.lane();
    match std::mem::take(&mut lab.panel) {
        Panel::Presets { selected } => {
            (lab.wanted, lab.playing) = (0, false);
            again(lab, Request::Preset(selected))
        }
        Panel::Branches { selected } => {
            lab.playing = false;
            ask(lab, Request::Enter { lane, branch: selected })
        }
        _ => Vec::new(),
    }
}

/// Begins again, and goes on to where the reader was: the same place is compared.
fn again(lab: &mut Lab, request: Request) -> Vec<Effect> {
    let steps = lab.cursor();
    let effects = ask(lab, request);
    lab.after = Some((lab.asked, Request::Step(if steps == 0 { FIRST } else { steps })));
    effects
}

/// The same run under another seed.
pub(super) fn reseed(lab: &mut Lab, seed: u64) -> Vec<Effect> {
    lab.playing = false;
    again(lab, Request::Seed(seed))
}

/// Another prompt; its first token is drawn at once.
pub(super) fn write(lab: &mut Lab, prompt: Text) -> Vec<Effect> {
    lab.playing = false;
    (lab.begun, lab.place) = (true, 0);
    let effects = ask(lab, Request::Prompt(prompt.as_str().to_owned()));
    lab.sent = Some((lab.asked, prompt));
    lab.after = Some((lab.asked, Request::Step(1)));
    effects
}

fn leave(lab: &mut Lab) {
    match std::mem::take(&mut lab.panel) {
        Panel::None => lab.expecting = false,
        Panel::Field(Field::Value(line), _) => lab.panel = Panel::Settings { line },
        _ => {}
    }
}

/// Opens a panel; the same key closes it.
fn open(lab: &mut Lab, action: LabAction) {
    lab.panel = match (action, &lab.panel) {
        (LabAction::Settings, Panel::Settings { .. })
        | (LabAction::Presets, Panel::Presets { .. })
        | (LabAction::Branches, Panel::Branches { .. }) => Panel::None,
        (LabAction::Settings, _) => {
            let sheet = sheet(lab);
            let lines = sheet.lines();
            // On the first stage that does something.
            let on = lines.iter().find(|line| line.kind().is_some() && sheet.is_on(**line));
            Panel::Settings { line: on.copied().unwrap_or(Line::Temperature) }
        }
        (LabAction::Presets, _) => Panel::Presets { selected: 0 },
        _ => Panel::Branches { selected: 0 },
    };
}

/// Changes the selected line of the settings; the step that is looked at is shown again under them.
fn set(lab: &mut Lab, action: LabAction) -> Vec<Effect> {
    let Panel::Settings { line } = lab.panel else { return Vec::new() };
    let sheet = sheet(lab);
    let recipe = match action {
        LabAction::More => sheet.changed(line, 1),
        LabAction::Less => sheet.changed(line, -1),
        LabAction::Earlier => sheet.moved(line, -1),
        LabAction::Later => sheet.moved(line, 1),
        _ => sheet.toggled(line),
    };
    ask_for(lab, recipe)
}

fn ask_for(lab: &mut Lab, recipe: Recipe) -> Vec<Effect> {
    let lane = lab.lane();
    if lab.track().is_some_and(|track| Recipe::from(track.settings()) == recipe) {
        return Vec::new();
    }
    ask(lab, Request::Set { lane, recipe })
}

/// A typed value; what cannot be read is said.
pub(super) fn set_value(model: &mut Model, line: Line, text: &str) -> Vec<Effect> {
    model.lab.panel = Panel::Settings { line };
    match sheet(&model.lab).typed(line, text) {
        Ok(recipe) => ask_for(&mut model.lab, recipe),
        Err(why) => {
            notice(model, Level::Info, why);
            Vec::new()
        }
    }
}

fn next_lane(lab: &mut Lab, by: isize) {
    let count = lab.view.as_ref().map_or(1, |view| view.tracks.len().max(1)) as isize;
    lab.wanted = (lab.lane() as isize + by).rem_euclid(count) as usize;
    lab.candidate = None;
    if let Panel::Branches { selected } = &mut lab.panel {
        *selected = 0;
    }
}

/// The copy stands beside the lane and is the chosen one: it is the one that will be changed.
fn copy(model: &mut Model) -> Vec<Effect> {
    let lab = &mut model.lab;
    if lab.view.as_ref().is_some_and(|view| view.tracks.len() >= MOST) {
        notice(model, Level::Info, format!("there are {MOST} lanes already; x closes one"));
        return Vec::new();
    }
    let lane = lab.lane();
    lab.wanted = lane + 1;
    ask(lab, Request::Copy(lane))
}

fn begin_typing(lab: &mut Lab, action: LabAction) {
    let view = lab.view.as_ref();
    lab.panel = match (action, &lab.panel) {
        (LabAction::Type, Panel::Settings { line }) => {
            Panel::Field(Field::Value(*line), Text::new(&sheet(lab).value(*line)))
        }
        (LabAction::Seed, _) => {
            Panel::Field(Field::Seed, Text::new(&view.map_or(String::new(), |view| view.seed.to_string())))
        }
        (LabAction::Export, _) => Panel::Field(Field::Export, Text::new("lab.json")),
        (LabAction::Prompt, _) => Panel::Prompt(Text::new(view.map_or("", |view| &view.prompt))),
        _ => Panel::Find { query: Text::default(), found: Vec::new(), selected: 0 },
    };
}
