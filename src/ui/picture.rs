//! Pictures of what went wrong: heat maps of tensors, bars of draws, the place where two lists part. Each is a list of
//! lines for a given width; where colour is missing, shades and signs say the same.

mod draws;
mod heat;
mod layout;
mod lists;
mod numbers;
mod scene;

use super::text;
use super::theme::Theme;
use crate::judge::compare::bytes_text;
use crate::judge::number::Num;
use crate::judge::report::{Detail, Window};
pub use draws::draws;
pub use lists::lines;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The judge's tolerance where a window comes without one.
const RTOL: f64 = 1e-5;

/// Columns of "expected" and "got" before a value.
const LABEL: usize = 10;

/// The picture of any mismatch: the one that a screen calls. `height` is how many rows it should fill at most; a picture
/// that could not be read in them is taller, and is scrolled.
pub fn detail(detail: &Detail, width: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    match detail {
        Detail::Values { window, rtol, .. } => window_picture(window, *rtol, width, height, theme),
        Detail::Draws { expected, got, .. } => draws(expected, got, width, height, theme),
        Detail::Lines { expected, got, first } => lines(expected, got, *first, width, height, theme),
        Detail::Shape { expected, got } => shapes(expected, got, theme),
        Detail::Kind { expected, got } | Detail::Single { expected, got } => pair(expected, got, width, theme),
        Detail::Peak { bytes, bound } => peak(*bytes, *bound, width, theme),
    }
}

/// Expected, got and difference as heat maps; as numbers, where there are few.
pub fn triptych(window: &Window, width: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    window_picture(window, RTOL, width, height, theme)
}

fn window_picture(window: &Window, rtol: f64, width: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    let cells = window.rows * window.cols;
    if cells == 0 || window.expected.len() != cells || window.got.len() != cells {
        return Vec::new();
    }
    let (width, height) = (usize::from(width), usize::from(height));
    numbers::table(window, rtol, width, theme).unwrap_or_else(|| heat::maps(window, width, height, theme))
}

/// One bar: `share` (0 to 1) of `width` columns, in eighths of a column where the terminal has them.
pub fn bar(share: f64, width: usize, theme: &Theme) -> String {
    let g = &theme.glyphs;
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let steps = g.eighths.len() + 1;
    let filled = (share * (width * steps) as f64).round() as usize;
    let mut bar = g.bar.repeat(filled / steps);
    if let Some(part) = (filled % steps).checked_sub(1) {
        bar.push_str(g.eighths[part]);
    } else if filled == 0 && share > 0.0 && width > 0 {
        // Something is not nothing.
        bar.push_str(g.eighths.first().unwrap_or(&g.tick));
    }
    bar
}

fn label(text: &'static str, theme: &Theme) -> Span<'static> {
    Span::styled(format!("{text:<LABEL$}"), theme.dim)
}

fn pair(expected: &str, got: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let room = usize::from(width).saturating_sub(LABEL);
    let one = |name, words: &str, style: Style| {
        let line = Line::from(Span::styled(text::clean(words), style));
        Line::from([vec![label(name, theme)], text::fit(line, room, &theme.glyphs).spans].concat())
    };
    vec![one("expected", expected, theme.strong), one("got", got, theme.bad)]
}

/// Both shapes, axis under axis, with the axes that differ marked.
fn shapes(expected: &[usize], got: &[usize], theme: &Theme) -> Vec<Line<'static>> {
    let axes = expected.len().max(got.len());
    let texts = |shape: &[usize]| -> Vec<String> {
        (0..axes).map(|at| shape.get(at).map_or(theme.glyphs.dash.to_owned(), usize::to_string)).collect()
    };
    let (want, have) = (texts(expected), texts(got));
    let line = |name, mine: &[String], style: Style| {
        let mut spans = vec![label(name, theme), Span::styled("[", theme.dim)];
        for (at, size) in mine.iter().enumerate() {
            let columns = text::width(&want[at]).max(text::width(&have[at]));
            let size = format!("{size:>columns$}");
            let style = if want[at] == have[at] { theme.text } else { style };
            spans.push(Span::styled(if at == 0 { "" } else { ", " }, theme.dim));
            spans.push(Span::styled(size, style));
        }
        spans.push(Span::styled("]", theme.dim));
        Line::from(spans)
    };
    let mark = |at: usize| {
        let columns = text::width(&want[at]).max(text::width(&have[at]));
        let mark = if want[at] == have[at] { " " } else { theme.glyphs.not_equal };
        format!("{mark:>columns$}  ")
    };
    let marks: String = (0..axes).map(mark).collect();
    vec![
        line("expected", &want, theme.strong),
        line("got", &have, theme.bad),
        Line::from(Span::styled(format!("{:1$} {marks}", "", LABEL).trim_end().to_owned(), theme.bad)),
    ]
}

/// Used and allowed memory as two bars of one scale.
fn peak(bytes: u64, bound: u64, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let words = [bytes_text(bound), bytes_text(bytes)];
    let columns = words.iter().map(String::len).max().unwrap_or(0);
    let room = usize::from(width).saturating_sub(LABEL + columns + 2);
    let most = bytes.max(bound).max(1) as f64;
    let row = |name, words: &str, value: u64, style: Style| {
        let bar = bar(value as f64 / most, room, theme);
        Line::from(vec![label(name, theme), Span::raw(format!("{words:>columns$}  ")), Span::styled(bar, style)])
    };
    vec![row("allowed", &words[0], bound, theme.bar), row("used", &words[1], bytes, theme.bad)]
}

/// A number without more digits than a legend needs.
fn short(value: f64, theme: &Theme) -> String {
    let text = match value {
        v if !v.is_finite() || v == 0.0 => Num(v).to_string(),
        v if v.abs() >= 1e5 || v.abs() < 1e-3 => format!("{v:.1e}"),
        v if v.abs() >= 100.0 => format!("{v:.0}"),
        v if v.abs() >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.3}"),
    };
    text.replacen('-', theme.glyphs.minus, 1)
}

#[cfg(test)]
mod tests;
