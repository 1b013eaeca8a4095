//! The draw itself: [0, 1) shared out among the kept tokens in order of id, and where the uniform fell.

use super::figures::probability;
use super::words::visible;
use crate::lab::track::{Step, Theirs};
use crate::lab::view::Vocabulary;
use crate::ui::text::{fit, pad, width};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Rows that it takes.
pub(super) const ROWS: u16 = 2;
/// Narrower stretches have no room for a name.
const NAMED: usize = 3;

pub(super) fn draw(step: &Step, words: &Vocabulary, theme: &Theme, frame: &mut Frame, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(4);
    if columns < 4 || area.height < ROWS {
        return;
    }
    frame.render_widget(stretches(step, words, theme, columns), Rect { height: 1, ..area });
    frame.render_widget(caption(step, words, theme, columns), Rect { y: area.y + 1, height: 1, ..area });
}

/// The token of each column: the one whose interval holds its middle.
fn shares(step: &Step, columns: usize) -> Vec<u32> {
    let mut owners = Vec::with_capacity(columns);
    let mut sum = 0.0;
    for (id, p) in step.trace.kept.iter() {
        sum += p;
        while owners.len() < columns && (owners.len() as f64 + 0.5) / (columns as f64) < sum {
            owners.push(id);
        }
    }
    let last = owners.last().copied().unwrap_or(step.draw.id);
    owners.resize(columns, last);
    owners
}

fn stretches(step: &Step, words: &Vocabulary, theme: &Theme, columns: usize) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let mut spans = vec![Span::styled("0 ", theme.dim)];
    for run in shares(step, columns).chunk_by(|a, b| a == b) {
        let (id, room) = (run[0], run.len());
        if room < NAMED {
            let style = if id == step.draw.id { theme.warn } else { theme.rule };
            spans.push(Span::styled(glyphs.bar_removed.repeat(room), style));
            continue;
        }
        let name = visible(id, words);
        let left = (room - 1).saturating_sub(width(name)) / 2;
        let text = pad(&format!("{}{name}", " ".repeat(left)), room - 1, glyphs);
        spans.push(Span::styled(glyphs.vertical, theme.rule));
        spans.push(Span::styled(text, if id == step.draw.id { theme.selected } else { theme.dim }));
    }
    spans.push(Span::styled(" 1", theme.dim));
    Line::from(spans)
}

fn caption(step: &Step, words: &Vocabulary, theme: &Theme, columns: usize) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let at = 2 + ((step.draw.uniform * columns as f64) as usize).min(columns - 1);
    let caret = Span::styled(glyphs.up, theme.warn);
    // Where it is tight, the token's interval goes first: the strip shows it.
    for interval in [true, false] {
        let said = said(step, words, interval, columns, theme);
        let mut line = Line::default();
        if at + 2 + said.width() <= columns + 4 {
            line.spans.extend([Span::raw(" ".repeat(at)), caret, Span::raw(" ")]);
            line.spans.extend(said.spans);
            return line;
        }
        if said.width() < at {
            line.push_span(" ".repeat(at - said.width() - 1));
            line.spans.extend(said.spans);
            line.spans.extend([Span::raw(" "), caret]);
            return line;
        }
    }
    fit(said(step, words, false, columns, theme), columns + 4, glyphs)
}

/// "u .7312 falls to ␣the [.7102, .9910), forced to ␣a".
fn said(step: &Step, words: &Vocabulary, interval: bool, columns: usize, theme: &Theme) -> Line<'static> {
    let draw = &step.draw;
    let places = if columns > 90 { 6 } else { 4 };
    let number = |v: f64| probability(v, places);
    let mut said = vec![
        Span::styled(format!("u {}", number(draw.uniform)), theme.warn),
        Span::styled(" falls to ", theme.dim),
        Span::styled(visible(draw.id, words).to_owned(), theme.strong),
    ];
    if interval {
        said.push(Span::styled(format!(" [{}, {})", number(draw.from), number(draw.to)), theme.dim));
    }
    if let Some(token) = step.forced {
        let theirs = matches!(step.theirs, Some(Theirs::Token(other, _)) if other == token);
        let who = if theirs { "the guest drew" } else { "forced to" };
        said.push(Span::styled(format!(", {who} {}", visible(token, words)), theme.warn));
    }
    Line::from(said)
}
