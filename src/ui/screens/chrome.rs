//! What is around every screen: header, messages, footer.

use crate::app::commands;
use crate::app::event::{Level, Warm};
use crate::app::model::{Model, Running, Stage};
use crate::ui::text::{ends, fit, truncate, width, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Rows that a message may take.
const MOST: u16 = 3;

pub(super) fn too_small(theme: &Theme, frame: &mut Frame) {
    frame.render_widget(Paragraph::new(Span::styled("too small", theme.dim)), frame.area());
}

pub(super) fn header(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect) {
    let dot = theme.glyphs.dot;
    let mut left = vec![Span::styled(" LOGITLINGS", theme.accent)];
    let count = format!("   {} problems {dot} {} accepted", model.problems.len(), model.accepted());
    if area.width >= 60 {
        left.push(Span::styled(count, theme.dim));
    }
    let room = usize::from(area.width).saturating_sub(left.iter().map(Span::width).sum::<usize>() + 3);
    let right = Line::from(status(model, theme, room));
    frame.render_widget(ends(Line::from(left), right, area.width.into(), &theme.glyphs), area);
}

/// What is happening, in `room` columns.
fn status(model: &Model, theme: &Theme, room: usize) -> Vec<Span<'static>> {
    let glyphs = &theme.glyphs;
    let (mark, text, style) = match (&model.running, &model.warm) {
        (Some(running), _) => (glyphs.running, doing(running), theme.info),
        (None, Warm::Ready) => (glyphs.accepted, "judge ready".to_owned(), theme.dim),
        (None, Warm::Waiting) => (glyphs.running, "waiting for another cargo".to_owned(), theme.warn),
        (None, Warm::Failed(_)) => (glyphs.wrong, "judge not built".to_owned(), theme.bad),
        (None, Warm::Building(line)) if line.is_empty() => (glyphs.running, "warming the judge".to_owned(), theme.info),
        (None, Warm::Building(line)) => {
            (glyphs.running, format!("warming the judge {} {}", glyphs.dot, line.to_lowercase()), theme.info)
        }
    };
    vec![Span::styled(truncate(&format!("{mark} {text} "), room, glyphs), style)]
}

fn doing(running: &Running) -> String {
    let stage = match &running.stage {
        Stage::Waiting => "waiting for another cargo".to_owned(),
        Stage::Building(line) if line.is_empty() => "building".to_owned(),
        Stage::Building(line) => line.to_lowercase(),
        Stage::Judging => format!(
            "case {} of {}",
            (running.done.len() + 1).min(running.planned.len().max(1)),
            running.planned.len().max(1)
        ),
        Stage::Diagnosing => "looking for the mistake".to_owned(),
    };
    format!("{} {stage} {:.1} s", running.slug, running.seconds)
}

pub(super) fn notice_height(model: &Model, area: Rect) -> u16 {
    let Some((_, text)) = model.notices.last() else { return 0 };
    let rows = wrap_text(text, usize::from(area.width.saturating_sub(6)).max(1), Style::new()).len();
    (rows as u16).min(MOST).min(area.height / 4)
}

/// The newest message; how many more there are stands at its end.
pub(super) fn notices(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect) {
    let Some((level, text)) = model.notices.last().filter(|_| area.height > 0) else { return };
    let (mark, style) = match level {
        Level::Info => (theme.glyphs.dot, theme.info),
        Level::Warning => (theme.glyphs.warning, theme.warn),
        Level::Error => (theme.glyphs.wrong, theme.bad),
    };
    let more = model.notices.len() - 1;
    let text = if more > 0 { format!("{text} (and {more} more)") } else { text.clone() };
    for (row, line) in wrap_text(&text, usize::from(area.width.saturating_sub(6)).max(1), style)
        .into_iter()
        .take(area.height.into())
        .enumerate()
    {
        let lead = if row == 0 { format!(" {mark} ") } else { "   ".to_owned() };
        let mut spans = vec![Span::styled(lead, style)];
        spans.extend(line.spans);
        frame.render_widget(Line::from(spans), Rect { y: area.y + row as u16, height: 1, ..area });
    }
}

/// The keys that work now, as many as fit; help is always among them.
pub(super) fn footer(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect) {
    if model.searching {
        let line = Line::from(vec![
            Span::styled(" /", theme.key),
            Span::styled(model.search.clone(), theme.text),
            Span::styled(theme.glyphs.cursor, theme.accent),
            Span::styled("   enter keeps it, esc clears it", theme.dim),
        ]);
        frame.render_widget(fit(line, area.width.into(), &theme.glyphs), area);
        return;
    }
    let all = commands::footer(model);
    let last: Vec<_> = all.iter().filter(|(_, word)| ["keys", "quit"].contains(word)).collect();
    let size = |(key, word): &(&str, &str)| width(key) + width(word) + 4;
    let mut room = usize::from(area.width).saturating_sub(1 + last.iter().map(|pair| size(pair)).sum::<usize>());
    let mut spans = vec![Span::raw(" ")];
    let fitting = all.iter().filter(|pair| !last.contains(pair)).take_while(|pair| {
        let fits = size(pair) <= room;
        room = room.saturating_sub(size(pair));
        fits
    });
    for (key, word) in fitting.chain(last.iter().copied()) {
        spans.push(Span::styled(super::key_name(key, theme), theme.key));
        spans.push(Span::styled(format!(" {word}   "), theme.key_text));
    }
    frame.render_widget(fit(Line::from(spans), area.width.into(), &theme.glyphs), area);
}

pub(super) fn rule(theme: &Theme, frame: &mut Frame, area: Rect) {
    for y in area.top()..area.bottom() {
        frame.render_widget(Span::styled(theme.glyphs.vertical, theme.rule), Rect { y, height: 1, ..area });
    }
}
