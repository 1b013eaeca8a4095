//! The screen: `view(&Model, &Theme, &mut Cache, &mut Frame)`. It changes nothing but its own cache, and says where it put
//! things.

mod chrome;
mod detail;
mod lab;
mod list;
mod overlays;
mod solution;
mod verdict;

use super::theme::Theme;
use crate::app::event::Layout;
use crate::app::model::{Focus, Model, Place, Tab};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// From this width on list and detail are always side by side.
const WIDE: u16 = 104;
/// From this width on the detail stands beside the list while the list has the keys.
const BESIDE: u16 = 72;
/// From this height on it stands below the list instead, where the width is not enough.
const BELOW: u16 = 26;
/// Below this there is only room for a word.
const LEAST: (u16, u16) = (20, 5);

/// The detail's lines as they were last made.
#[derive(Debug, Default)]
pub struct Cache {
    made_for: Option<MadeFor>,
    lines: Vec<Line<'static>>,
}

/// Everything that the lines depend on, besides the theme.
#[derive(Debug, PartialEq, Eq)]
struct MadeFor {
    revision: u64,
    slug: &'static str,
    tab: Tab,
    size: (u16, u16),
    case: usize,
    highlighter: bool,
}

impl Cache {
    /// Forgets: the theme changed, or the highlighter has become ready.
    pub fn clear(&mut self) {
        self.made_for = None;
    }

    /// The detail's lines for this size, made only when what they show has changed.
    fn lines(&mut self, model: &Model, width: u16, height: u16, theme: &Theme) -> &[Line<'static>] {
        let key = MadeFor {
            revision: model.revision,
            slug: model.slug(),
            tab: model.tab,
            // Only the picture of a verdict looks at the height.
            size: (width, if model.tab == Tab::Verdict { height } else { 0 }),
            case: model.case,
            highlighter: super::code::is_warm(),
        };
        if self.made_for.as_ref() != Some(&key) {
            self.lines = detail::lines(model, width, height, theme);
            self.made_for = Some(key);
        }
        &self.lines
    }
}

/// Where list and detail go; one of them may have no place.
struct Panes {
    list: Option<Rect>,
    rule: Option<Rect>,
    detail: Option<Rect>,
    /// Both are seen whichever has the keys.
    both: bool,
}

impl Panes {
    fn of(model: &Model, body: Rect) -> Self {
        let list_first = model.focus == Focus::List;
        if body.width >= WIDE || (body.width >= BESIDE && list_first) {
            return Self::beside(body);
        }
        let inner = Rect { x: body.x + 1, width: body.width - 2, ..body };
        match list_first {
            true if body.height >= BELOW => Self::below(model, inner),
            true => Self { list: Some(inner), rule: None, detail: None, both: false },
            false => Self { list: None, rule: None, detail: Some(inner), both: false },
        }
    }

    fn beside(body: Rect) -> Self {
        let width = (body.width * 2 / 5).clamp(34, 48).min(body.width / 2);
        Self {
            list: Some(Rect { x: body.x + 1, width: width - 2, ..body }),
            rule: Some(Rect { x: body.x + width, width: 1, ..body }),
            detail: Some(Rect { x: body.x + width + 2, width: body.width - width - 3, ..body }),
            both: body.width >= WIDE,
        }
    }

    fn below(model: &Model, inner: Rect) -> Self {
        let rows = (model.rows().len() as u16).clamp(4, inner.height / 3);
        Self {
            list: Some(Rect { height: rows, ..inner }),
            rule: Some(Rect { y: inner.y + rows, height: 1, ..inner }),
            detail: Some(Rect { y: inner.y + rows + 1, height: inner.height - rows - 1, ..inner }),
            both: false,
        }
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
    // A blank line above and below the body, where lines are to spare.
    let (above, below) = (1 + u16::from(area.height >= 12), u16::from(area.height >= 20));
    let body = Rect { y: above, height: area.height.saturating_sub(above + below + notices + 1), ..area };
    chrome::header(model, theme, frame, Rect { height: 1, ..area }, &mut layout);
    chrome::notices(model, theme, frame, Rect { y: area.height - 1 - notices, height: notices, ..area });
    chrome::footer(model, theme, frame, Rect { y: area.height - 1, height: 1, ..area });
    match model.place {
        Place::Pack => pack(model, theme, cache, frame, body, &mut layout),
        Place::Lab => lab::draw(model, theme, frame, body, &mut layout),
    }
    if let Some(overlay) = &model.overlay {
        overlays::draw(model, overlay, theme, frame, &mut layout);
    }
    if theme.glyphs.is_ascii() {
        keep_to_ascii(frame);
    }
    layout
}

/// The problems.
fn pack(model: &Model, theme: &Theme, cache: &mut Cache, frame: &mut Frame, body: Rect, layout: &mut Layout) {
    let panes = Panes::of(model, body);
    layout.wide = panes.both;
    if let Some(place) = panes.list {
        list::draw(model, theme, frame, place, layout);
    }
    if let Some(place) = panes.rule {
        chrome::rule(theme, frame, place);
    }
    if let Some(place) = panes.detail {
        detail::draw(model, theme, cache, frame, place, layout);
    }
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
