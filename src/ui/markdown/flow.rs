//! Lines under the marks and margins of what they are in: list items, quotations.

use super::super::text;
use super::super::theme::Theme;
use ratatui::text::{Line, Span};

/// What stands before the lines of a block: once, and then on every further line.
struct Indent {
    first: Option<Span<'static>>,
    rest: Span<'static>,
}

/// The lines so far.
pub(super) struct Flow<'a> {
    theme: &'a Theme,
    width: usize,
    indents: Vec<Indent>,
    lines: Vec<Line<'static>>,
    /// Nothing has been written in the innermost item yet, so a block that begins needs no blank line.
    fresh: bool,
}

impl<'a> Flow<'a> {
    pub(super) fn new(width: usize, theme: &'a Theme) -> Self {
        Self { theme, width, indents: Vec::new(), lines: Vec::new(), fresh: true }
    }

    /// Columns left for text.
    pub(super) fn room(&self) -> usize {
        let taken: usize = self.indents.iter().map(|indent| indent.rest.width()).sum();
        self.width.saturating_sub(taken).max(1)
    }

    /// A blank line before the next block, unless it is the first one.
    pub(super) fn gap(&mut self) {
        if self.fresh {
            return;
        }
        let bare = |indent: &Indent| indent.rest.content.trim().is_empty();
        let inside = self.indents.iter().rposition(|indent| !bare(indent)).map_or(0, |last| last + 1);
        let spans: Vec<Span<'static>> = self.indents[..inside].iter().map(|indent| indent.rest.clone()).collect();
        self.lines.push(Line::from(spans));
        self.fresh = true;
    }

    /// Writes a line.
    pub(super) fn line(&mut self, line: Line<'static>) {
        let mut spans: Vec<Span<'static>> = Vec::with_capacity(self.indents.len() + line.spans.len());
        spans.extend(self.indents.iter_mut().map(|indent| indent.first.take().unwrap_or_else(|| indent.rest.clone())));
        spans.extend(line.spans.into_iter().map(|span| Span::styled(span.content, line.style.patch(span.style))));
        // Marks nested deeper than the page is wide are cut.
        self.lines.push(text::fit(Line::from(spans), self.width, &self.theme.glyphs));
        self.fresh = false;
    }

    /// A line across the page.
    pub(super) fn rule(&mut self) {
        self.gap();
        let rule = Span::styled(self.theme.glyphs.horizontal.repeat(self.room()), self.theme.rule);
        self.line(Line::from(rule));
    }

    /// Goes into a list item.
    pub(super) fn item(&mut self, mark: String) {
        let rest = Span::raw(" ".repeat(Span::raw(mark.as_str()).width()));
        self.indents.push(Indent { first: Some(Span::styled(mark, self.theme.dim)), rest });
        self.fresh = true;
    }

    /// Goes into a quotation.
    pub(super) fn quote(&mut self) {
        let rest = Span::styled(format!("{} ", self.theme.glyphs.margin), self.theme.rule);
        self.indents.push(Indent { first: None, rest });
        self.fresh = true;
    }

    /// Goes out of it. An item without text still shows its mark.
    pub(super) fn leave(&mut self) {
        if self.indents.last().is_some_and(|indent| indent.first.is_some()) {
            self.line(Line::default());
        }
        self.indents.pop();
        self.fresh = false;
    }

    pub(super) fn finish(self) -> Vec<Line<'static>> {
        self.lines
    }
}
