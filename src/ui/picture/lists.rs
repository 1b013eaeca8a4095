//! Two lists of lines (texts, calls) and the place where they part.

use super::super::diff::changed_words;
use super::super::text;
use super::super::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;

/// Equal lines shown before the place.
const BEFORE: usize = 2;

/// From this width on the lists stand side by side.
const BESIDE: usize = 64;

/// Both lists around `first`, the first line that differs, with an arrow at it.
pub fn lines(
    expected: &[String],
    got: &[String],
    first: usize,
    width: u16,
    height: u16,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let longest = expected.len().max(got.len());
    let room = usize::from(height).saturating_sub(2).max(BEFORE + 3);
    let page = Page { expected, got, first, digits: longest.to_string().len(), width: usize::from(width), theme };
    let from = first.saturating_sub(BEFORE).min(longest);
    let mut out = Vec::new();
    if from > 0 {
        out.push(page.note(from, "equal"));
    }
    if page.width >= BESIDE {
        let to = longest.min(from + room);
        out.insert(0, page.head());
        out.extend((from..to).map(|at| page.beside(at)));
        if to < longest {
            out.push(page.note(longest - to, "more"));
        }
    } else {
        let to = longest.min(from + room.div_ceil(2));
        out.extend((from..to).flat_map(|at| page.below(at)));
        if to < longest {
            out.push(page.note(longest - to, "more"));
        }
    }
    out
}

struct Page<'a> {
    expected: &'a [String],
    got: &'a [String],
    first: usize,
    digits: usize,
    width: usize,
    theme: &'a Theme,
}

impl Page<'_> {
    fn note(&self, count: usize, what: &str) -> Line<'static> {
        let lines = if count == 1 { "line" } else { "lines" };
        let words = format!("{:1$}{count} {what} {lines}", "", self.digits + 3);
        Line::styled(text::truncate(&words, self.width, &self.theme.glyphs), self.theme.dim)
    }

    fn number(&self, at: usize) -> Span<'static> {
        let (mark, style) =
            if at == self.first { (self.theme.glyphs.arrow, self.theme.bad) } else { (" ", self.theme.line_number) };
        Span::styled(format!("{mark}{:>1$}  ", at + 1, self.digits), style)
    }

    fn half(&self) -> usize {
        self.width.saturating_sub(self.digits + 3 + 3) / 2
    }

    fn head(&self) -> Line<'static> {
        let left = text::pad("expected", self.half() + 3, &self.theme.glyphs);
        Line::styled(format!("{:1$}{left}got", "", self.digits + 3), self.theme.strong)
    }

    /// Both texts of a line, with the words that differ marked; nothing where a list has ended.
    fn texts(&self, at: usize) -> [Line<'static>; 2] {
        let clean = |list: &[String]| list.get(at).map(|line| text::clean(line));
        let (want, have) = (clean(self.expected), clean(self.got));
        let (went, came) = match (&want, &have) {
            (Some(want), Some(have)) => changed_words(want, have),
            _ => (Vec::new(), Vec::new()),
        };
        let differ = want != have;
        let line = |words: Option<String>, changed: &[Range<usize>], word: Style| match words {
            Some(words) => {
                let base =
                    if differ { word.remove_modifier(ratatui::style::Modifier::UNDERLINED) } else { self.theme.dim };
                let base = Style { bg: None, ..base };
                text::overlay(Line::raw(words), if differ { base } else { self.theme.dim }, changed, word)
            }
            None => Line::from(Span::styled("(no more)", self.theme.dim)),
        };
        [line(want, &went, self.theme.diff_added_word), line(have, &came, self.theme.diff_removed_word)]
    }

    fn beside(&self, at: usize) -> Line<'static> {
        let [want, have] = self.texts(at);
        let half = self.half();
        let mut spans = vec![self.number(at)];
        spans.extend(text::fill(want, half, &self.theme.glyphs).spans);
        spans.push(Span::styled(format!(" {} ", self.theme.glyphs.vertical), self.theme.rule));
        spans.extend(text::fit(have, half, &self.theme.glyphs).spans);
        Line::from(spans)
    }

    /// Equal lines once; others below each other with their names.
    fn below(&self, at: usize) -> Vec<Line<'static>> {
        let [want, have] = self.texts(at);
        let indent = self.digits + 3;
        let equal = self.expected.get(at) == self.got.get(at);
        let row = |lead: Span<'static>, name: &'static str, words: Line<'static>| {
            let name = Span::styled(if equal { String::new() } else { format!("{name:<9}") }, self.theme.dim);
            let room = self.width.saturating_sub(indent + name.width());
            let mut spans = vec![lead, name];
            spans.extend(text::fit(words, room, &self.theme.glyphs).spans);
            text::fit(Line::from(spans), self.width, &self.theme.glyphs)
        };
        let first = row(self.number(at), "expected", want);
        if equal {
            return vec![first];
        }
        vec![first, row(Span::raw(" ".repeat(indent)), "got", have)]
    }
}
