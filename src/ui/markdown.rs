//! Markdown as lines of a given width.

use super::theme::Theme;
use ratatui::text::Line;

/// The text at this width.
pub fn render(markdown: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    super::text::wrap_text(markdown, usize::from(width), theme.text)
}
