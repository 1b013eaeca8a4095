//! From one state to the next.

use super::commands::{self, Action};
use super::event::{Effect, Event, Layout, Level, RunEvent, Warm};
use super::key::{Code, Key};
use super::model::{Focus, Model, Row, Running, Stage, Tab};
use super::overlay::{self, Found, Overlay, Question};
use crate::runner::verdict::{Implementation, Run, Verdict};
use std::path::PathBuf;

/// Takes an event in.
pub fn update(model: &mut Model, event: Event) -> Vec<Effect> {
    match event {
        Event::Key(key) => pressed(model, key),
        Event::Paste(text) => typed(model, &text),
        Event::Click(x, y) => clicked(model, x, y),
        Event::Wheel(x, y, rows) => turned(model, x, y, rows),
        Event::Drawn(layout) => {
            drawn(model, layout);
            Vec::new()
        }
        Event::Tick(seconds) => {
            if let Some(running) = &mut model.running {
                running.seconds = seconds;
            }
            Vec::new()
        }
        Event::Loaded(progress) => {
            model.progress = progress;
            model.loaded = true;
            changed(model);
            Vec::new()
        }
        Event::Warm(warm) => {
            if let Warm::Failed(why) = &warm {
                notice(model, Level::Error, format!("the judge cannot be built: {why}"));
            }
            model.warm = warm;
            Vec::new()
        }
        Event::Run(generation, event) if generation == model.generation => ran(model, event),
        // An answer to a question that is no longer asked.
        Event::Run(..) => Vec::new(),
        Event::Saved(slug) => saved(model, &slug),
        Event::Polling(why) => {
            let text = format!(
                "the system reports no changes in the practice folder ({why}): it is looked at now and then; r always works"
            );
            notice(model, Level::Warning, text);
            Vec::new()
        }
        Event::Versions(slug, list) => {
            if let (true, Some(Overlay::Picker { versions, .. })) = (slug == model.slug(), &mut model.overlay) {
                *versions = Some(list);
            }
            Vec::new()
        }
        Event::Source(slug, text) => {
            model.sources.insert(slug, text);
            changed(model);
            Vec::new()
        }
        Event::WasReset(slug, version) => {
            model.runs.remove(&slug);
            model.sources.remove(&slug);
            notice(
                model,
                Level::Info,
                format!("{slug} is the skeleton again; your text is version {version}: i brings it back"),
            );
            changed(model);
            Vec::new()
        }
        Event::Notice(level, text) => {
            notice(model, level, text);
            Vec::new()
        }
    }
}

/// What the detail shows may be another thing now.
fn changed(model: &mut Model) {
    model.revision += 1;
}

fn notice(model: &mut Model, level: Level, text: String) {
    if model.notices.last().is_none_or(|(_, last)| *last != text) {
        model.notices.push((level, text));
    }
}

fn drawn(model: &mut Model, layout: Layout) {
    let most = layout.detail_rows.saturating_sub(layout.detail[3].into());
    model.scroll = model.scroll.min(most);
    model.layout = layout;
}

fn pressed(model: &mut Model, key: Key) -> Vec<Effect> {
    if key == (Key { code: Code::Char('c'), ctrl: true }) {
        return quit();
    }
    if key == (Key { code: Code::Char('z'), ctrl: true }) {
        return vec![Effect::Suspend];
    }
    if model.overlay.is_some() {
        return in_overlay(model, key);
    }
    if model.searching {
        return in_search(model, key);
    }
    match commands::resolve(model, key) {
        Some(command) => act(model, command.action),
        None => Vec::new(),
    }
}

fn quit() -> Vec<Effect> {
    vec![Effect::Cancel, Effect::Quit]
}

fn typed(model: &mut Model, text: &str) -> Vec<Effect> {
    let line: String = text.chars().filter(|c| !c.is_control()).collect();
    for c in line.chars() {
        let key = Key::plain(Code::Char(c));
        if model.searching
            || matches!(model.overlay, Some(Overlay::Palette { .. } | Overlay::Picker { path: Some(_), .. }))
        {
            pressed(model, key);
        }
    }
    Vec::new()
}

fn in_search(model: &mut Model, key: Key) -> Vec<Effect> {
    match key.code {
        Code::Enter => model.searching = false,
        Code::Esc => {
            model.searching = false;
            model.search.clear();
        }
        Code::Backspace => drop(model.search.pop()),
        Code::Up => step(model, -1),
        Code::Down => step(model, 1),
        _ => model.search.extend(key.typed()),
    }
    // The selection stays on something that is seen.
    if model.selected_row().is_none() {
        let first = model.rows().into_iter().find_map(|row| match row {
            Row::Problem(index) => Some(index),
            Row::Topic(..) | Row::Gap => None,
        });
        first.into_iter().for_each(|index| select(model, index));
    }
    Vec::new()
}

/// Carries a command out.
pub fn act(model: &mut Model, action: Action) -> Vec<Effect> {
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
        Action::NextTab => return turn_to(model, next_tab(model.tab, 1)),
        Action::PreviousTab => return turn_to(model, next_tab(model.tab, Tab::ALL.len() - 1)),
        Action::ShowStatement => return turn_to(model, Tab::Statement),
        Action::ShowVerdict => return turn_to(model, Tab::Verdict),
        Action::ShowHints => return turn_to(model, Tab::Hints),
        Action::ShowSolution => return turn_to(model, Tab::Solution),
        Action::Edit => return vec![Effect::Edit { slug: model.slug().to_owned(), line: model.error_line() }],
        Action::Run => return start(model, None),
        Action::RunCase => {
            let name = model.run().and_then(|run| run.report.cases.get(model.case)).map(|case| case.name.clone());
            return start(model, name);
        }
        Action::NextCase => choose_case(model, 1),
        Action::PreviousCase => choose_case(model, -1),
        Action::Cancel => {
            model.running = None;
            model.generation += 1;
            changed(model);
            return vec![Effect::Cancel];
        }
        Action::Hint => return hint(model),
        Action::Solution => return solution(model),
        Action::Pick => {
            model.overlay = Some(Overlay::Picker { versions: None, selected: 0, path: None });
            return vec![Effect::LoadVersions(model.slug().to_owned())];
        }
        Action::Reset => model.overlay = Some(Overlay::Confirm(Question::Reset)),
        Action::Search => {
            model.searching = true;
            model.focus = Focus::List;
        }
        Action::Palette => model.overlay = Some(Overlay::Palette { query: String::new(), selected: 0 }),
        Action::Dismiss => {
            model.notices.pop();
        }
        Action::Help => model.overlay = Some(Overlay::Help { scroll: 0 }),
        Action::Suspend => return vec![Effect::Suspend],
        Action::Quit => return quit(),
    }
    Vec::new()
}

fn next_tab(tab: Tab, by: usize) -> Tab {
    let at = Tab::ALL.iter().position(|other| *other == tab).unwrap_or(0);
    Tab::ALL[(at + by) % Tab::ALL.len()]
}

/// Shows a part of the selected problem. The solution is asked for first while the problem is not accepted.
fn turn_to(model: &mut Model, tab: Tab) -> Vec<Effect> {
    if tab == Tab::Solution && !model.may_see_solution() {
        return solution(model);
    }
    show(model, tab);
    if tab == Tab::Solution { vec![Effect::LoadSource(model.slug().to_owned())] } else { Vec::new() }
}

fn show(model: &mut Model, tab: Tab) {
    model.tab = tab;
    model.scroll = 0;
    changed(model);
}

/// Moves the selection or the text.
fn step(model: &mut Model, rows: isize) {
    if model.focus == Focus::Detail {
        let most = model.layout.detail_rows.saturating_sub(model.layout.detail[3].into());
        model.scroll = model.scroll.saturating_add_signed(rows).min(most);
        return;
    }
    let shown: Vec<usize> = model
        .rows()
        .into_iter()
        .filter_map(|row| match row {
            Row::Problem(index) => Some(index),
            Row::Topic(..) | Row::Gap => None,
        })
        .collect();
    let Some(last) = shown.len().checked_sub(1) else { return };
    let at = shown.iter().position(|index| *index == model.selected).unwrap_or(0);
    select(model, shown[at.saturating_add_signed(rows).min(last)]);
}

fn select(model: &mut Model, index: usize) {
    if index != model.selected && index < model.problems.len() {
        model.selected = index;
        model.case = model.run().map_or(0, Model::telling_case);
        // Another problem begins with its statement; a verdict that is there is one key away.
        show(model, Tab::Statement);
    }
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
    let count = model.run().map_or(0, |run| run.report.cases.len()) as isize;
    if count > 0 {
        model.case = (model.case as isize + by).rem_euclid(count) as usize;
        changed(model);
    }
}

fn start(model: &mut Model, only: Option<String>) -> Vec<Effect> {
    let (slug, implementation) = (model.slug().to_owned(), model.implementation());
    begin(model, &slug);
    show(model, Tab::Verdict);
    let generation = model.generation;
    match implementation {
        Implementation::Saved { id, .. } => vec![Effect::RunSaved { generation, slug, id }],
        implementation => vec![Effect::Run { generation, slug, implementation, only }],
    }
}

fn begin(model: &mut Model, slug: &str) {
    model.generation += 1;
    model.running = Some(Running {
        slug: slug.to_owned(),
        stage: Stage::Building(String::new()),
        seconds: 0.0,
        planned: Vec::new(),
        done: Vec::new(),
    });
    changed(model);
}

/// A save counts at once: what runs is cancelled, and the newest text is judged.
fn saved(model: &mut Model, slug: &str) -> Vec<Effect> {
    select_slug(model, slug);
    if model.slug() != slug {
        return Vec::new();
    }
    model.chosen.remove(slug);
    model.sources.remove(slug);
    start(model, None)
}

fn ran(model: &mut Model, event: RunEvent) -> Vec<Effect> {
    let Some(running) = &mut model.running else { return Vec::new() };
    match event {
        RunEvent::Waiting => running.stage = Stage::Waiting,
        RunEvent::Building(line) => running.stage = Stage::Building(line),
        RunEvent::Built => running.stage = Stage::Judging,
        RunEvent::Planned(cases, _) => {
            running.stage = Stage::Judging;
            running.planned = cases;
        }
        RunEvent::CaseDone(case) => running.done.push(case.result.passed()),
        RunEvent::Diagnosing => running.stage = Stage::Diagnosing,
        RunEvent::Failed(why) => {
            model.running = None;
            notice(model, Level::Error, why);
        }
        RunEvent::Done(run) => return finished(model, *run),
    }
    changed(model);
    Vec::new()
}

fn finished(model: &mut Model, run: Run) -> Vec<Effect> {
    model.running = None;
    if run.verdict != Verdict::Cancelled {
        let slug = run.problem.clone();
        // A build that succeeded is all the warming there is.
        if run.verdict != Verdict::DoesNotCompile && model.warm != Warm::Ready {
            model.warm = Warm::Ready;
        }
        model.runs.insert(slug.clone(), run);
        if slug == model.slug() {
            model.case = model.run().map_or(0, Model::telling_case);
            if model.tab == Tab::Verdict {
                model.scroll = 0;
            }
        }
    }
    changed(model);
    Vec::new()
}

fn hint(model: &mut Model) -> Vec<Effect> {
    let slug = model.slug().to_owned();
    let number = (model.hints_shown() + 1).min(model.problem().hints);
    let progress = model.progress.entry(slug.clone()).or_default();
    progress.hints = progress.hints.max(number);
    show(model, Tab::Hints);
    vec![Effect::HintShown(slug, number)]
}

fn solution(model: &mut Model) -> Vec<Effect> {
    if model.may_see_solution() {
        return turn_to(model, Tab::Solution);
    }
    model.overlay = Some(Overlay::Confirm(Question::Solution));
    Vec::new()
}

fn in_overlay(model: &mut Model, key: Key) -> Vec<Effect> {
    match model.overlay.take() {
        None => Vec::new(),
        Some(Overlay::Help { scroll }) => {
            let scroll = match key.code {
                Code::Up | Code::Char('k') => Some(scroll.saturating_sub(1)),
                Code::Down | Code::Char('j') => Some(scroll + 1),
                Code::PageUp => Some(scroll.saturating_sub(10)),
                Code::PageDown | Code::Char(' ') => Some(scroll + 10),
                _ => None,
            };
            let most = commands::ALL.len() + 8;
            model.overlay = scroll.map(|scroll| Overlay::Help { scroll: scroll.min(most) });
            Vec::new()
        }
        Some(Overlay::Confirm(question)) => confirmed(model, question, key),
        Some(Overlay::Palette { query, selected }) => in_palette(model, query, selected, key),
        Some(Overlay::Picker { versions, selected, path: Some(path) }) => in_path(model, versions, selected, path, key),
        Some(Overlay::Picker { versions, selected, path: None }) => {
            let choices = overlay::choices(model, versions.as_deref());
            let last = choices.len() - 1;
            let selected = match key.code {
                Code::Up | Code::Char('k') => selected.saturating_sub(1),
                Code::Down | Code::Char('j') => (selected + 1).min(last),
                Code::PageUp => selected.saturating_sub(10),
                Code::PageDown => (selected + 10).min(last),
                Code::Home => 0,
                Code::End => last,
                Code::Enter => {
                    return match choices.into_iter().nth(selected).and_then(|(_, _, implementation)| implementation) {
                        Some(implementation) => picked(model, implementation),
                        None => {
                            model.overlay = Some(Overlay::Picker { versions, selected, path: Some(String::new()) });
                            Vec::new()
                        }
                    };
                }
                Code::Esc | Code::Char('q' | 'i') => return Vec::new(),
                _ => selected,
            };
            model.overlay = Some(Overlay::Picker { versions, selected, path: None });
            Vec::new()
        }
    }
}

/// Judges the picked implementation at once; the reader's own becomes the rule again by picking it, or by saving.
fn picked(model: &mut Model, implementation: Implementation) -> Vec<Effect> {
    let slug = model.slug().to_owned();
    match implementation {
        Implementation::Own => drop(model.chosen.remove(&slug)),
        other => drop(model.chosen.insert(slug, other)),
    }
    start(model, None)
}

fn in_path(
    model: &mut Model,
    versions: Option<Vec<crate::store::Version>>,
    selected: usize,
    mut path: String,
    key: Key,
) -> Vec<Effect> {
    match key.code {
        Code::Esc => {
            model.overlay = Some(Overlay::Picker { versions, selected, path: None });
            return Vec::new();
        }
        Code::Enter if !path.trim().is_empty() => {
            return picked(model, Implementation::File(PathBuf::from(path.trim())));
        }
        Code::Backspace => drop(path.pop()),
        _ => path.extend(key.typed()),
    }
    model.overlay = Some(Overlay::Picker { versions, selected, path: Some(path) });
    Vec::new()
}

fn confirmed(model: &mut Model, question: Question, key: Key) -> Vec<Effect> {
    let slug = model.slug().to_owned();
    match (key.code, question) {
        (Code::Char('y') | Code::Enter, Question::Solution) => {
            model.revealed.insert(slug.clone());
            show(model, Tab::Solution);
            vec![Effect::SolutionShown(slug.clone()), Effect::LoadSource(slug)]
        }
        (Code::Char('y') | Code::Enter, Question::Reset) => vec![Effect::Reset(slug)],
        (Code::Esc | Code::Char('n' | 'q'), _) => Vec::new(),
        _ => {
            model.overlay = Some(Overlay::Confirm(question));
            Vec::new()
        }
    }
}

fn in_palette(model: &mut Model, mut query: String, selected: usize, key: Key) -> Vec<Effect> {
    let found = overlay::palette(model, &query);
    let last = found.len().saturating_sub(1);
    let mut next = selected.min(last);
    match key.code {
        Code::Esc => return Vec::new(),
        Code::Enter => {
            return match found.get(next) {
                Some(Found::Command(command)) => act(model, command.action),
                Some(Found::Problem(index)) => {
                    let slug = model.problems[*index].slug;
                    select_slug(model, slug);
                    Vec::new()
                }
                None => Vec::new(),
            };
        }
        Code::Up => next = next.saturating_sub(1),
        Code::Down => next = (next + 1).min(last),
        Code::Backspace => drop(query.pop()),
        _ => {
            if let Some(c) = key.typed() {
                query.push(c);
                next = 0;
            }
        }
    }
    model.overlay = Some(Overlay::Palette { query, selected: next });
    Vec::new()
}

fn inside([x, y, width, height]: [u16; 4], column: u16, row: u16) -> bool {
    (x..x.saturating_add(width)).contains(&column) && (y..y.saturating_add(height)).contains(&row)
}

fn clicked(model: &mut Model, column: u16, row: u16) -> Vec<Effect> {
    if model.overlay.is_some() {
        return Vec::new();
    }
    let tab = model.layout.tabs.iter().position(|[x, y, width]| row == *y && (*x..*x + *width).contains(&column));
    if let Some(tab) = tab.and_then(|at| Tab::ALL.get(at)) {
        return turn_to(model, *tab);
    }
    if inside(model.layout.list, column, row) {
        let at = model.layout.list_offset + usize::from(row - model.layout.list[1]);
        if let Some(Row::Problem(index)) = model.rows().get(at) {
            // A second click on the selected problem opens it.
            if *index == model.selected && !model.layout.wide {
                model.focus = Focus::Detail;
                return Vec::new();
            }
            select(model, *index);
        }
        model.focus = Focus::List;
    } else if inside(model.layout.detail, column, row) {
        model.focus = Focus::Detail;
    }
    Vec::new()
}

fn turned(model: &mut Model, column: u16, row: u16, rows: isize) -> Vec<Effect> {
    if model.overlay.is_some() {
        let code = if rows < 0 { Code::Up } else { Code::Down };
        return in_overlay(model, Key::plain(code));
    }
    let before = model.focus;
    model.focus = if inside(model.layout.list, column, row) { Focus::List } else { Focus::Detail };
    step(model, if model.focus == Focus::List { rows.signum() } else { rows });
    model.focus = before;
    Vec::new()
}
