//! The cumulative distribution as a curve, tokens in order of id, with the uniform's way to its token.

use crate::lab::track::Step;
use crate::ui::text::pad;
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// With fewer rows it says nothing.
pub(super) const LEAST: u16 = 6;
/// More rows say no more.
pub(super) const MOST: u16 = 16;
/// Columns of the axis.
const AXIS: u16 = 2;

type Cell = Option<(String, Style)>;

pub(super) fn draw(step: &Step, theme: &Theme, frame: &mut Frame, area: Rect) {
    if area.height < LEAST || area.width < 12 {
        return;
    }
    let title = format!("cumulative {} {} tokens by id", theme.glyphs.dot, step.trace.kept.len());
    let title = pad(&title, area.width.into(), &theme.glyphs);
    frame.render_widget(Span::styled(title, theme.dim), Rect { height: 1, ..area });
    let (columns, rows) = (usize::from(area.width - AXIS), usize::from(area.height - 1));
    let dots = if theme.glyphs.is_ascii() { (1, 1) } else { (2, 4) };
    let mut cells: Vec<Vec<Cell>> = vec![vec![None; columns]; rows];
    let (height, heights) = (rows * dots.1, heights(step, columns * dots.0, rows * dots.1));
    uniform(step, theme, &mut cells, height, dots);
    staircase(&heights, theme, &mut cells, dots);
    for (row, cells) in cells.into_iter().enumerate() {
        let label = if row == 0 {
            "1 "
        } else if row + 1 == rows {
            "0 "
        } else {
            "  "
        };
        let mut line = Line::from(Span::styled(label, theme.dim));
        line.spans.extend(cells.into_iter().map(|cell| {
            let (symbol, style) = cell.unwrap_or_else(|| (" ".to_owned(), Style::new()));
            Span::styled(symbol, style)
        }));
        frame.render_widget(line, Rect { y: area.y + 1 + row as u16, height: 1, ..area });
    }
}

/// The dot, counted from above, at which the curve stands in each dot column.
fn heights(step: &Step, columns: usize, height: usize) -> Vec<usize> {
    let count = step.trace.kept.len();
    let mut heights = Vec::with_capacity(columns);
    let mut sum = 0.0;
    for (at, (_, p)) in step.trace.kept.iter().enumerate() {
        sum += p;
        while heights.len() < columns && ((heights.len() + 1) * count).div_ceil(columns) == at + 1 {
            heights.push(dot(sum, height));
        }
    }
    heights.resize(columns, 0);
    heights
}

fn dot(share: f64, height: usize) -> usize {
    ((1.0 - share.clamp(0.0, 1.0)) * (height - 1) as f64).round() as usize
}

/// From the axis at the uniform's height to the drawn token, and down from there.
fn uniform(step: &Step, theme: &Theme, cells: &mut [Vec<Cell>], height: usize, dots: (usize, usize)) {
    let (rows, columns) = (cells.len(), cells[0].len());
    let count = step.trace.kept.len().max(1);
    let place = step.trace.kept.iter().position(|(id, _)| id == step.draw.id).unwrap_or(0);
    let to = (((2 * place + 1) * columns) / (2 * count)).min(columns - 1);
    let row = (dot(step.draw.uniform, height) / dots.1).min(rows - 1);
    let glyphs = &theme.glyphs;
    let mark = |glyph: &str, style| Some((glyph.to_owned(), style));
    for cell in &mut cells[row][..to] {
        *cell = mark(glyphs.horizontal, theme.warn);
    }
    for cells in &mut cells[row + 1..] {
        cells[to] = mark(glyphs.vertical, theme.warn);
    }
    cells[row][to] = mark(glyphs.bullet, theme.warn);
    cells[row][0] = mark("u", theme.warn);
}

/// The curve over what is there, but for the token that was drawn.
fn staircase(heights: &[usize], theme: &Theme, cells: &mut [Vec<Cell>], dots: (usize, usize)) {
    // Braille's bits: left column from above, then right column.
    const BITS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
    let bullet = theme.glyphs.bullet;
    let mut patterns = vec![vec![0u32; cells[0].len()]; cells.len()];
    let mut before = cells.len() * dots.1 - 1;
    for (x, &y) in heights.iter().enumerate() {
        // A step up is drawn as a line.
        for y in y..=before.max(y) {
            let (row, column) = ((y / dots.1).min(cells.len() - 1), x / dots.0);
            patterns[row][column] |= if dots.0 == 1 { 1 } else { BITS[x % 2][y % 4] };
        }
        before = y;
    }
    for (row, patterns) in patterns.into_iter().enumerate() {
        for (column, pattern) in patterns.into_iter().enumerate().filter(|(_, pattern)| *pattern > 0) {
            let cell = &mut cells[row][column];
            if cell.as_ref().is_some_and(|(symbol, _)| symbol == bullet || symbol == "u") {
                continue;
            }
            let symbol = if dots.0 == 1 { '.' } else { char::from_u32(0x2800 + pattern).unwrap_or(' ') };
            *cell = Some((symbol.to_string(), theme.bar));
        }
    }
}
