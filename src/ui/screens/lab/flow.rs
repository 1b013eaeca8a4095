//! Running text made of tokens: wrapped at blanks, and every cell still knows its step.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// A token's text in its style.
pub(super) struct Piece {
    pub text: String,
    pub style: Style,
    /// The step that it comes from; none: the prompt.
    pub step: Option<usize>,
}

/// A stretch of a row: its text, its style, its step.
type Stretch = (String, Style, Option<usize>);

/// Wrapped text.
#[derive(Default)]
pub(super) struct Flow {
    rows: Vec<Vec<Stretch>>,
}

struct Cell {
    symbol: String,
    width: usize,
    style: Style,
    step: Option<usize>,
}

impl Flow {
    /// Wraps the pieces to `width` columns.
    pub fn new(pieces: &[Piece], width: usize) -> Self {
        let width = width.max(1);
        let mut flow = Self::default();
        let (mut row, mut used): (Vec<Cell>, usize) = (Vec::new(), 0);
        for piece in pieces {
            for (part, text) in piece.text.split('\n').enumerate() {
                if part > 0 {
                    flow.end(&mut row);
                    used = 0;
                }
                let clean = crate::ui::text::clean(text);
                for grapheme in Span::raw(clean.as_str()).styled_graphemes(piece.style) {
                    let columns = grapheme.symbol.width();
                    if used + columns > width {
                        if grapheme.symbol == " " {
                            continue;
                        }
                        used = flow.wrap(&mut row);
                    }
                    used += columns;
                    let symbol = grapheme.symbol.to_owned();
                    row.push(Cell { symbol, width: columns, style: piece.style, step: piece.step });
                }
            }
        }
        flow.end(&mut row);
        flow
    }

    /// Ends the row at its last blank, if it has one. What comes after that begins the next row; its width is returned.
    fn wrap(&mut self, row: &mut Vec<Cell>) -> usize {
        let at = row.iter().rposition(|cell| cell.symbol == " ").map_or(row.len(), |at| at + 1);
        let mut rest = row.split_off(at);
        self.end(row);
        row.append(&mut rest);
        row.iter().map(|cell| cell.width).sum()
    }

    fn end(&mut self, row: &mut Vec<Cell>) {
        let mut stretches: Vec<Stretch> = Vec::new();
        for cell in row.drain(..) {
            match stretches.last_mut() {
                Some((text, style, step)) if (*style, *step) == (cell.style, cell.step) => text.push_str(&cell.symbol),
                _ => stretches.push((cell.symbol, cell.style, cell.step)),
            }
        }
        self.rows.push(stretches);
    }

    /// The rows that are shown of `height`: those up to the step that is looked at, and what comes after it as far as
    /// there is room.
    pub fn window(&self, height: usize, current: Option<usize>) -> Range<usize> {
        let last = match current {
            Some(step) => self.rows.iter().rposition(|row| row.iter().any(|(_, _, own)| *own == Some(step))),
            None => self.rows.iter().rposition(|row| row.iter().any(|(_, _, own)| own.is_none())),
        };
        let last = last.unwrap_or(self.rows.len() - 1);
        // One row ahead stays in sight, where something is known.
        let end = (last + 2).max(height).min(self.rows.len());
        end.saturating_sub(height)..end
    }

    /// A row to draw.
    pub fn line(&self, row: usize) -> Line<'static> {
        self.rows[row].iter().map(|(text, style, _)| Span::styled(text.clone(), *style)).collect()
    }

    /// Where the steps stand in a row: column, width, step.
    pub fn places(&self, row: usize) -> Vec<(u16, u16, usize)> {
        let mut x = 0;
        let mut places = Vec::new();
        for (text, _, step) in &self.rows[row] {
            let width = text.width() as u16;
            places.extend(step.map(|step| (x, width, step)));
            x += width;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(texts: &[&str], width: usize) -> Flow {
        let piece = |(step, text): (usize, &&str)| Piece {
            text: (*text).to_owned(),
            style: Style::new(),
            step: step.checked_sub(1),
        };
        Flow::new(&texts.iter().enumerate().map(piece).collect::<Vec<_>>(), width)
    }

    fn rows(flow: &Flow) -> Vec<String> {
        (0..flow.rows.len()).map(|row| flow.line(row).to_string()).collect()
    }

    #[test]
    fn wraps_words_that_are_made_of_tokens() {
        assert_eq!(rows(&flow(&["The", " cat", " sat", "is", "fied"], 9)), ["The cat ", "satisfied"]);
        assert_eq!(rows(&flow(&["abcdefgh"], 3)), ["abc", "def", "gh"]);
        assert_eq!(rows(&flow(&["one\n", "\ntwo"], 9)), ["one", "", "two"]);
        assert_eq!(rows(&flow(&["ab  ", "cd"], 2)), ["ab", "cd"]);
    }

    #[test]
    fn every_token_can_be_found_again() {
        let flow = flow(&["The", " cat", " sat"], 8);
        assert_eq!((flow.places(0), flow.places(1)), (vec![(3, 4, 0), (7, 1, 1)], vec![(0, 3, 1)]));
    }

    #[test]
    fn the_step_that_is_looked_at_is_in_sight() {
        let flow = flow(&["a\n", "b\n", "c\n", "d\n", "e\n", "f"], 9);
        assert_eq!(flow.window(3, Some(1)), 1..4);
        assert_eq!(flow.window(3, Some(4)), 3..6);
        assert_eq!(flow.window(3, None), 0..3);
        assert_eq!(flow.window(9, Some(0)), 0..6);
    }
}
