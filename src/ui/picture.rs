//! Pictures of what went wrong: heat maps of tensors, bars of draws, the place where two lists part.

use super::theme::Theme;
use crate::judge::number::Num;
use crate::judge::report::{Detail, Window};
use ratatui::text::Line;

/// The picture of any mismatch: the one a screen calls. `height` is how many rows it should fill at most; a picture that
/// would be useless in them is taller, and is scrolled.
pub fn detail(detail: &Detail, width: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    match detail {
        Detail::Values { window, .. } => triptych(window, width, height, theme),
        Detail::Draws { expected, got, .. } => draws(expected, got, width, height, theme),
        Detail::Lines { expected, got, first } => lines(expected, got, *first, width, height, theme),
        _ => Vec::new(),
    }
}

/// Expected, got and difference as heat maps (or as numbers, where there are few).
pub fn triptych(_window: &Window, _width: u16, _height: u16, _theme: &Theme) -> Vec<Line<'static>> {
    Vec::new()
}

/// Expected probabilities and observed frequencies as pairs of bars.
pub fn draws(_expected: &[Num], _got: &[Num], _width: u16, _height: u16, _theme: &Theme) -> Vec<Line<'static>> {
    Vec::new()
}

/// Two lists with the place where they part.
pub fn lines(
    _expected: &[String],
    _got: &[String],
    _first: usize,
    _width: u16,
    _height: u16,
    _theme: &Theme,
) -> Vec<Line<'static>> {
    Vec::new()
}

/// One bar: `share` (0 to 1) of `width` columns, with eighths where the terminal has them.
pub fn bar(_share: f64, _width: usize, _theme: &Theme) -> String {
    String::new()
}
