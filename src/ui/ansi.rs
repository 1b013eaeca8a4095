//! Text with ANSI colours (rustc's diagnostics, an attempt's own output) as lines in the theme's colours.

use super::text;
use super::theme::Theme;
use super::{ascii, glyphs::Glyphs};
use ansi_to_tui::IntoText;
use ratatui::text::{Line, Span};

/// The text as lines. Colours are reduced to what the theme's terminal shows, the sixteen named ones become the theme's
/// own by meaning; every other control sequence is dropped, so nothing in the text can disturb the screen.
pub fn render(text: &str, theme: &Theme) -> Vec<Line<'static>> {
    let kept = only_colours(text);
    let Ok(parsed) = kept.into_text() else {
        return text.lines().map(|line| Line::raw(printable(line, &theme.glyphs))).collect();
    };
    let span = |span: &Span<'_>, style| {
        Span::styled(printable(&span.content, &theme.glyphs), theme.reduce(style).patch(theme.reduce(span.style)))
    };
    let line = |line: &Line<'_>| {
        let spans: Vec<Span<'static>> = line.spans.iter().map(|part| span(part, line.style)).collect();
        Line::from(spans)
    };
    parsed.lines.iter().map(line).collect()
}

/// The text without any colour or control sequence.
pub fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    scan(text, |piece| match piece {
        Piece::Text(c) => out.push(c),
        Piece::Colour(_) => {}
    });
    out
}

fn printable(words: &str, glyphs: &Glyphs) -> String {
    let words = text::clean(words);
    if glyphs.is_ascii() { ascii::spell(&words).into_owned() } else { words }
}

fn only_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    scan(text, |piece| match piece {
        Piece::Text(c) => out.push(c),
        Piece::Colour(sequence) => out.push_str(sequence),
    });
    out
}

enum Piece<'a> {
    Text(char),
    /// `ESC [ … m`.
    Colour(&'a str),
}

/// Walks over text and colours; leaves out cursor movements, titles, links and single controls. `\r` before `\n` goes, and
/// a bare one starts the line anew, as a terminal would show it: what came before on the line stays.
fn scan<'a>(text: &'a str, mut take: impl FnMut(Piece<'a>)) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c != '\u{1b}' {
            rest = &rest[c.len_utf8()..];
            if !c.is_control() || matches!(c, '\n' | '\t') {
                take(Piece::Text(c));
            } else if c == '\r' && !rest.starts_with('\n') && !rest.is_empty() {
                take(Piece::Text('\n'));
            }
            continue;
        }
        let length = sequence(rest);
        let found = &rest[..length];
        if found.starts_with("\u{1b}[") && found.ends_with('m') {
            take(Piece::Colour(found));
        }
        rest = &rest[length..];
    }
}

/// Bytes of the escape sequence at the start of the text.
fn sequence(text: &str) -> usize {
    let body = &text[1..];
    let end = match body.chars().next() {
        Some('[') => body
            .char_indices()
            .skip(1)
            .find(|(_, c)| ('\u{40}'..='\u{7e}').contains(c))
            .map(|(at, c)| at + c.len_utf8()),
        Some(']' | 'P' | '_' | '^') => {
            let bell = body.find('\u{7}').map(|at| at + 1);
            let terminator = body.find("\u{1b}\\").map(|at| at + 2);
            bell.into_iter().chain(terminator).min()
        }
        Some(c) => Some(c.len_utf8()),
        None => Some(0),
    };
    1 + end.unwrap_or(body.len())
}

#[cfg(test)]
mod tests {
    use super::super::theme::{Charset, Depth};
    use super::*;
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier};

    const RUSTC: &str = "\u{1b}[0m\u{1b}[1m\u{1b}[38;5;9merror[E0308]\u{1b}[0m\u{1b}[0m\u{1b}[1m: mismatched types\u{1b}[0m\n\
                         \u{1b}[0m \u{1b}[0m\u{1b}[0m\u{1b}[1m\u{1b}[38;5;12m--> \u{1b}[0m\u{1b}[0msdpa.rs:3:5\u{1b}[0m\n";

    #[test]
    fn rustcs_red_is_the_themes_bad() {
        let theme = Theme::light(Depth::TrueColor, Charset::Unicode);
        let lines = render(RUSTC, &theme);
        let first = &lines[0].spans.iter().find(|span| span.content.contains("E0308")).expect("the code");
        assert_eq!(first.style.fg, theme.bad.fg);
        assert!(first.style.add_modifier.contains(Modifier::BOLD));
        assert_eq!(lines[0].to_string(), "error[E0308]: mismatched types");
        assert_eq!(lines[1].to_string(), " --> sdpa.rs:3:5");
    }

    #[test]
    fn without_colour_only_modifiers_stay() {
        for span in render(RUSTC, &Theme::plain(Charset::Unicode)).iter().flat_map(|line| &line.spans) {
            assert_eq!((span.style.fg, span.style.bg), (None, None));
        }
    }

    #[test]
    fn deep_colours_become_shallow_ones() {
        let styled =
            |depth| render("\u{1b}[38;2;255;0;0mx", &Theme::dark(depth, Charset::Unicode))[0].spans[0].style.fg;
        assert_eq!(styled(Depth::TrueColor), Some(Color::Rgb(255, 0, 0)));
        assert_eq!(styled(Depth::Indexed), Some(Color::Indexed(196)));
        assert_eq!(styled(Depth::Ansi16), Some(Color::LightRed));
    }

    #[test]
    fn nothing_but_text_and_colour_gets_through() {
        let hostile = "a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{1b}[?1049hd\u{7}\u{8}e\rf\r\ng\u{1b}";
        let lines: Vec<String> = render(hostile, &Theme::default()).iter().map(Line::to_string).collect();
        assert_eq!(lines, ["abcde", "f", "g"]);
        assert_eq!(strip(RUSTC), "error[E0308]: mismatched types\n --> sdpa.rs:3:5\n");
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(text in "([\u{1b}\\[\\]0-9;m\u{7}\r\na-c一]|\\PC){0,60}") {
            for line in render(&text, &Theme::default()) {
                prop_assert!(!line.to_string().chars().any(char::is_control));
            }
        }
    }
}
