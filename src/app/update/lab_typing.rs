//! Keys and pasted text while something is being typed in the lab.

use super::{lab, notice};
use crate::app::event::{Effect, Level};
use crate::app::key::{Code, Key};
use crate::app::lab::{Field, Lab, Panel, Text, find};
use crate::app::model::Model;
use crate::lab::view::Request;
use std::path::PathBuf;

/// Tokens that are listed at most.
const LISTED: usize = 200;

pub(super) fn pressed(model: &mut Model, key: Key) -> Vec<Effect> {
    match std::mem::take(&mut model.lab.panel) {
        Panel::Prompt(text) => in_prompt(model, text, key),
        Panel::Field(field, text) => in_field(model, field, text, key),
        Panel::Find { query, found, selected } => in_find(model, query, found, selected, key),
        other => {
            model.lab.panel = other;
            Vec::new()
        }
    }
}

fn in_prompt(model: &mut Model, mut text: Text, key: Key) -> Vec<Effect> {
    match key {
        Key { code: Code::Esc, .. } => {}
        Key { code: Code::Enter, .. } => return lab::write(&mut model.lab, text),
        Key { code: Code::Char('j'), ctrl: true } => {
            text.insert("\n");
            model.lab.panel = Panel::Prompt(text);
        }
        _ => {
            text.press(key);
            model.lab.panel = Panel::Prompt(text);
        }
    }
    Vec::new()
}

fn in_field(model: &mut Model, field: Field, mut text: Text, key: Key) -> Vec<Effect> {
    match (key.code, field) {
        (Code::Esc, Field::Value(line)) => model.lab.panel = Panel::Settings { line },
        (Code::Esc, _) => {}
        (Code::Enter, Field::Value(line)) => return lab::set_value(model, line, text.as_str()),
        (Code::Enter, Field::Export) if text.as_str().trim().is_empty() => {}
        (Code::Enter, Field::Export) => {
            model.lab.asked += 1;
            return vec![Effect::Lab(model.lab.asked, Request::Export(PathBuf::from(text.as_str().trim())))];
        }
        (Code::Enter, Field::Seed) => match text.as_str().trim().parse() {
            Ok(seed) => return lab::reseed(&mut model.lab, seed),
            Err(_) => {
                let why = format!("a seed is a whole number from 0 to {}; \"{}\" is none", u64::MAX, text.as_str());
                notice(model, Level::Info, why);
            }
        },
        _ => {
            text.press(key);
            model.lab.panel = Panel::Field(field, text);
        }
    }
    Vec::new()
}

fn in_find(model: &mut Model, mut query: Text, found: Vec<u32>, selected: usize, key: Key) -> Vec<Effect> {
    let lab = &mut model.lab;
    match key {
        Key { code: Code::Esc, .. } => return Vec::new(),
        Key { code: Code::Enter, .. } => {
            return found.get(selected).map_or_else(Vec::new, |token| lab::put(lab, *token));
        }
        Key { code: Code::Up | Code::Down | Code::PageUp | Code::PageDown, .. } => {
            let rows = match key.code {
                Code::Up => -1,
                Code::Down => 1,
                Code::PageUp => -10,
                _ => 10,
            };
            lab.panel = Panel::Find { query, found, selected };
            lab::step(model, rows);
            return Vec::new();
        }
        _ => query.press(key),
    }
    search(lab, query);
    Vec::new()
}

fn search(lab: &mut Lab, query: Text) {
    let found = match (&lab.view, query.as_str()) {
        (Some(view), text) if !text.is_empty() => find(view, text, LISTED),
        _ => Vec::new(),
    };
    lab.panel = Panel::Find { query, found, selected: 0 };
}

/// Pasted text is only text, and only where text is typed. A prompt keeps its lines.
pub(super) fn pasted(lab: &mut Lab, pasted: &str) {
    let line = pasted.lines().next().unwrap_or_default();
    match &mut lab.panel {
        Panel::Prompt(text) => text.insert(pasted),
        Panel::Field(_, text) => text.insert(line),
        Panel::Find { query, .. } => {
            let mut query = std::mem::take(query);
            query.insert(line);
            search(lab, query);
        }
        _ => {}
    }
}
