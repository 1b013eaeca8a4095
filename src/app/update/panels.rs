//! Keys while something lies over the screen.

use super::{act, lab, runs, select_slug, show, typing};
use crate::app::event::Effect;
use crate::app::key::{Code, Key};
use crate::app::model::{Model, Tab};
use crate::app::overlay::{self, Found, Overlay, Question};
use crate::runner::verdict::Implementation;
use crate::store::Version;
use std::path::PathBuf;

/// Rows of a page in a panel.
const PAGE: usize = 10;

pub(super) fn pressed(model: &mut Model, key: Key) -> Vec<Effect> {
    match model.overlay.take() {
        None => Vec::new(),
        Some(Overlay::Help { scroll }) => {
            model.overlay = in_help(scroll, key);
            Vec::new()
        }
        Some(Overlay::Confirm { slug, question }) => in_question(model, slug, question, key),
        Some(Overlay::Palette { query, selected }) => in_palette(model, query, selected, key),
        Some(Overlay::Picker { slug, versions, selected, path, lane }) => {
            let picker = Picker { slug, versions, selected, lane };
            match path {
                Some(path) => in_path(model, picker, path, key),
                None => in_picker(model, picker, key),
            }
        }
    }
}

/// Chooses a line of the panel, as a click does.
pub(super) fn choose(model: &mut Model, at: usize) -> Vec<Effect> {
    match &mut model.overlay {
        Some(Overlay::Palette { selected, .. } | Overlay::Picker { selected, path: None, .. }) => *selected = at,
        _ => return Vec::new(),
    }
    pressed(model, Key::plain(Code::Enter))
}

/// The frame holds the scroll to what there is.
fn in_help(scroll: usize, key: Key) -> Option<Overlay> {
    let scroll = match key.code {
        Code::Up | Code::Char('k') => scroll.saturating_sub(1),
        Code::Down | Code::Char('j') => scroll + 1,
        Code::PageUp => scroll.saturating_sub(PAGE),
        Code::PageDown | Code::Char(' ') => scroll + PAGE,
        Code::Home | Code::Char('g') => 0,
        Code::End | Code::Char('G') => usize::MAX / 2,
        _ => return None,
    };
    Some(Overlay::Help { scroll })
}

fn in_question(model: &mut Model, slug: &'static str, question: Question, key: Key) -> Vec<Effect> {
    match (key.code, question) {
        (Code::Char('y' | 'Y'), Question::Solution) => {
            model.revealed.insert(slug.to_owned());
            show(model, Tab::Solution);
            super::in_sight(model);
            vec![Effect::SolutionShown(slug.to_owned()), Effect::LoadSource(slug.to_owned())]
        }
        (Code::Char('y' | 'Y'), Question::Reset) => vec![Effect::Reset(slug.to_owned())],
        (Code::Esc | Code::Char('n' | 'N' | 'q'), _) => Vec::new(),
        _ => {
            model.overlay = Some(Overlay::Confirm { slug, question });
            Vec::new()
        }
    }
}

/// Where the selection of a list goes, if the key moves it. Letters do so only where none are typed.
fn moved(selected: usize, last: usize, key: Key, letters: bool) -> Option<usize> {
    let to = match key {
        Key { code: Code::Up, .. } => selected.saturating_sub(1),
        Key { code: Code::Down, .. } => selected + 1,
        Key { code: Code::Char('p'), ctrl: true } => selected.saturating_sub(1),
        Key { code: Code::Char('n'), ctrl: true } => selected + 1,
        Key { code: Code::PageUp, .. } => selected.saturating_sub(PAGE),
        Key { code: Code::PageDown, .. } => selected + PAGE,
        Key { code: Code::Home, .. } => 0,
        Key { code: Code::End, .. } => last,
        Key { code: Code::Char('k'), ctrl: false } if letters => selected.saturating_sub(1),
        Key { code: Code::Char('j'), ctrl: false } if letters => selected + 1,
        Key { code: Code::Char('g'), ctrl: false } if letters => 0,
        Key { code: Code::Char('G'), ctrl: false } if letters => last,
        _ => return None,
    };
    Some(to.min(last))
}

fn in_palette(model: &mut Model, mut query: String, selected: usize, key: Key) -> Vec<Effect> {
    let found = overlay::palette(model, &query);
    let last = found.len().saturating_sub(1);
    let mut next = selected.min(last);
    match (key.code, moved(next, last, key, false)) {
        (Code::Esc, _) => return Vec::new(),
        (Code::Enter, _) => {
            return match found.get(next).map(|hit| hit.found) {
                Some(Found::Command(command)) => act(model, command.action),
                Some(Found::Problem(index)) => {
                    let slug = model.problems[index].slug;
                    super::to_pack(model);
                    select_slug(model, slug);
                    Vec::new()
                }
                None => Vec::new(),
            };
        }
        (_, Some(to)) => next = to,
        _ => {
            typing::edit(&mut query, key);
            next = 0;
        }
    }
    model.overlay = Some(Overlay::Palette { query, selected: next });
    Vec::new()
}

/// The picker while nothing is typed.
struct Picker {
    slug: &'static str,
    versions: Option<Vec<Version>>,
    selected: usize,
    lane: Option<usize>,
}

impl Picker {
    fn open(self, path: Option<String>) -> Option<Overlay> {
        let Self { slug, versions, selected, lane } = self;
        Some(Overlay::Picker { slug, versions, selected, path, lane })
    }

    /// Judges the picked implementation at once, or lets it draw in the lab's lane.
    fn picked(self, model: &mut Model, implementation: Implementation) -> Vec<Effect> {
        match self.lane {
            Some(lane) => lab::invite(model, lane, self.slug, implementation),
            None => judge(model, implementation),
        }
    }
}

fn in_picker(model: &mut Model, mut picker: Picker, key: Key) -> Vec<Effect> {
    let choices = overlay::choices(model, picker.slug, picker.versions.as_deref());
    let last = choices.len() - 1;
    picker.selected = picker.selected.min(last);
    match (key.code, moved(picker.selected, last, key, true)) {
        (Code::Esc | Code::Char('q' | 'i'), _) => return Vec::new(),
        (Code::Enter, _) => match choices.into_iter().nth(picker.selected).and_then(|line| line.implementation) {
            Some(implementation) => return picker.picked(model, implementation),
            None => model.overlay = picker.open(Some(String::new())),
        },
        (_, to) => {
            picker.selected = to.unwrap_or(picker.selected);
            model.overlay = picker.open(None);
        }
    }
    Vec::new()
}

/// The reader's own becomes the rule again by picking it, or by saving.
fn judge(model: &mut Model, implementation: Implementation) -> Vec<Effect> {
    let slug = model.slug().to_owned();
    match &implementation {
        Implementation::Own => drop(model.chosen.remove(&slug)),
        other => drop(model.chosen.insert(slug, other.clone())),
    }
    runs::start(model, implementation, None)
}

fn in_path(model: &mut Model, picker: Picker, mut path: String, key: Key) -> Vec<Effect> {
    match key.code {
        Code::Esc => model.overlay = picker.open(None),
        Code::Enter if !path.trim().is_empty() => {
            return picker.picked(model, Implementation::File(PathBuf::from(path.trim())));
        }
        _ => {
            typing::edit(&mut path, key);
            model.overlay = picker.open(Some(path));
        }
    }
    Vec::new()
}
