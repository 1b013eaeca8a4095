//! Text with ANSI colours (rustc's diagnostics, an attempt's own output) as lines in the theme's colours.

use super::theme::Theme;
use ratatui::text::Line;

/// The text as lines; colours are reduced to the theme's, every other control sequence is dropped.
pub fn render(text: &str, _theme: &Theme) -> Vec<Line<'static>> {
    text.lines().map(|line| Line::raw(super::text::clean(line))).collect()
}
