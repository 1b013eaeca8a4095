//! The terminal's keys and mouse in the program's words.

use crate::app::event::Event;
use crate::app::key::{Code, Key};
use crate::term::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// Rows that a notch of the wheel scrolls.
const NOTCH: isize = 3;

pub(super) fn key(event: KeyEvent) -> Key {
    let code = match event.code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        _ => Code::Other,
    };
    Key { code, ctrl: event.modifiers.contains(KeyModifiers::CONTROL) }
}

pub(super) fn mouse(event: MouseEvent) -> Option<Event> {
    let (x, y) = (event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Event::Click(x, y)),
        MouseEventKind::ScrollDown => Some(Event::Wheel(x, y, NOTCH)),
        MouseEventKind::ScrollUp => Some(Event::Wheel(x, y, -NOTCH)),
        _ => None,
    }
}
