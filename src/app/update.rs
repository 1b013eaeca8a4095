//! From one state to the next.

mod lab;
mod lab_typing;
mod mouse;
mod panels;
mod runs;
mod typing;

use super::commands::{self, Action};
use super::event::{Effect, Event, Layout, Level, Warm};
use super::key::{Code, Key};
use super::model::{Focus, Model, Place, Row, Tab};
use super::overlay::{Overlay, Question};
use super::replay;
use crate::runner::text::run_text;
use crate::store::Progress;
use std::collections::HashMap;

/// Takes an event in.
pub fn update(model: &mut Model, event: Event) -> Vec<Effect> {
    match event {
        Event::Key(key) => return pressed(model, key),
        Event::Paste(text) if model.overlay.is_none() && model.place == Place::Lab => {
            lab_typing::pasted(&mut model.lab, &text);
        }
        Event::Paste(text) => typing::pasted(model, &text),
        Event::Click(x, y) => return mouse::clicked(model, x, y),
        Event::Wheel(x, y, rows) => mouse::turned(model, x, y, rows),
        Event::Drawn(layout) => drawn(model, layout),
        Event::Tick(seconds) => {
            if let Some(running) = &mut model.running {
                running.seconds = seconds;
            }
        }
        Event::WarmTick(seconds) => model.warm_seconds = seconds,
        Event::Loaded(progress) => loaded(model, progress),
        Event::Warm(warm) => {
            if let Warm::Failed(why) = &warm {
                notice(model, Level::Error, format!("the judge cannot be built: {why}"));
            }
            model.warm = warm;
        }
        Event::Run(generation, event) if generation == model.generation => runs::ran(model, event),
        // An answer to a question that is no longer asked.
        Event::Run(..) => {}
        Event::Saved(slug) => return runs::saved(model, &slug),
        Event::Polling(why) => {
            let text = format!(
                "the system reports no changes in the practice folder ({why}): it is looked at now and then; r always works"
            );
            notice(model, Level::Warning, text);
        }
        Event::Versions(of, list) => {
            if let Some(Overlay::Picker { slug, versions, .. }) = &mut model.overlay
                && *slug == of
            {
                *versions = Some(list);
            }
        }
        Event::Source(slug, text) => {
            model.sources.insert(slug, text);
            changed(model);
        }
        Event::WasReset(slug, version) => {
            model.runs.remove(&slug);
            model.sources.remove(&slug);
            let text = format!("{slug} is the skeleton again; your text is kept as version {version} (i shows it)");
            notice(model, Level::Info, text);
            changed(model);
        }
        Event::Lab(answer) => return lab::answered(model, answer),
        Event::Guest(lane, ready) => return lab::guest_came(model, lane, ready),
        Event::Play => return lab::play(model),
        Event::Notice(level, text) => notice(model, level, text),
    }
    Vec::new()
}

/// What the detail shows may be another thing now.
fn changed(model: &mut Model) {
    model.revision += 1;
}

/// Something to tell; once is enough.
fn notice(model: &mut Model, level: Level, text: String) {
    model.notices.retain(|(_, told)| *told != text);
    model.notices.push((level, text));
}

/// The history as the store has it. What this session has shown already and the store has not written yet stays.
fn loaded(model: &mut Model, progress: HashMap<String, Progress>) {
    let before = std::mem::replace(&mut model.progress, progress);
    for (slug, old) in before {
        let now = model.progress.entry(slug).or_default();
        now.hints = now.hints.max(old.hints);
    }
    model.loaded = true;
    changed(model);
}

fn drawn(model: &mut Model, layout: Layout) {
    let most = layout.detail_rows.saturating_sub(layout.detail[3].into());
    model.scroll = model.scroll.min(most);
    if let Some(Overlay::Help { scroll }) = &mut model.overlay {
        *scroll = (*scroll).min(layout.panel_rows.saturating_sub(layout.panel[3].into()));
    }
    model.layout = layout;
}

fn pressed(model: &mut Model, key: Key) -> Vec<Effect> {
    match key {
        Key { code: Code::Char('c'), ctrl: true } => quit(),
        Key { code: Code::Char('z'), ctrl: true } => vec![Effect::Suspend],
        _ if model.overlay.is_some() => panels::pressed(model, key),
        _ if model.place == Place::Lab && model.lab.panel.takes_text() => lab_typing::pressed(model, key),
        _ if model.searching => {
            typing::in_search(model, key);
            Vec::new()
        }
        _ => match commands::resolve(model, key) {
            Some(command) => {
                // What was only good to know has been seen by now; errors and warnings wait for their dismissal.
                model.notices.retain(|(level, _)| *level != Level::Info);
                act(model, command.action)
            }
            None => Vec::new(),
        },
    }
}

fn to_pack(model: &mut Model) {
    model.place = Place::Pack;
    model.lab.playing = false;
}

fn quit() -> Vec<Effect> {
    vec![Effect::Cancel, Effect::Quit]
}

/// Carries a command out.
fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let page = (isize::try_from(model.layout.detail[3]).unwrap_or(0) / 2).max(1);
    match action {
        Action::Up => step(model, -1),
        Action::Down => step(model, 1),
        Action::PageUp => step(model, -page),
        Action::PageDown => step(model, page),
        Action::Top => step(model, isize::MIN / 2),
        Action::Bottom => step(model, isize::MAX / 2),
        Action::Open => model.focus = Focus::Detail,
        Action::Back => model.focus = Focus::List,
        Action::SwitchFocus => {
            model.focus = if model.focus == Focus::List { Focus::Detail } else { Focus::List };
        }
        Action::NextTab => return turn_to(model, neighbour(model, 1)),
        Action::PreviousTab => return turn_to(model, neighbour(model, -1)),
        Action::ShowStatement => return turn_to(model, Tab::Statement),
        Action::ShowVerdict => return turn_to(model, Tab::Verdict),
        Action::ShowHints => return turn_to(model, Tab::Hints),
        Action::ShowSolution | Action::Solution => return turn_to(model, Tab::Solution),
        Action::ShowQuestions => return turn_to(model, Tab::Questions),
        Action::Edit => return vec![Effect::Edit { slug: model.slug().to_owned(), line: model.error_line() }],
        Action::Run => return runs::start(model, model.implementation(), None),
        Action::RunCase => return runs::start_case(model),
        Action::NextCase => choose_case(model, 1),
        Action::PreviousCase => choose_case(model, -1),
        Action::Cancel => return runs::cancel(model),
        Action::CopyCase => return copy(model, model.selected_case().map(replay::snippet), "the inputs of the case"),
        Action::CopyVerdict => {
            return copy(model, model.judged().map(|judged| run_text(&judged.run)), "the verdict");
        }
        Action::Hint => return hint(model),
        Action::Answer => answer(model),
        Action::Pick => {
            let slug = model.slug();
            model.overlay = Some(Overlay::Picker { slug, versions: None, selected: 0, path: None, lane: None });
            return vec![Effect::LoadVersions(slug.to_owned())];
        }
        Action::Reset => ask(model, Question::Reset),
        Action::Search => {
            model.searching = true;
            model.focus = Focus::List;
        }
        Action::ClearSearch => model.search.clear(),
        Action::Lab(action) => return lab::act(model, action),
        Action::EnterLab => return lab::enter(model),
        Action::EnterPack => to_pack(model),
        Action::Palette => model.overlay = Some(Overlay::Palette { query: String::new(), selected: 0 }),
        Action::Dismiss => drop(model.notices.pop()),
        Action::Help => model.overlay = Some(Overlay::Help { scroll: 0 }),
        Action::Suspend => return vec![Effect::Suspend],
        Action::Quit => return quit(),
    }
    Vec::new()
}

fn ask(model: &mut Model, question: Question) {
    model.overlay = Some(Overlay::Confirm { slug: model.slug(), question });
}

fn neighbour(model: &Model, by: isize) -> Tab {
    let tabs = model.tabs();
    let at = tabs.iter().position(|tab| *tab == model.tab).unwrap_or(0) as isize;
    tabs[(at + by).rem_euclid(tabs.len() as isize) as usize]
}

/// Shows a part of the selected problem. The solution is asked for first while the problem is not accepted.
fn turn_to(model: &mut Model, tab: Tab) -> Vec<Effect> {
    if tab == Tab::Solution && !model.may_see_solution() {
        ask(model, Question::Solution);
        return Vec::new();
    }
    show(model, tab);
    in_sight(model);
    if tab == Tab::Solution { vec![Effect::LoadSource(model.slug().to_owned())] } else { Vec::new() }
}

fn show(model: &mut Model, tab: Tab) {
    model.tab = tab;
    model.scroll = 0;
    changed(model);
}

/// What was asked for has to be seen: where the list hides the detail, the detail comes forward.
fn in_sight(model: &mut Model) {
    if !model.sees_both() {
        model.focus = Focus::Detail;
    }
}

/// Moves the selection or the text.
fn step(model: &mut Model, rows: isize) {
    if model.focus == Focus::Detail {
        let most = model.layout.detail_rows.saturating_sub(model.layout.detail[3].into());
        model.scroll = model.scroll.saturating_add_signed(rows).min(most);
        return;
    }
    let shown = shown(model);
    let Some(last) = shown.len().checked_sub(1) else { return };
    let at = shown.iter().position(|index| *index == model.selected).unwrap_or(0);
    select(model, shown[at.saturating_add_signed(rows).min(last)]);
}

/// The problems that the list shows.
fn shown(model: &Model) -> Vec<usize> {
    let problem = |row| match row {
        Row::Problem(index) => Some(index),
        Row::Topic(..) | Row::Gap => None,
    };
    model.rows().into_iter().filter_map(problem).collect()
}

fn select(model: &mut Model, index: usize) {
    if index == model.selected || index >= model.problems.len() {
        return;
    }
    model.selected = index;
    model.case = model.judged().map_or(0, |judged| Model::telling_case(&judged.run));
    // A question about one problem is never answered for another.
    let elsewhere = model.overlay.as_ref().and_then(Overlay::slug).is_some_and(|slug| slug != model.slug());
    if elsewhere {
        model.overlay = None;
    }
    // Another problem begins with its statement; a verdict that is there is one key away.
    show(model, Tab::Statement);
}

fn select_slug(model: &mut Model, slug: &str) {
    if let Some(index) = model.problems.iter().position(|problem| problem.slug == slug) {
        select(model, index);
        if model.selected_row().is_none() {
            model.search.clear();
        }
    }
}

fn choose_case(model: &mut Model, by: isize) {
    let count = model.judged().map_or(0, |judged| judged.run.report.cases.len()) as isize;
    if count > 0 {
        model.case = (model.case as isize + by).rem_euclid(count) as usize;
        model.scroll = 0;
        changed(model);
    }
}

fn copy(model: &mut Model, text: Option<String>, what: &str) -> Vec<Effect> {
    let Some(text) = text else { return Vec::new() };
    notice(model, Level::Info, format!("{what} went to the clipboard, if your terminal lets programs write to it"));
    vec![Effect::Copy(text)]
}

fn hint(model: &mut Model) -> Vec<Effect> {
    let slug = model.slug().to_owned();
    let number = (model.hints_shown() + 1).min(model.problem().hints);
    let progress = model.progress.entry(slug.clone()).or_default();
    progress.hints = progress.hints.max(number);
    show(model, Tab::Hints);
    in_sight(model);
    vec![Effect::HintShown(slug, number)]
}

fn answer(model: &mut Model) {
    let shown = (model.answers_shown() + 1).min(model.problem().questions);
    model.answers.insert(model.slug().to_owned(), shown);
    changed(model);
}
