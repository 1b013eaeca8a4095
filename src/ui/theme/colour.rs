//! Arithmetic on colours: what a terminal of fewer colours shows, and how far two colours are apart.

use super::{Background, Depth, Theme};
use ratatui::style::{Color, Style};

/// 0xRRGGBB.
pub(super) type Rgb = u32;

/// As the terminal library takes it.
pub(super) fn shown(rgb: Rgb) -> Color {
    let [r, g, b] = channels(rgb);
    Color::Rgb(r, g, b)
}

fn channels(rgb: Rgb) -> [u8; 3] {
    [(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8]
}

/// The nearest of the 240 fixed entries of the 256-colour palette: the 6×6×6 cube and the grey ramp.
pub(super) fn nearest(rgb: Rgb) -> u8 {
    let apart = |index: &u8| {
        let pairs = channels(rgb).into_iter().zip(channels(indexed(*index)));
        pairs.map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum::<i32>()
    };
    (16..=255).min_by_key(apart).unwrap_or(16)
}

/// What an entry of the 256-colour palette looks like; the first sixteen as xterm has them.
pub(super) fn indexed(index: u8) -> Rgb {
    const FIRST: [Rgb; 16] = [
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00,
        0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    ];
    let level = |step: u32| if step == 0 { 0 } else { 55 + step * 40 };
    match u32::from(index) {
        i @ 0..=15 => FIRST[i as usize],
        i @ 16..=231 => (level((i - 16) / 36) << 16) | (level((i - 16) / 6 % 6) << 8) | level((i - 16) % 6),
        i => (8 + (i - 232) * 10) * 0x010101,
    }
}

/// The nearest of the sixteen.
fn sixteen(rgb: Rgb) -> Color {
    const NAMES: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    let apart = |index: &u8| {
        let pairs = channels(rgb).into_iter().zip(channels(indexed(*index)));
        pairs.map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum::<i32>()
    };
    NAMES[usize::from((0..16).min_by_key(apart).unwrap_or(7))]
}

/// A foreign style in what the theme's terminal shows. The sixteen named colours are rendered by meaning, because their
/// look is unknown: bright yellow on white cannot be read.
pub(super) fn reduce(style: Style, theme: &Theme) -> Style {
    if theme.depth == Depth::None {
        return Style { fg: None, bg: None, underline_color: None, ..style };
    }
    let fewer = |colour: Color| match (colour, theme.depth) {
        (Color::Rgb(r, g, b), Depth::Indexed) => Color::Indexed(nearest(joined(r, g, b))),
        (Color::Rgb(r, g, b), Depth::Ansi16) => sixteen(joined(r, g, b)),
        (Color::Indexed(index), Depth::Ansi16) => sixteen(indexed(index)),
        (colour, _) => colour,
    };
    let by_meaning = |colour: Color| named(colour, theme).unwrap_or_else(|| fewer(colour));
    Style { fg: style.fg.map(by_meaning), bg: style.bg.map(fewer), ..style }
}

fn joined(r: u8, g: u8, b: u8) -> Rgb {
    (u32::from(r) << 16) | (u32::from(g) << 8) | u32::from(b)
}

/// What a named foreground stands for; black and white are left to the terminal where they could vanish.
fn named(colour: Color, theme: &Theme) -> Option<Color> {
    let colour = match colour {
        Color::Indexed(index @ 0..=15) => sixteen(indexed(index)),
        other => other,
    };
    match colour {
        Color::Red | Color::LightRed => theme.bad.fg,
        Color::Green | Color::LightGreen => theme.good.fg,
        Color::Yellow | Color::LightYellow => theme.warn.fg,
        Color::Blue | Color::LightBlue => theme.accent.fg,
        Color::Cyan | Color::LightCyan => theme.info.fg,
        Color::Magenta | Color::LightMagenta => theme.code_macro.fg,
        Color::Black if theme.background == Background::Dark => Some(Color::Reset),
        Color::White | Color::Gray if theme.background == Background::Light => Some(Color::Reset),
        Color::DarkGray => theme.dim.fg.or(Some(Color::Reset)),
        _ => None,
    }
}

/// WCAG's relative luminance.
#[cfg(test)]
pub(super) fn luminance(rgb: Rgb) -> f64 {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = channels(rgb).map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// CIE lightness, 0 to 100.
#[cfg(test)]
pub(super) fn lightness(rgb: Rgb) -> f64 {
    let y = luminance(rgb);
    if y > 0.008856 { 116.0 * y.cbrt() - 16.0 } else { 903.3 * y }
}

/// WCAG's contrast ratio, 1 to 21.
#[cfg(test)]
pub(super) fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// A style's colour as RGB.
#[cfg(test)]
pub(super) fn rgb(colour: Color) -> Option<Rgb> {
    match colour {
        Color::Rgb(r, g, b) => Some(joined(r, g, b)),
        Color::Indexed(index) => Some(indexed(index)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_and_the_ramp() {
        assert_eq!(indexed(16), 0x000000);
        assert_eq!(indexed(231), 0xffffff);
        assert_eq!(indexed(196), 0xff0000);
        assert_eq!(indexed(232), 0x080808);
        assert_eq!(indexed(255), 0xeeeeee);
        assert_eq!(nearest(0xff0000), 196);
        assert_eq!(nearest(0x808080), 244);
    }

    #[test]
    fn contrast_of_black_on_white() {
        assert!((contrast(0, 0xffffff) - 21.0).abs() < 1e-9);
        assert!((lightness(0xffffff) - 100.0).abs() < 1e-6);
    }
}
