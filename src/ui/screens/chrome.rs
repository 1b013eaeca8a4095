//! What is around every screen: header, messages, footer.

use crate::app::commands;
use crate::app::event::{Layout, Level, Warm};
use crate::app::model::{Model, Place, Running, Stage};
use crate::ui::text::{clean, ends, fit, truncate, width, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Rows that a message may take.
const MOST: u16 = 8;
/// Narrower headers leave out the counts.
const ROOMY: u16 = 70;

pub(super) fn too_small(theme: &Theme, frame: &mut Frame) {
    frame.render_widget(Paragraph::new(Span::styled("too small", theme.dim)), frame.area());
}

pub(super) fn header(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect, layout: &mut Layout) {
    let mut left = Line::from(Span::styled(" LOGITLINGS ", theme.heading));
    for place in Place::ALL {
        left.push_span("  ");
        let x = left.width() as u16;
        layout.places.push([area.x + x, area.y, width(place.name()) as u16]);
        let here = place == model.place;
        let style = if here { theme.strong.add_modifier(Modifier::UNDERLINED) } else { theme.dim };
        left.push_span(Span::styled(place.name(), style));
    }
    let room = usize::from(area.width).saturating_sub(left.width() + 3);
    let right = Line::from(status(model, theme, room, area.width >= ROOMY));
    frame.render_widget(ends(left, right, area.width.into(), &theme.glyphs), area);
}

/// What is happening, in `room` columns.
fn status(model: &Model, theme: &Theme, room: usize, counts: bool) -> Vec<Span<'static>> {
    let glyphs = &theme.glyphs;
    let (mark, text, style) = match (&model.running, &model.warm) {
        (Some(running), warm) => (spinner(running.seconds, theme), doing(running, warm, theme), theme.info),
        (None, Warm::Ready) => (glyphs.accepted, "judge ready".to_owned(), theme.good),
        (None, Warm::Failed(_)) => (glyphs.wrong, "judge not built".to_owned(), theme.bad),
        (None, Warm::Waiting) => {
            let text = format!("waiting {} s for another cargo", model.warm_seconds);
            (spinner(model.warm_seconds as f64, theme), text, theme.warn)
        }
        (None, Warm::Building(line)) => {
            let what = if line.is_empty() { String::new() } else { format!(" {} {}", glyphs.dot, cargo(line)) };
            let text = format!("warming {} s{what}", model.warm_seconds);
            (spinner(model.warm_seconds as f64, theme), text, theme.info)
        }
    };
    let mut before = String::new();
    if counts {
        before = match (model.place, &model.lab.view) {
            (Place::Pack, _) => format!("{} of {} accepted   ", model.accepted(), model.problems.len()),
            (Place::Lab, Some(view)) => format!("{}   ", view.model.name),
            (Place::Lab, None) => String::new(),
        };
        if let Some(device) = model.device.as_ref().filter(|_| model.place == Place::Pack) {
            before.push_str(&format!("{device} {} ", glyphs.dot));
        }
    }
    let text = format!("{mark} {text} ");
    if width(&before) + width(&text) > room {
        before.clear();
    }
    vec![Span::styled(before, theme.dim), Span::styled(truncate(&text, room, glyphs), style)]
}

fn spinner(seconds: f64, theme: &Theme) -> &'static str {
    let frames = theme.glyphs.spinner;
    frames[(seconds * 10.0) as usize % frames.len()]
}

/// "compiling candle-core" of "Compiling candle-core v0.11.1 (/path)".
fn cargo(line: &str) -> String {
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some(verb @ ("Compiling" | "Checking" | "Downloaded" | "Downloading")), Some(name)) => {
            format!("{} {name}", verb.to_lowercase())
        }
        _ => clean(&line.to_lowercase()),
    }
}

fn doing(running: &Running, warm: &Warm, theme: &Theme) -> String {
    let stage = match (&running.stage, warm) {
        // It is our own cargo that it waits for.
        (Stage::Waiting, Warm::Building(line)) if !line.is_empty() => {
            format!("waiting for the judge {} {}", theme.glyphs.dot, cargo(line))
        }
        (Stage::Waiting, _) => "waiting for another cargo".to_owned(),
        (Stage::Building(line), _) if line.is_empty() => "building".to_owned(),
        (Stage::Building(line), _) => cargo(line),
        (Stage::Judging, _) => {
            let all = running.planned.len().max(1);
            format!("case {} of {all}", (running.done.len() + 1).min(all))
        }
        (Stage::Diagnosing, _) => "looking for the mistake".to_owned(),
    };
    format!("{} {:.1} s {} {stage}", running.slug, running.seconds, theme.glyphs.dot)
}

/// The newest message's lines; how many more there are stands at its end.
fn notice_lines(model: &Model, area: Rect, style: Style) -> Vec<Line<'static>> {
    let Some((_, text)) = model.notices.last() else { return Vec::new() };
    let more = match model.notices.len() - 1 {
        0 => String::new(),
        more => format!(" ({more} more)"),
    };
    wrap_text(&format!("{}{more}", text.trim_end()), usize::from(area.width.saturating_sub(6)).max(1), style)
}

pub(super) fn notice_height(model: &Model, area: Rect) -> u16 {
    (notice_lines(model, area, Style::new()).len() as u16).min(MOST).min(area.height / 3)
}

pub(super) fn notices(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect) {
    let Some((level, _)) = model.notices.last().filter(|_| area.height > 0) else { return };
    let (mark, style) = match level {
        Level::Info => (theme.glyphs.dot, theme.info),
        Level::Warning => (theme.glyphs.warning, theme.warn),
        Level::Error => (theme.glyphs.wrong, theme.bad),
    };
    let lines = notice_lines(model, area, style);
    let hidden = lines.len() > area.height.into();
    for (row, mut line) in lines.into_iter().take(area.height.into()).enumerate() {
        if hidden && row + 1 == usize::from(area.height) {
            line.push_span(Span::styled(theme.glyphs.ellipsis, style));
        }
        let lead = if row == 0 { format!(" {mark} ") } else { "   ".to_owned() };
        line.spans.insert(0, Span::styled(lead, style));
        frame.render_widget(line, Rect { y: area.y + row as u16, height: 1, ..area });
    }
}

/// The keys that work now, as many as fit; those for help and leaving are always among them.
pub(super) fn footer(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect) {
    if model.searching {
        let line = Line::from(vec![
            Span::styled(" /", theme.key),
            Span::styled(model.search.clone(), theme.text),
            Span::styled(theme.glyphs.cursor, theme.accent),
            Span::styled("   enter keeps it, esc shows all", theme.key_text),
        ]);
        frame.render_widget(fit(line, area.width.into(), &theme.glyphs), area);
        return;
    }
    if let Some(line) = super::lab::footer(&model.lab, theme).filter(|_| model.place == Place::Lab) {
        frame.render_widget(fit(line, area.width.into(), &theme.glyphs), area);
        return;
    }
    let all: Vec<(String, &str, bool)> = commands::footer(model)
        .into_iter()
        .map(|(key, word, always)| (super::key_name(key, theme), word, always))
        .collect();
    let size = |(key, word, _): &(String, &str, bool)| width(key) + 1 + width(word) + 2;
    let kept: usize = all.iter().filter(|(_, _, always)| *always).map(size).sum();
    let mut room = usize::from(area.width).saturating_sub(kept + 1);
    let mut spans = vec![Span::raw(" ")];
    let mut full = false;
    for command @ (key, word, always) in &all {
        if !always {
            full |= size(command) > room;
            if full {
                continue;
            }
            room -= size(command);
        }
        spans.push(Span::styled(key.clone(), theme.key));
        spans.push(Span::styled(format!(" {word}  "), theme.key_text));
    }
    frame.render_widget(fit(Line::from(spans), area.width.into(), &theme.glyphs), area);
}

/// A line between two parts, along the longer side.
pub(super) fn rule(theme: &Theme, frame: &mut Frame, area: Rect) {
    let glyph = if area.height > area.width { theme.glyphs.vertical } else { theme.glyphs.horizontal };
    let row = glyph.repeat(area.width.into());
    for y in area.top()..area.bottom() {
        frame.render_widget(Span::styled(row.clone(), theme.rule), Rect { y, height: 1, ..area });
    }
}
