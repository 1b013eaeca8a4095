//! Draws against their distribution: one row an outcome.

use super::super::text;
use super::super::theme::Theme;
use super::bar;
use crate::judge::number::Num;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Expected probabilities and observed frequencies, with a bar for what was observed and a tick where it should end.
/// Where the page is too short the outcomes that are furthest off are shown, in their order.
pub fn draws(expected: &[Num], got: &[Num], width: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    let rows: Vec<Row> =
        expected.iter().zip(got).enumerate().map(|(outcome, (p, q))| Row { outcome, p: p.0, q: q.0 }).collect();
    let room = usize::from(height).saturating_sub(2).max(4);
    let shown = furthest(&rows, room);
    let most = rows.iter().fold(0.0, |most: f64, row| most.max(row.p).max(row.q)).max(f64::MIN_POSITIVE);
    let bars = usize::from(width).saturating_sub(32).min(48);
    let head = format!("{:>7}  {:>8}  {:>8}", "outcome", "expected", "observed");
    let mut lines = vec![Line::styled(text::truncate(&head, usize::from(width), &theme.glyphs), theme.dim)];
    lines.extend(shown.iter().map(|row| row.line(most, bars, theme)));
    let left = rows.len() - shown.len();
    if left > 0 {
        lines.push(Line::styled(format!("{:>7}  {left} more outcomes, nearer to what they should be", ""), theme.dim));
    }
    lines
}

#[derive(Clone, Copy)]
struct Row {
    outcome: usize,
    p: f64,
    q: f64,
}

impl Row {
    fn off(&self) -> f64 {
        (self.p - self.q).abs()
    }

    /// Came although it never may.
    fn impossible(&self) -> bool {
        self.p == 0.0 && self.q > 0.0
    }

    fn line(&self, most: f64, bars: usize, theme: &Theme) -> Line<'static> {
        let style = if self.impossible() { theme.bad } else { theme.text };
        let mark = if self.impossible() { theme.glyphs.wrong } else { " " };
        let numbers = format!("{:>7}  {:>8.4}  {:>8.4} {mark}  ", self.outcome, self.p, self.q);
        let mut spans = vec![Span::styled(numbers, style)];
        if bars > 0 {
            spans.extend(self.bar(most, bars, theme));
        }
        Line::from(spans)
    }

    /// The observed frequency as a bar, the expected one as a tick on it or beyond it.
    fn bar(&self, most: f64, bars: usize, theme: &Theme) -> Vec<Span<'static>> {
        let style = if self.impossible() { theme.bad } else { theme.bar };
        let body = bar(self.q / most, bars, theme);
        let tick = ((self.p / most * bars as f64).round() as usize).min(bars);
        let cells: Vec<char> = body.chars().chain(std::iter::repeat(' ')).take(bars + 1).collect();
        let part = |cells: &[char]| Span::styled(cells.iter().collect::<String>(), style);
        let on_bar = tick < body.chars().count();
        let tick_style = if on_bar { Style { bg: style.fg, ..theme.strong } } else { theme.strong };
        // Black on the bar would vanish on a dark page: the tick is drawn in the page's own colour there.
        let tick_style =
            if on_bar { tick_style.patch(Style::new().fg(ratatui::style::Color::Black)) } else { tick_style };
        let tick_style = if theme.has_colour() { tick_style } else { theme.strong };
        let mut spans =
            vec![part(&cells[..tick]), Span::styled(theme.glyphs.tick, tick_style), part(&cells[tick + 1..])];
        spans.retain(|span| !span.content.is_empty());
        spans
    }
}

fn furthest(rows: &[Row], room: usize) -> Vec<Row> {
    if rows.len() <= room {
        return rows.to_vec();
    }
    let mut ranked = rows.to_vec();
    ranked.sort_by(|a, b| b.off().total_cmp(&a.off()));
    ranked.truncate(room.saturating_sub(1));
    ranked.sort_by_key(|row| row.outcome);
    ranked
}
