//! The screen: `view(&Model, &Theme, &mut Cache, &mut Frame)`. It changes nothing but its own cache, and says where it put
//! things.

mod chrome;
mod detail;
mod list;
mod overlays;
mod verdict;

use super::theme::Theme;
use crate::app::event::Layout;
use crate::app::model::{Focus, Model, Tab};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// From this width on list and detail are side by side.
const WIDE: u16 = 96;
/// Below this there is only room for a word.
const LEAST: (u16, u16) = (20, 5);

/// The detail's lines as they were last made.
#[derive(Debug, Default)]
pub struct Cache {
    made_for: Option<(u64, &'static str, Tab, u16, u16, usize, bool)>,
    lines: Vec<Line<'static>>,
}

impl Cache {
    /// Forgets: the theme changed, or the highlighter has become ready.
    pub fn clear(&mut self) {
        self.made_for = None;
    }

    /// The detail's lines for this width, made only when what they show has changed.
    fn lines(&mut self, model: &Model, width: u16, height: u16, theme: &Theme) -> &[Line<'static>] {
        let ready = super::code::is_warm();
        let key = (model.revision, model.slug(), model.tab, width, height, model.case, ready);
        if self.made_for != Some(key) {
            self.lines = detail::lines(model, width, height, theme);
            self.made_for = Some(key);
        }
        &self.lines
    }
}

/// Draws a frame.
pub fn view(model: &Model, theme: &Theme, cache: &mut Cache, frame: &mut Frame) -> Layout {
    let area = frame.area();
    let mut layout = Layout { width: area.width, height: area.height, ..Layout::default() };
    if area.width < LEAST.0 || area.height < LEAST.1 {
        chrome::too_small(theme, frame);
        return layout;
    }
    let notices = chrome::notice_height(model, area);
    let body_top = if area.height >= 12 { 2 } else { 1 };
    let body = Rect { y: body_top, height: area.height.saturating_sub(body_top + 1 + notices), ..area };
    chrome::header(model, theme, frame, Rect { height: 1, ..area });
    chrome::notices(model, theme, frame, Rect { y: body.bottom(), height: notices, ..area });
    chrome::footer(model, theme, frame, Rect { y: area.height - 1, height: 1, ..area });
    layout.wide = area.width >= WIDE;
    if layout.wide {
        let width = (area.width * 2 / 5).clamp(34, 46);
        let list = Rect { x: 1, width: width - 2, ..body };
        let detail = Rect { x: width + 2, width: area.width - width - 3, ..body };
        list::draw(model, theme, frame, list, &mut layout);
        chrome::rule(theme, frame, Rect { x: width, width: 1, ..body });
        detail::draw(model, theme, cache, frame, detail, &mut layout);
    } else {
        let inner = Rect { x: 1, width: area.width - 2, ..body };
        match model.focus {
            Focus::List => list::draw(model, theme, frame, inner, &mut layout),
            Focus::Detail => detail::draw(model, theme, cache, frame, inner, &mut layout),
        }
    }
    if let Some(overlay) = &model.overlay {
        overlays::draw(model, overlay, theme, frame);
    }
    if theme.glyphs.is_ascii() {
        keep_to_ascii(frame);
    }
    layout
}

fn at(area: Rect) -> [u16; 4] {
    [area.x, area.y, area.width, area.height]
}

/// A key's name as this terminal can print it.
fn key_name(key: &str, theme: &Theme) -> String {
    if theme.glyphs.is_ascii() {
        // The arrows have names; every other key is ASCII already.
        return key.replace('↑', "up").replace('↓', "down").replace('←', "left").replace('→', "right");
    }
    key.to_owned()
}

/// Where only ASCII can be printed, nothing else is: statements and references may hold anything.
fn keep_to_ascii(frame: &mut Frame) {
    for cell in &mut frame.buffer_mut().content {
        if !cell.symbol().is_ascii() {
            let plain = super::ascii::stand_in(cell.symbol());
            cell.set_symbol(plain);
        }
    }
}
