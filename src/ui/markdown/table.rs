//! Tables: columns as wide as they need, narrower where the page is, cells wrapped; one thin rule under the head.

use super::super::text;
use super::super::theme::Theme;
use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

/// Columns between two columns.
const GAP: usize = 2;

/// Below this many columns a column is no column; the table becomes a list.
const NARROWEST: usize = 6;

type Cell = Vec<Span<'static>>;

/// A table; the first row is its head.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Cell>>,
    row: Vec<Cell>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn cell(&mut self, cell: Cell) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// The table at this width.
    pub(super) fn lines(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let columns = self.alignments.len();
        let room = width.saturating_sub(GAP * columns.saturating_sub(1));
        if room < columns * NARROWEST {
            return self.as_list(width, theme);
        }
        let widths = self.widths(room);
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            lines.extend(self.row_lines(row, &widths));
            if at == 0 {
                lines.push(rule(&widths, theme));
            }
        }
        lines
    }

    /// What each column gets of `room`: all it wants, or at most as much as the others; longest words are kept whole
    /// where that is possible.
    fn widths(&self, room: usize) -> Vec<usize> {
        let most = |of: &dyn Fn(&Cell) -> usize| -> Vec<usize> {
            let column = |at: usize| self.rows.iter().filter_map(|row| row.get(at)).map(of).max().unwrap_or(0);
            (0..self.alignments.len()).map(column).collect()
        };
        let wanted = most(&cell_width);
        let words = most(&longest_word);
        let total = |widths: &[usize]| widths.iter().sum::<usize>();
        if total(&wanted) <= room {
            return wanted;
        }
        let capped = |cap: usize, least: &[usize]| -> Vec<usize> {
            wanted.iter().zip(least).map(|(&want, &least)| want.min(cap.max(least))).collect()
        };
        let none = vec![1; wanted.len()];
        let least = if total(&words) <= room { &words } else { &none };
        let cap = (1..=room).rev().find(|&cap| total(&capped(cap, least)) <= room).unwrap_or(1);
        let mut widths = capped(cap, least);
        let mut spare = room.saturating_sub(total(&widths));
        for (width, want) in widths.iter_mut().zip(&wanted) {
            let more = want.saturating_sub(*width).min(spare).min(1);
            *width += more;
            spare -= more;
        }
        widths
    }

    fn row_lines(&self, row: &[Cell], widths: &[usize]) -> Vec<Line<'static>> {
        let none = Cell::new();
        let cells: Vec<Vec<Line<'static>>> =
            widths.iter().enumerate().map(|(at, &width)| text::wrap(row.get(at).unwrap_or(&none), width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let mut spans: Vec<Span<'static>> = Vec::new();
            for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
                let part = cell.get(at).cloned().unwrap_or_default();
                let missing = width.saturating_sub(part.width());
                let before = match self.alignments[column] {
                    Alignment::Right => missing,
                    Alignment::Center => missing / 2,
                    _ => 0,
                };
                let last = column + 1 == widths.len();
                spans.push(Span::raw(" ".repeat(before)));
                spans.extend(part.spans);
                spans.push(Span::raw(" ".repeat(if last { 0 } else { missing - before + GAP })));
            }
            spans.retain(|span| !span.content.is_empty());
            Line::from(spans)
        };
        (0..height).map(line).collect()
    }

    /// For very narrow pages: each row as a small list of "head: cell".
    fn as_list(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                lines.push(Line::default());
            }
            for (name, cell) in head.iter().zip(row) {
                let mut spans = name.clone();
                spans.push(Span::styled(": ", theme.dim));
                spans.extend(cell.iter().cloned());
                lines.extend(text::wrap(&spans, width));
            }
        }
        lines
    }
}

fn cell_width(cell: &Cell) -> usize {
    cell.iter().map(Span::width).sum()
}

fn longest_word(cell: &Cell) -> usize {
    let text: String = cell.iter().map(|span| span.content.as_ref()).collect();
    text.split(' ').map(text::width).max().unwrap_or(0)
}

fn rule(widths: &[usize], theme: &Theme) -> Line<'static> {
    let parts: Vec<String> = widths.iter().map(|&width| theme.glyphs.horizontal.repeat(width)).collect();
    Line::styled(parts.join(&" ".repeat(GAP)), theme.rule)
}
