//! Text by display width: what a terminal shows of it, not how many bytes or characters it has. Everything that is cut,
//! padded or wrapped for the screen goes through here.

use super::glyphs::Glyphs;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Columns that a tab advances to a multiple of.
const TAB: usize = 4;

/// Columns that the text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text without control characters: tabs become blanks, the rest is dropped. For one line of foreign text.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => {
                let blanks = TAB - out.width() % TAB;
                out.extend(std::iter::repeat_n(' ', blanks));
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// At most `width` columns; what was cut shows as an ellipsis.
pub fn truncate(text: &str, width: usize, glyphs: &Glyphs) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    if width == 0 {
        return String::new();
    }
    let mut out = head(text, width - glyphs.ellipsis.width());
    out.push_str(glyphs.ellipsis);
    out
}

/// The longest beginning that takes at most `width` columns.
fn head(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for grapheme in Span::raw(text).styled_graphemes(Style::new()) {
        used += grapheme.symbol.width();
        if used > width {
            break;
        }
        out.push_str(grapheme.symbol);
    }
    out
}

/// Exactly `width` columns, text at the left.
pub fn pad(text: &str, width: usize, glyphs: &Glyphs) -> String {
    let mut out = truncate(text, width, glyphs);
    let missing = width - out.width();
    out.extend(std::iter::repeat_n(' ', missing));
    out
}

/// Exactly `width` columns, text at the right.
pub fn pad_left(text: &str, width: usize, glyphs: &Glyphs) -> String {
    let cut = truncate(text, width, glyphs);
    " ".repeat(width - cut.width()) + &cut
}

/// A styled line of at most `width` columns; what was cut shows as an ellipsis in the style of the place.
pub fn fit(line: Line<'static>, width: usize, glyphs: &Glyphs) -> Line<'static> {
    if line.width() <= width {
        return line;
    }
    let mut spans = Vec::new();
    let mut left = width.saturating_sub(glyphs.ellipsis.width());
    for span in &line.spans {
        let kept = head(&span.content, left);
        left -= kept.width();
        let whole = kept.len() == span.content.len();
        spans.push(Span::styled(kept, span.style));
        if !whole {
            if width > 0 {
                spans.push(Span::styled(glyphs.ellipsis, span.style));
            }
            break;
        }
    }
    Line { spans, ..line }
}

/// A styled line of exactly `width` columns.
pub fn fill(line: Line<'static>, width: usize, glyphs: &Glyphs) -> Line<'static> {
    let mut line = fit(line, width, glyphs);
    let missing = width.saturating_sub(line.width());
    if missing > 0 {
        line.spans.push(Span::raw(" ".repeat(missing)));
    }
    line
}

/// `left` and `right` at the two ends of `width` columns; where there is no room for both, `right` goes first.
pub fn ends(left: Line<'static>, right: Line<'static>, width: usize, glyphs: &Glyphs) -> Line<'static> {
    let room = width.saturating_sub(right.width() + 1);
    if room < left.width().min(8) {
        return fit(left, width, glyphs);
    }
    let mut line = fill(fit(left, room, glyphs), room + 1, glyphs);
    line.spans.extend(right.spans);
    line
}

/// Wraps at blanks; a word that is wider than the line is cut. Blanks at the end of a line are dropped, those at the
/// beginning of the text stay. Always at least one line.
pub fn wrap(spans: &[Span<'_>], width: usize) -> Vec<Line<'static>> {
    let mut wrapper = Wrapper { width: width.max(1), ..Wrapper::default() };
    for span in spans {
        for grapheme in span.styled_graphemes(Style::new()) {
            wrapper.push(grapheme.symbol, grapheme.style);
        }
    }
    wrapper.finish()
}

/// [`wrap`] for text in one style; line breaks in the text are kept.
pub fn wrap_text(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    text.lines().flat_map(|line| wrap(&[Span::styled(clean(line), style)], width)).collect()
}

/// Cuts a line every `width` columns, wherever that is: for code, where blanks mean something. Always at least one line.
pub fn chop(line: &Line<'static>, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let (mut pieces, mut used) = (Vec::new(), 0);
    for span in &line.spans {
        for grapheme in span.styled_graphemes(Style::new()) {
            let columns = grapheme.symbol.width();
            if used > 0 && used + columns > width.max(1) {
                lines.push(line_of(&mut pieces));
                used = 0;
            }
            join(&mut pieces, grapheme.symbol, grapheme.style);
            used += columns;
        }
    }
    if used > 0 || lines.is_empty() {
        lines.push(line_of(&mut pieces));
    }
    lines
}

/// A line of code in at most `width` columns: broken at blanks, the rest indented under it.
pub fn continued(line: &Line<'static>, width: usize) -> Vec<Line<'static>> {
    if line.width() <= width {
        return vec![line.clone()];
    }
    let text = line.to_string();
    let indent = text.len() - text.trim_start().len() + 4;
    if indent + 12 > width {
        return chop(line, width);
    }
    let wrapped = wrap(&line.spans, width - indent).into_iter().enumerate();
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (at, part) in wrapped {
        let tint = Style { bg: part.spans.first().and_then(|span| span.style.bg), ..Style::new() };
        let mut spans = if at == 0 { Vec::new() } else { vec![Span::styled(" ".repeat(indent), tint)] };
        spans.extend(part.spans);
        lines.push(Line::from(spans));
    }
    lines
}

/// Keeps the groups of "100 000" on one line.
pub fn bind_digits(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let between = c == ' ' && out.ends_with(|c: char| c.is_ascii_digit());
        let next_is_digit = chars.peek().is_some_and(char::is_ascii_digit);
        out.push(if between && next_is_digit { '\u{a0}' } else { c });
    }
    out
}

/// Patches a line with `base`, and the given byte ranges of its text with `inner` on top.
pub fn overlay(line: Line<'static>, base: Style, ranges: &[Range<usize>], inner: Style) -> Line<'static> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for span in &line.spans {
        for grapheme in span.styled_graphemes(Style::new()) {
            let within = ranges.iter().any(|range| range.contains(&at));
            let style = grapheme.style.patch(base);
            join(&mut pieces, grapheme.symbol, if within { style.patch(inner) } else { style });
            at += grapheme.symbol.len();
        }
    }
    line_of(&mut pieces)
}

/// A piece of text in one style.
type Piece = (String, Style);

/// Greedy wrapping, one grapheme at a time.
#[derive(Default)]
struct Wrapper {
    width: usize,
    lines: Vec<Line<'static>>,
    /// The line that is being filled, the blanks after it, and the word after those.
    line: Vec<Piece>,
    blanks: Vec<Piece>,
    word: Vec<Piece>,
    used: usize,
    blank_width: usize,
    word_width: usize,
}

impl Wrapper {
    fn push(&mut self, symbol: &str, style: Style) {
        let columns = symbol.width();
        if symbol == " " {
            self.end_word();
            join(&mut self.blanks, symbol, style);
            self.blank_width += columns;
            return;
        }
        if self.word_width > 0 && self.word_width + columns > self.width {
            self.end_word();
        }
        join(&mut self.word, symbol, style);
        self.word_width += columns;
    }

    /// Puts the word where it fits: after the blanks, or on a line of its own.
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let first = self.line.is_empty() && self.lines.is_empty();
        if self.used + self.blank_width + self.word_width > self.width && !self.line.is_empty() {
            self.end_line();
        } else if !self.line.is_empty() || (first && self.blank_width + self.word_width <= self.width) {
            self.used += self.blank_width;
            self.line.append(&mut self.blanks);
        }
        self.blanks.clear();
        self.blank_width = 0;
        self.used += self.word_width;
        self.word_width = 0;
        for (text, style) in std::mem::take(&mut self.word) {
            join(&mut self.line, &text, style);
        }
    }

    fn end_line(&mut self) {
        self.lines.push(line_of(&mut self.line));
        self.used = 0;
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.end_word();
        if !self.line.is_empty() || self.lines.is_empty() {
            self.end_line();
        }
        self.lines
    }
}

fn line_of(pieces: &mut Vec<Piece>) -> Line<'static> {
    pieces.drain(..).map(|(text, style)| Span::styled(text, style)).collect::<Vec<Span<'static>>>().into()
}

/// Adds to the last piece if the style is the same.
fn join(pieces: &mut Vec<Piece>, text: &str, style: Style) {
    match pieces.last_mut() {
        Some((last, same)) if *same == style => last.push_str(text),
        _ => pieces.push((text.to_owned(), style)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::glyphs::Charset;
    use super::*;
    use proptest::prelude::*;

    const GLYPHS: fn() -> Glyphs = || Glyphs::new(Charset::Unicode);

    fn wrapped(text: &str, width: usize) -> Vec<String> {
        wrap(&[Span::raw(text)], width).iter().map(Line::to_string).collect()
    }

    #[test]
    fn wraps_at_blanks() {
        assert_eq!(wrapped("softmax over the keys", 10), ["softmax", "over the", "keys"]);
        assert_eq!(wrapped("", 10), [""]);
        assert_eq!(wrapped("  indented", 20), ["  indented"]);
    }

    #[test]
    fn cuts_a_word_that_is_too_wide() {
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("一二三", 4), ["一二", "三"]);
        assert_eq!(wrapped("一", 1), ["一"]);
    }

    #[test]
    fn styles_survive_wrapping() {
        let bold = Style::new().bold();
        let lines = wrap(&[Span::raw("a "), Span::styled("bc", bold), Span::raw("d e")], 3);
        assert_eq!(lines[1].spans, [Span::styled("bc", bold), Span::raw("d")]);
    }

    #[test]
    fn truncates_by_columns() {
        assert_eq!(truncate("abcdef", 4, &GLYPHS()), "abc…");
        assert_eq!(truncate("一二三", 4, &GLYPHS()), "一…");
        assert_eq!(truncate("abc", 3, &GLYPHS()), "abc");
        assert_eq!(truncate("abc", 0, &GLYPHS()), "");
        assert_eq!(pad_left("7", 3, &GLYPHS()), "  7");
        assert_eq!(pad("一", 4, &GLYPHS()), "一  ");
    }

    #[test]
    fn a_styled_line_is_cut_within_its_style() {
        let red = Style::new().red();
        let line = Line::from(vec![Span::raw("ab"), Span::styled("cdef", red)]);
        assert_eq!(fit(line, 4, &GLYPHS()).spans, [Span::raw("ab"), Span::styled("c", red), Span::styled("…", red)]);
    }

    #[test]
    fn code_is_cut_by_columns_and_loses_nothing() {
        let chopped =
            |text: &'static str, width| chop(&Line::raw(text), width).iter().map(Line::to_string).collect::<Vec<_>>();
        assert_eq!(chopped("let  x = 1;", 5), ["let  ", "x = 1", ";"]);
        assert_eq!(chopped("", 5), [""]);
        assert_eq!(chopped("一二", 3), ["一", "二"]);
    }

    #[test]
    fn ranges_are_patched_over_spans() {
        let line = Line::from(vec![Span::raw("ab"), Span::styled("cd", Style::new().red())]);
        let bold = overlay(line, Style::new(), std::slice::from_ref(&(1..3)), Style::new().bold());
        let texts: Vec<&str> = bold.spans.iter().map(|span| span.content.as_ref()).collect();
        assert_eq!(texts, ["a", "b", "c", "d"]);
        assert_eq!(bold.spans[2].style, Style::new().red().bold());
    }

    #[test]
    fn both_ends_share_a_line() {
        let line = |text: &'static str| Line::raw(text);
        assert_eq!(ends(line("title"), line("20 min"), 14, &GLYPHS()).to_string(), "title   20 min");
        assert_eq!(ends(line("a long title"), line("20 min"), 15, &GLYPHS()).to_string(), "a long … 20 min");
        assert_eq!(ends(line("a long title"), line("20 min"), 8, &GLYPHS()).to_string(), "a long …");
    }

    #[test]
    fn control_characters_go() {
        assert_eq!(clean("a\tb\u{7}\u{1b}[31mc\r"), "a   b[31mc");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_asked(text in "[a-z 一é👩‍👧]{0,80}", columns in 2usize..30) {
            for line in wrap(&[Span::raw(text.as_str())], columns) {
                prop_assert!(line.width() <= columns, "{line:?}");
            }
        }

        #[test]
        fn wrapping_loses_no_letter(text in "[a-z ]{0,80}", columns in 1usize..30) {
            let letters = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            let all: String = wrap(&[Span::raw(text.as_str())], columns).iter().map(Line::to_string).collect();
            prop_assert_eq!(letters(&all), letters(&text));
        }

        #[test]
        fn cutting_never_exceeds(text in "\\PC{0,30}", columns in 0usize..20) {
            prop_assert!(width(&truncate(&text, columns, &GLYPHS())) <= columns);
            prop_assert!(fit(Line::raw(text), columns, &GLYPHS()).width() <= columns);
        }
    }
}
