//! The prompt while it is being written.

use crate::app::event::Layout;
use crate::app::lab::Text;
use crate::ui::screens::overlays::panel;
use crate::ui::text::{fit, wrap};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

const COLUMNS: u16 = 76;
const ROWS: u16 = 6;

pub(super) fn draw(text: &Text, theme: &Theme, frame: &mut Frame, layout: &mut Layout) {
    let area = panel(frame, theme, " prompt ", COLUMNS, ROWS + 2, layout);
    let keys = Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
    let place = Rect { height: area.height.saturating_sub(if area.height > 3 { 2 } else { 1 }), ..area };
    let (lines, cursor) = lines(text, place.width.into(), theme);
    let height = usize::from(place.height);
    let from = (cursor + 1).saturating_sub(height);
    for (y, line) in lines.into_iter().skip(from).take(height).enumerate() {
        frame.render_widget(line, Rect { y: place.y + y as u16, height: 1, ..place });
    }
    let words = Line::from(vec![
        Span::styled("enter", theme.key),
        Span::styled(" begins again with it   ", theme.key_text),
        Span::styled("ctrl-j", theme.key),
        Span::styled(" new line   ", theme.key_text),
        Span::styled("esc", theme.key),
        Span::styled(" leaves it", theme.key_text),
    ]);
    frame.render_widget(fit(words, area.width.into(), &theme.glyphs), keys);
}

/// The text in lines, and the line with the cursor. The cursor stands on its character.
fn lines(text: &Text, columns: usize, theme: &Theme) -> (Vec<Line<'static>>, usize) {
    let (before, after) = text.around();
    let under = after.chars().next().filter(|c| *c != '\n');
    let rest = &after[under.map_or(0, char::len_utf8)..];
    let cursor = Style::new().add_modifier(Modifier::REVERSED);
    let mut all = Vec::new();
    let mut found = 0;
    let head: Vec<&str> = before.split('\n').collect();
    let tail: Vec<&str> = rest.split('\n').collect();
    for (at, line) in head.iter().enumerate() {
        let mut spans = vec![Span::styled((*line).to_owned(), theme.text)];
        if at + 1 < head.len() {
            all.extend(wrap(&spans, columns));
            continue;
        }
        // A blank under the cursor must not be dropped at the end of a row.
        let symbol = under.filter(|c| *c != ' ').map_or_else(|| "\u{a0}".to_owned(), |c| c.to_string());
        spans.push(Span::styled(symbol, cursor));
        spans.push(Span::styled(tail[0].to_owned(), theme.text));
        let wrapped = wrap(&spans, columns);
        let inside = wrapped.iter().position(|line| line.spans.iter().any(|span| span.style == cursor));
        found = all.len() + inside.unwrap_or(0);
        all.extend(wrapped);
    }
    for line in &tail[1..] {
        all.extend(wrap(&[Span::styled((*line).to_owned(), theme.text)], columns));
    }
    (all, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_is_always_in_a_line() {
        let theme = Theme::default();
        for text in ["", "a", "to be or not to be", "one\ntwo\n", "\n\n"] {
            let mut text = Text::new(text);
            for _ in 0..24 {
                let (lines, cursor) = lines(&text, 7, &theme);
                let marked =
                    |line: &Line| line.spans.iter().any(|span| span.style.add_modifier.contains(Modifier::REVERSED));
                assert_eq!(lines.iter().position(marked), Some(cursor), "{:?}", text.around());
                text.press("←".parse().expect("a key"));
            }
        }
    }
}
