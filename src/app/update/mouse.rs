//! Clicks and the wheel.

use super::{lab, panels, select, step, turn_to};
use crate::app::event::Effect;
use crate::app::key::{Code, Key};
use crate::app::lab::Panel;
use crate::app::model::{Focus, Model, Place, Row};

fn inside([x, y, width, height]: [u16; 4], column: u16, row: u16) -> bool {
    (x..x.saturating_add(width)).contains(&column) && (y..y.saturating_add(height)).contains(&row)
}

pub(super) fn clicked(model: &mut Model, column: u16, row: u16) -> Vec<Effect> {
    if model.overlay.is_some() {
        return in_panel(model, column, row);
    }
    let place = model.layout.places.iter().position(|[x, y, width]| inside([*x, *y, *width, 1], column, row));
    if let Some(place) = place.map(|at| Place::ALL[at]) {
        return if place == Place::Lab { lab::enter(model) } else { to_pack(model) };
    }
    if model.place == Place::Lab {
        return in_lab(model, column, row);
    }
    let tab = model.layout.tabs.iter().position(|[x, y, width]| inside([*x, *y, *width, 1], column, row));
    if let Some(tab) = tab.and_then(|at| model.tabs().get(at).copied()) {
        return turn_to(model, tab);
    }
    if inside(model.layout.list, column, row) {
        on_list(model, usize::from(row - model.layout.list[1]));
    } else if inside(model.layout.detail, column, row) {
        model.focus = Focus::Detail;
    }
    Vec::new()
}

fn to_pack(model: &mut Model) -> Vec<Effect> {
    super::to_pack(model);
    Vec::new()
}

/// A token of the transcript is gone to, a line of an open list taken, a candidate or a lane selected.
fn in_lab(model: &mut Model, column: u16, row: u16) -> Vec<Effect> {
    let layout = model.layout.lab.clone();
    if inside(layout.list, column, row) {
        return on_lab_list(model, layout.list_offset + usize::from(row - layout.list[1]));
    }
    if model.lab.panel.takes_text() {
        return Vec::new();
    }
    let token = layout.tokens.iter().find(|([x, y, width], _)| inside([*x, *y, *width, 1], column, row));
    if let Some((_, step)) = token {
        return lab::jump(&mut model.lab, step + 1);
    }
    if let Some(lane) = layout.lanes.iter().position(|area| inside(*area, column, row)) {
        (model.lab.wanted, model.lab.candidate) = (lane, None);
    } else if inside(layout.table, column, row) {
        let Some(&at) = layout.rows.get(usize::from(row - layout.table[1])) else { return Vec::new() };
        match model.lab.expecting {
            true => model.lab.place = at,
            false => model.lab.candidate = model.lab.candidates().get(at).copied(),
        }
    }
    Vec::new()
}

fn on_lab_list(model: &mut Model, at: usize) -> Vec<Effect> {
    let lab = &mut model.lab;
    match &mut lab.panel {
        Panel::Presets { selected } | Panel::Branches { selected } => {
            *selected = at;
            lab::take(lab)
        }
        Panel::Find { found, .. } => {
            let token = found.get(at).copied();
            lab.panel = Panel::None;
            token.map_or_else(Vec::new, |token| lab::put(lab, token))
        }
        Panel::Settings { .. } => {
            lab::choose_line(lab, at);
            Vec::new()
        }
        Panel::None | Panel::Prompt(_) | Panel::Field(..) => Vec::new(),
    }
}

fn on_list(model: &mut Model, row: usize) {
    model.focus = Focus::List;
    if let Some(Row::Problem(index)) = model.rows().get(model.layout.list_offset + row).copied() {
        // A second click on the selected problem opens it.
        if index == model.selected {
            model.focus = Focus::Detail;
        }
        select(model, index);
    }
}

/// A line that is clicked is chosen; a click beside the panel closes it.
fn in_panel(model: &mut Model, column: u16, row: u16) -> Vec<Effect> {
    let choices = model.layout.choices;
    if inside(choices, column, row) {
        return panels::choose(model, model.layout.choices_offset + usize::from(row - choices[1]));
    }
    if !inside(model.layout.panel, column, row) {
        model.overlay = None;
    }
    Vec::new()
}

pub(super) fn turned(model: &mut Model, column: u16, row: u16, rows: isize) {
    if model.overlay.is_some() {
        let code = if rows < 0 { Code::Up } else { Code::Down };
        for _ in 0..rows.unsigned_abs() {
            panels::pressed(model, Key::plain(code));
        }
        return;
    }
    if model.place == Place::Lab {
        lab::step(model, rows.signum());
        return;
    }
    let before = model.focus;
    model.focus = if inside(model.layout.list, column, row) { Focus::List } else { Focus::Detail };
    step(model, if model.focus == Focus::List { rows.signum() } else { rows });
    model.focus = before;
}
