//! Bars: solid for what is kept, shaded for what was removed.

use crate::ui::theme::Theme;
use ratatui::text::Span;

/// A bar of a `share` of `width` columns, padded to them; what is there at all has at least a sliver.
pub(super) fn bar(share: f64, width: usize, kept: bool, theme: &Theme) -> Vec<Span<'static>> {
    let glyphs = &theme.glyphs;
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * width as f64 * 8.0).round() as usize;
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    let (glyph, style) = if kept { (glyphs.bar, theme.bar) } else { (glyphs.bar_removed, theme.bar_removed) };
    let mut text = glyph.repeat(eighths / 8);
    let mut used = eighths / 8;
    let rest = eighths % 8;
    match glyphs.eighths.get(rest.wrapping_sub(1)) {
        Some(part) if kept => {
            text.push_str(part);
            used += 1;
        }
        // Without eighths, half a cell and more is a cell.
        _ if rest >= 4 || (used == 0 && rest > 0) => {
            text.push_str(glyph);
            used += 1;
        }
        _ => {}
    }
    vec![Span::styled(text, style), Span::raw(" ".repeat(width.saturating_sub(used)))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::Charset;

    #[test]
    fn bars_are_as_wide_as_asked() {
        for theme in [Theme::default(), Theme::plain(Charset::Ascii)] {
            for share in [0.0, 1e-9, 0.3, 0.51, 1.0, 7.0, f64::NAN] {
                for kept in [true, false] {
                    let width: usize = bar(share, 10, kept, &theme).iter().map(Span::width).sum();
                    assert_eq!(width, 10, "{share} {kept}");
                }
            }
        }
        let text = |share, kept| bar(share, 4, kept, &Theme::default())[0].content.clone().into_owned();
        assert_eq!((text(0.625, true), text(0.625, false), text(1e-9, true)), ("██▌".into(), "░░░".into(), "▏".into()));
    }
}
