//! Two versions of a source: side by side where there is room, else one below the other. Signs say what came and what
//! went, colour says it again, and the words that changed stand out within their line.

mod rows;

use super::theme::Theme;
use super::{code, text};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
pub(crate) use rows::words_changed as changed_words;
use rows::{Cell, Row};

/// From this width on, [`render`] puts the versions side by side.
pub const SIDE_BY_SIDE: u16 = 100;

/// Side by side where there is room, else one below the other.
pub fn render(old: &str, new: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    if width >= SIDE_BY_SIDE { side_by_side(old, new, width, theme) } else { unified(old, new, width, theme) }
}

/// The old version at the left, the new one at the right. Long lines are continued below.
pub fn side_by_side(old: &str, new: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let page = Page::new(old, new, theme);
    let half = usize::from(width).saturating_sub(3) / 2;
    let middle = Span::styled(format!(" {} ", theme.glyphs.vertical), theme.rule);
    let mut lines = Vec::new();
    for row in rows::rows(old, new) {
        let (left, right) = match row {
            Row::Same(old, new) => {
                (page.half(Side::Old, Some(old), half, true), page.half(Side::New, Some(new), half, true))
            }
            Row::Changed(old, new) => (page.half(Side::Old, old, half, false), page.half(Side::New, new, half, false)),
            Row::Fold(count) => {
                lines.push(page.fold(count, usize::from(width)));
                continue;
            }
        };
        for at in 0..left.len().max(right.len()) {
            let part = |side: &[Line<'static>]| side.get(at).cloned().unwrap_or_default();
            let mut line = text::fill(part(&left), half, &theme.glyphs);
            line.spans.push(middle.clone());
            line.spans.extend(part(&right).spans);
            lines.push(line);
        }
    }
    page.or_same(lines)
}

/// Removed lines above those that came in their place. Long lines are continued below.
pub fn unified(old: &str, new: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let page = Page::new(old, new, theme);
    let width = usize::from(width);
    let mut lines = Vec::new();
    let mut added: Vec<Cell> = Vec::new();
    for row in rows::rows(old, new) {
        match row {
            Row::Changed(old, new) => {
                lines.extend(old.into_iter().flat_map(|cell| page.whole(Side::Old, &cell, width)));
                added.extend(new);
                continue;
            }
            Row::Same(..) | Row::Fold(_) => {
                lines.extend(added.drain(..).flat_map(|cell| page.whole(Side::New, &cell, width)));
            }
        }
        match row {
            Row::Same(old, new) => lines.extend(page.same(&old, &new, width)),
            Row::Fold(count) => lines.push(page.fold(count, width)),
            Row::Changed(..) => {}
        }
    }
    lines.extend(added.drain(..).flat_map(|cell| page.whole(Side::New, &cell, width)));
    page.or_same(lines)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// Both texts, highlighted, and what all rows share.
struct Page<'a> {
    old: Vec<Line<'static>>,
    new: Vec<Line<'static>>,
    equal: bool,
    columns: usize,
    theme: &'a Theme,
}

impl<'a> Page<'a> {
    fn new(old: &str, new: &str, theme: &'a Theme) -> Self {
        let longest = old.lines().count().max(new.lines().count());
        Self {
            old: code::highlight(old, theme),
            new: code::highlight(new, theme),
            equal: old.lines().eq(new.lines()),
            columns: longest.to_string().len().max(2),
            theme,
        }
    }

    fn or_same(&self, lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
        if self.equal { vec![Line::styled("The two texts are the same.", self.theme.dim)] } else { lines }
    }

    /// A row's text with its changes marked.
    fn body(&self, side: Side, cell: &Cell, same: bool) -> Line<'static> {
        let (texts, base, word) = match side {
            Side::Old => (&self.old, self.theme.diff_removed, self.theme.diff_removed_word),
            Side::New => (&self.new, self.theme.diff_added, self.theme.diff_added_word),
        };
        let line = texts.get(cell.line).cloned().unwrap_or_default();
        if same { line } else { text::overlay(line, base, &cell.changed, word) }
    }

    fn sign(&self, side: Side) -> (&'static str, Style) {
        match side {
            Side::Old => ("-", self.theme.bad.patch(self.theme.diff_removed)),
            Side::New => ("+", self.theme.good.patch(self.theme.diff_added)),
        }
    }

    /// One side of a row of two; nothing where the other side has a line and this one has none.
    fn half(&self, side: Side, cell: Option<Cell>, width: usize, same: bool) -> Vec<Line<'static>> {
        let Some(cell) = cell else { return Vec::new() };
        let (sign, style) = if same { (" ", Style::new()) } else { self.sign(side) };
        let number = format!("{:>1$} ", cell.line + 1, self.columns);
        self.continued(&number, sign, style, self.body(side, &cell, same), width)
    }

    /// A line that came or went, with both columns of numbers.
    fn whole(&self, side: Side, cell: &Cell, width: usize) -> Vec<Line<'static>> {
        let (sign, style) = self.sign(side);
        let (number, blank) = (format!("{:>1$} ", cell.line + 1, self.columns), " ".repeat(self.columns + 1));
        let numbers = if side == Side::Old { number + &blank } else { blank + &number };
        self.continued(&numbers, sign, style, self.body(side, cell, false), width)
    }

    fn same(&self, old: &Cell, new: &Cell, width: usize) -> Vec<Line<'static>> {
        let numbers = format!("{:>2$} {:>2$} ", old.line + 1, new.line + 1, self.columns);
        self.continued(&numbers, " ", Style::new(), self.body(Side::New, new, true), width)
    }

    /// Numbers, sign and text; what does not fit goes on below, without numbers. The tint runs to the edge.
    fn continued(
        &self,
        numbers: &str,
        sign: &'static str,
        style: Style,
        body: Line<'static>,
        width: usize,
    ) -> Vec<Line<'static>> {
        let room = width.saturating_sub(numbers.len() + 2).max(1);
        let part = |(at, body): (usize, Line<'static>)| {
            let numbers = if at == 0 { numbers.to_owned() } else { " ".repeat(numbers.len()) };
            let missing = room.saturating_sub(body.width());
            let mut spans =
                vec![Span::styled(numbers, self.theme.line_number), Span::styled(format!("{sign} "), style)];
            spans.extend(body.spans);
            if style.bg.is_some() {
                spans.push(Span::styled(" ".repeat(missing), Style { bg: style.bg, ..Style::new() }));
            }
            Line::from(spans)
        };
        text::continued(&body, room).into_iter().enumerate().map(part).collect()
    }

    fn fold(&self, count: usize, width: usize) -> Line<'static> {
        let g = &self.theme.glyphs;
        let words = format!(" {count} equal lines ");
        let left = self.columns + 1;
        let right = width.saturating_sub(left + words.len());
        let rule = |columns: usize| Span::styled(g.horizontal.repeat(columns), self.theme.rule);
        text::fit(Line::from(vec![rule(left), Span::styled(words, self.theme.dim), rule(right)]), width, g)
    }
}

#[cfg(test)]
mod tests {
    use super::super::theme::Charset;
    use super::*;

    const OLD: &str = "fn f() {\n    let s = q.matmul(&k)?;\n    softmax(&s)\n}\n";
    const NEW: &str = "fn f() {\n    let s = (q.matmul(&k)? * scale)?;\n    softmax(&s)\n    // done\n}\n";

    fn texts(lines: &[Line<'static>]) -> String {
        lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect::<Vec<String>>().join("\n")
    }

    #[test]
    fn one_below_the_other() {
        code::warm();
        insta::assert_snapshot!(texts(&unified(OLD, NEW, 60, &Theme::plain(Charset::Unicode))));
        insta::assert_snapshot!(texts(&unified(OLD, NEW, 30, &Theme::default())));
    }

    #[test]
    fn side_by_side_lines_up() {
        code::warm();
        insta::assert_snapshot!(texts(&side_by_side(OLD, NEW, 80, &Theme::default())));
    }

    #[test]
    fn equal_stretches_are_folded_and_equal_texts_said() {
        let long: String = (0..40).map(|i| format!("line {i}\n")).collect();
        let changed = long.replace("line 20\n", "line twenty\n");
        insta::assert_snapshot!(texts(&unified(&long, &changed, 50, &Theme::default())));
        assert_eq!(texts(&render(&long, &long, 120, &Theme::default())), "The two texts are the same.");
    }

    #[test]
    fn no_line_is_too_wide() {
        for width in [1, 10, 30, 59, 80, 100, 161] {
            for line in render(OLD, NEW, width, &Theme::default()) {
                assert!(width < 20 || line.width() <= usize::from(width), "{width}: {}", line.width());
            }
        }
    }
}
