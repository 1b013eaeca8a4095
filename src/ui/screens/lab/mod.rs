//! The lab: what was said, where the run stands, the candidates through the stages, the draw, and the sampler beside them.

mod bar;
mod columns;
mod curve;
mod expected;
mod figures;
mod flow;
mod guest;
mod lanes;
mod prompt;
mod side;
mod status;
mod strip;
mod table;
mod transcript;
mod words;

use crate::app::event::Layout;
use crate::app::lab::{Field, Lab, Panel, Text};
use crate::app::model::Model;
use crate::lab::view::View;
use crate::ui::text::{fit, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use transcript::Marks;

/// From this width on the sampler always stands beside the table.
const WIDE: u16 = 106;
/// From this width on an open list stands beside the table; below it takes its place.
const BESIDE: u16 = 70;
/// Columns of an open list where there is little room.
const NARROW_SIDE: u16 = 36;
/// From this height on several lanes stand beside each other.
const TALL: u16 = 28;
/// Text wider than this is hard to read.
const READABLE: u16 = 110;

/// Where the parts go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Areas {
    lanes: Rect,
    beside: bool,
    transcript: Rect,
    status: Rect,
    main: Rect,
    side: Rect,
}

impl Areas {
    fn of(lab: &Lab, lanes: usize, body: Rect) -> Self {
        let inner = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
        let h = inner.height;
        let count = lanes as u16;
        let beside = lanes > 1 && h >= TALL && lanes::beside(lanes, inner.width);
        let of_lanes = match lanes {
            0 | 1 => 0,
            _ if beside => h / 2,
            // The table comes first where there is hardly anything.
            _ => count.min(h / 4),
        };
        let text = if beside { 0 } else { ((h - of_lanes) / 6).min(8) };
        let airy = h >= 18;
        let gap = u16::from(airy && !beside);
        let mut y = inner.y;
        let mut take = |rows: u16| {
            let place = Rect { y, height: rows.min((inner.y + h).saturating_sub(y)), ..inner };
            y += rows;
            place
        };
        let lanes = take(of_lanes);
        if of_lanes > 0 && airy {
            take(1);
        }
        let transcript = take(text);
        take(gap);
        let status = take(u16::from(h >= 5));
        take(u16::from(h >= 22));
        let rest = Rect { y, height: (inner.y + h).saturating_sub(y), ..inner };
        let (main, side) = Self::split(lab, rest);
        Self { lanes, beside, transcript, status, main, side }
    }

    fn split(lab: &Lab, rest: Rect) -> (Rect, Rect) {
        let open = !matches!(lab.panel, Panel::None | Panel::Prompt(_) | Panel::Field(Field::Seed | Field::Export, _));
        let width = match rest.width {
            w if w >= WIDE && lab.expecting && !open => {
                return (Rect { width: w.min(READABLE + 20), ..rest }, Rect::default());
            }
            w if w >= WIDE => (w / 3).clamp(38, 60),
            w if w >= BESIDE && open => NARROW_SIDE,
            w if open => w,
            _ => return (rest, Rect::default()),
        };
        let main = Rect { width: rest.width.saturating_sub(width + 3), ..rest };
        (main, Rect { x: rest.x + rest.width - width, width, ..rest })
    }
}

/// Draws the lab.
pub(super) fn draw(model: &Model, theme: &Theme, frame: &mut Frame, body: Rect, layout: &mut Layout) {
    let lab = &model.lab;
    let Some(view) = &lab.view else {
        let inner = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
        let text = match &lab.failed {
            Some(why) => format!("There is no lab: {why}. P goes back to the pack."),
            None => "The model is being loaded.".to_owned(),
        };
        return say(&text, theme, frame, inner);
    };
    let areas = Areas::of(lab, view.tracks.len(), body);
    if view.tracks.len() > 1 {
        let draw = if areas.beside { lanes::columns } else { lanes::lines };
        draw(lab, view, theme, (frame, &mut layout.lab), areas.lanes);
    }
    if areas.transcript.height > 0 {
        transcribe(lab, view, theme, frame, areas.transcript, layout);
    }
    if areas.status.height > 0 {
        frame.render_widget(status::line(lab, view, areas.status.width.into(), theme), areas.status);
    }
    if areas.side.width > 0 {
        beside(lab, view, theme, frame, &areas, layout);
    }
    if areas.main.width > 0 {
        main(lab, view, theme, frame, areas.main, layout);
    }
    if let Panel::Prompt(text) = &lab.panel {
        prompt::draw(text, theme, frame, layout);
    }
}

fn transcribe(lab: &Lab, view: &View, theme: &Theme, frame: &mut Frame, area: Rect, layout: &mut Layout) {
    let Some(track) = lab.track() else { return };
    let first = view.tracks.first().filter(|_| lab.lane() > 0);
    let marks = Marks {
        prompt: true,
        expected: view.expected.as_deref().filter(|_| lab.expecting),
        place: Some(lab.place).filter(|_| lab.expecting),
        parted: first.and_then(|first| crate::app::lab::parted(first, track)),
    };
    let mut area = Rect { width: area.width.min(READABLE), ..area };
    let building = lab.inviting == Some(lab.lane());
    for line in guest::lines(track, building, &view.vocabulary, area.width.into(), theme).into_iter().rev() {
        if area.height > 1 {
            area.height -= 1;
            frame.render_widget(line, Rect { y: area.bottom(), height: 1, ..area });
        }
    }
    if let Some(why) = track.ended.as_ref().filter(|_| area.height > 1) {
        area.height -= 1;
        let text = format!("{} {why}", theme.glyphs.warning);
        let line = fit(Line::from(Span::styled(text, theme.warn)), area.width.into(), &theme.glyphs);
        frame.render_widget(line, Rect { y: area.bottom(), height: 1, ..area });
    }
    layout.lab.tokens.extend(transcript::draw(track, &view.vocabulary, &marks, theme, frame, area));
}

/// The table with the draw under it, or the prompt view.
fn main(lab: &Lab, view: &View, theme: &Theme, frame: &mut Frame, area: Rect, layout: &mut Layout) {
    if lab.expecting {
        return expected::draw(lab, view, theme, (frame, &mut layout.lab), area);
    }
    let Some(step) = lab.step() else { return say(&nothing_yet(view), theme, frame, area) };
    let below = if area.height >= 11 { strip::ROWS } else { 0 };
    let gap = u16::from(area.height >= 18);
    let table = Rect { height: area.height - below - if below > 0 { gap } else { 0 }, ..area };
    let focused = lab.panel == Panel::None;
    let selected = (lab.row(), lab.candidate.is_none());
    table::draw(step, selected, focused, &view.vocabulary, theme, (frame, &mut layout.lab), table);
    if below > 0 {
        let place = Rect { y: area.bottom() - below, height: below, ..area };
        strip::draw(step, &view.vocabulary, theme, frame, place);
    }
}

/// What to do before the first step.
fn nothing_yet(view: &View) -> String {
    if view.prompt.is_empty() {
        return "There is no prompt. e writes one; the model needs at least one token.".to_owned();
    }
    "Nothing is drawn yet. → takes the first step, space plays, v shows what the model expected of the prompt, p has \
     ready-made comparisons, s changes the sampler."
        .to_owned()
}

fn beside(lab: &Lab, view: &View, theme: &Theme, frame: &mut Frame, areas: &Areas, layout: &mut Layout) {
    let side = areas.side;
    if areas.main.width > 0 {
        super::chrome::rule(theme, frame, Rect { x: side.x - 2, width: 1, ..side });
    }
    let rows = side::draw(lab, view, theme, (frame, &mut layout.lab), side);
    let rest = side.height.saturating_sub(rows + 1);
    if let Some(step) = lab.step().filter(|_| rest >= curve::LEAST && !lab.expecting) {
        let height = rest.min(curve::MOST);
        curve::draw(step, theme, frame, Rect { y: side.bottom() - rest, height, ..side });
    }
}

fn say(text: &str, theme: &Theme, frame: &mut Frame, area: Rect) {
    let lines = wrap_text(text, usize::from(area.width.min(READABLE)).max(1), theme.dim);
    for (y, line) in lines.into_iter().take(area.height.into()).enumerate() {
        frame.render_widget(line, Rect { y: area.y + y as u16, height: 1, ..area });
    }
}

/// What is being typed in the footer's place, if anything is.
pub(super) fn footer(lab: &Lab, theme: &Theme) -> Option<Line<'static>> {
    let field = |name: String, text: &Text, about: &'static str| {
        let (before, after) = text.around();
        Line::from(vec![
            Span::styled(format!(" {name} "), theme.key),
            Span::styled(before.to_owned(), theme.text),
            Span::styled(theme.glyphs.cursor, theme.accent),
            Span::styled(after.to_owned(), theme.text),
            Span::styled(format!("   {about}"), theme.key_text),
        ])
    };
    Some(match &lab.panel {
        Panel::Field(Field::Seed, text) => field("seed".to_owned(), text, "enter runs again under it, esc leaves it"),
        Panel::Field(Field::Export, text) => {
            field("write to".to_owned(), text, "enter writes (CSV where it ends in .csv), esc does not")
        }
        Panel::Field(Field::Value(line), text) => field(line.name().to_owned(), text, "enter takes it, esc leaves it"),
        Panel::Find { .. } => {
            Line::from(Span::styled(" type a token's text or id   enter forces it, esc goes back", theme.key_text))
        }
        Panel::Prompt(_) => Line::from(Span::styled(" the prompt is being written", theme.key_text)),
        _ => return None,
    })
}
