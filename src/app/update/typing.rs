//! Text that is typed or pasted.

use super::{panels, select, shown, step};
use crate::app::key::{Code, Key};
use crate::app::model::Model;
use crate::app::overlay::Overlay;

/// What a key does to a line of text.
pub(super) fn edit(text: &mut String, key: Key) {
    match key {
        Key { code: Code::Backspace, .. } => drop(text.pop()),
        Key { code: Code::Char('u'), ctrl: true } => text.clear(),
        Key { code: Code::Char('w'), ctrl: true } => {
            let kept = text.trim_end().rfind(' ').map_or(0, |at| at + 1);
            text.truncate(kept);
        }
        _ => text.extend(key.typed()),
    }
}

/// A key while the search is being typed.
pub(super) fn in_search(model: &mut Model, key: Key) {
    match key.code {
        Code::Enter => model.searching = false,
        Code::Esc => {
            model.searching = false;
            model.search.clear();
        }
        Code::Up => step(model, -1),
        Code::Down => step(model, 1),
        _ => edit(&mut model.search, key),
    }
    // The selection stays on something that is seen.
    if model.selected_row().is_none()
        && let Some(first) = shown(model).first()
    {
        select(model, *first);
    }
}

/// Pasted text is only text: it goes where text is typed, and never is a command.
pub(super) fn pasted(model: &mut Model, text: &str) {
    let takes_text = matches!(model.overlay, Some(Overlay::Palette { .. } | Overlay::Picker { path: Some(_), .. }));
    for c in text.chars().filter(|c| !c.is_control()) {
        let key = Key::plain(Code::Char(c));
        if takes_text {
            panels::pressed(model, key);
        } else if model.searching && model.overlay.is_none() {
            in_search(model, key);
        }
    }
}
