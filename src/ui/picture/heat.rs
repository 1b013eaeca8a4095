//! Heat maps: half blocks in colour, shades without.

use super::super::text;
use super::super::theme::Theme;
use super::layout::{GAP, Grain, Layout, MARGIN};
use super::scene::{Range, Scene, Value};
use super::short;
use crate::judge::report::Window;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Lines for titles and legends.
const LEGEND: usize = 4;

/// Columns of a legend's sample of the scale.
const SAMPLE: usize = 9;

/// The three maps with titles and legend.
pub(super) fn maps(window: &Window, width: usize, height: usize, theme: &Theme) -> Vec<Line<'static>> {
    let layout = Layout::choose(window.rows, window.cols, width, height.saturating_sub(LEGEND));
    let scene = Scene::new(window, layout.block);
    let painter = Painter { layout, scene: &scene, theme };
    let mut lines = if layout.beside { painter.beside() } else { painter.below() };
    lines.push(Line::default());
    lines.extend(painter.legend(window, width).into_iter().flat_map(|line| text::wrap(&line, width)));
    lines
}

struct Painter<'a> {
    layout: Layout,
    scene: &'a Scene,
    theme: &'a Theme,
}

/// One of the three.
#[derive(Clone, Copy)]
struct Map<'a> {
    title: &'static str,
    values: &'a [Value],
    range: Range,
    is_difference: bool,
}

impl Painter<'_> {
    fn all(&self) -> [Map<'_>; 3] {
        let s = self.scene;
        let map = |title, values, range, is_difference| Map { title, values, range, is_difference };
        [
            map("expected", &s.expected, s.values, false),
            map("got", &s.got, s.values, false),
            map("difference", &s.difference, s.differences, true),
        ]
    }

    fn beside(&self) -> Vec<Line<'static>> {
        let (columns, height) =
            self.layout.size(self.scene.rows * self.layout.block, self.scene.cols * self.layout.block);
        let gap = Span::raw(" ".repeat(GAP));
        let title = |map: Map<'_>| Line::styled(text::pad(map.title, columns, &self.theme.glyphs), self.theme.strong);
        let joined = |parts: [Line<'static>; 3]| {
            let mut spans: Vec<Span<'static>> = Vec::new();
            for part in parts {
                spans.extend(part.spans.into_iter().map(|span| span.patch_style(part.style)));
                spans.push(gap.clone());
            }
            spans.pop();
            Line::from(spans)
        };
        let mut lines = vec![joined(self.all().map(title))];
        lines.extend((0..height).map(|row| joined(self.all().map(|map| self.row(map, row)))));
        lines
    }

    fn below(&self) -> Vec<Line<'static>> {
        let (_, height) = self.layout.size(self.scene.rows * self.layout.block, self.scene.cols * self.layout.block);
        let mut lines = Vec::new();
        for map in self.all() {
            for row in 0..height {
                let title = if row == 0 { map.title } else { "" };
                let mut spans = vec![Span::styled(format!("{title:<MARGIN$}"), self.theme.strong)];
                spans.extend(self.row(map, row).spans);
                lines.push(Line::from(spans));
            }
            if height > 1 {
                lines.push(Line::default());
            }
        }
        if height > 1 {
            lines.pop();
        }
        lines
    }

    /// One line of a map.
    fn row(&self, map: Map<'_>, row: usize) -> Line<'static> {
        let value = |row: usize, col: usize| (row < self.scene.rows).then(|| map.values[row * self.scene.cols + col]);
        let cell = |col: usize| match self.layout.grain {
            Grain::Wide => self.wide(map, value(row, col).unwrap_or(Value::Nan)),
            Grain::Half => self.half(map, value(row * 2, col).unwrap_or(Value::Nan), value(row * 2 + 1, col)),
        };
        Line::from((0..self.scene.cols).map(cell).collect::<Vec<Span<'static>>>())
    }

    /// Two columns for one value.
    fn wide(&self, map: Map<'_>, value: Value) -> Span<'static> {
        match value {
            Value::Finite(v) => match self.theme.heat(map.range.scale, map.range.place(v)) {
                Some(colour) => Span::styled("  ", Style::new().bg(colour)),
                None => Span::raw(self.shade(map, v).repeat(2)),
            },
            odd => Span::styled(format!("{} ", self.sign(odd)), self.theme.odd),
        }
    }

    /// One column for two values, one above the other. What is no number takes the whole cell with its sign.
    fn half(&self, map: Map<'_>, upper: Value, lower: Option<Value>) -> Span<'static> {
        let colour = |value: Value| match value {
            Value::Finite(v) => self.theme.heat(map.range.scale, map.range.place(v)),
            _ => None,
        };
        let odd = [Some(upper), lower].into_iter().flatten().find(|value| !matches!(value, Value::Finite(_)));
        if let Some(odd) = odd {
            return Span::styled(self.sign(odd), self.theme.odd);
        }
        match (self.theme.glyphs.upper_half, colour(upper), lower) {
            (Some(block), Some(fg), Some(lower)) => {
                Span::styled(block, Style { fg: Some(fg), bg: colour(lower), ..Style::new() })
            }
            (Some(block), Some(fg), None) => Span::styled(block, Style::new().fg(fg)),
            _ => Span::raw(self.shade(map, self.stronger(map, upper, lower))),
        }
    }

    /// Of two values that share a shade, the one further from the quiet end.
    fn stronger(&self, map: Map<'_>, upper: Value, lower: Option<Value>) -> f64 {
        let number = |value: Value| if let Value::Finite(v) = value { v } else { 0.0 };
        let (upper, lower) = (number(upper), lower.map_or(number(upper), number));
        let stronger = if map.is_difference { upper.abs() >= lower.abs() } else { upper >= lower };
        if stronger { upper } else { lower }
    }

    /// Without colour: from the lowest value (blank) to the highest (full); differences by size, whatever their sign.
    fn shade(&self, map: Map<'_>, value: f64) -> &'static str {
        if map.is_difference {
            return match map.range.place(value.abs()) {
                at if at <= 0.0 => self.theme.glyphs.untried,
                at => self.theme.glyphs.shade(at),
            };
        }
        self.theme.glyphs.shade(map.range.filled(value))
    }

    fn sign(&self, value: Value) -> &'static str {
        match value {
            Value::Nan => "?",
            Value::Infinite => "+",
            Value::NegativeInfinite => "-",
            Value::Incomparable => self.theme.glyphs.not_equal,
            Value::Finite(_) => " ",
        }
    }

    fn legend(&self, window: &Window, width: usize) -> Vec<Vec<Span<'static>>> {
        let dim = |words: String| Span::styled(words, self.theme.dim);
        let values = self.scale("values", self.scene.values, false);
        let differences = self.scale("difference", self.scene.differences, true);
        let columns = |spans: &[Span<'static>]| spans.iter().map(Span::width).sum::<usize>();
        let mut lines = if columns(&values) + GAP + columns(&differences) <= width {
            vec![[values, vec![Span::raw(" ".repeat(GAP))], differences].concat()]
        } else {
            vec![values, differences]
        };
        let mut notes = Vec::new();
        if let Some(beyond) = self.scene.beyond {
            notes.push(format!("got reaches {}, beyond the scale", short(beyond, self.theme)));
        }
        if self.layout.block > 1 {
            let (b, times) = (self.layout.block, self.theme.glyphs.times);
            notes.push(format!("a cell stands for {b}{times}{b} values and shows where they differ most"));
        }
        notes.push(self.place(window));
        let signs = self.signs();
        if !signs.is_empty() {
            lines.push(signs);
        }
        lines.extend(notes.into_iter().map(|note| vec![dim(note)]));
        lines
    }

    /// "values −1.30 ▒▒▒▒ 1.30".
    fn scale(&self, name: &'static str, range: Range, is_difference: bool) -> Vec<Span<'static>> {
        let map = Map { title: name, values: &[], range, is_difference };
        let dim = |words: String| Span::styled(words, self.theme.dim);
        let (low, high) = if self.theme.has_heat() { (range.low, range.high) } else { (range.least, range.most) };
        if low == high {
            return vec![dim(format!("{name} {}", short(low, self.theme)))];
        }
        let at = |step: usize| low + (high - low) * step as f64 / (SAMPLE - 1) as f64;
        let cell = |step: usize| match self.theme.heat(range.scale, range.place(at(step))) {
            Some(colour) => Span::styled(" ", Style::new().bg(colour)),
            None => Span::raw(self.shade(map, at(step))),
        };
        let mut spans = vec![dim(format!("{name} {} ", short(low, self.theme)))];
        spans.extend((0..SAMPLE).map(cell));
        spans.push(dim(format!(" {}", short(high, self.theme))));
        spans
    }

    /// What the signs mean that occur.
    fn signs(&self) -> Vec<Span<'static>> {
        const MEANING: [(Value, &str); 4] = [
            (Value::Nan, "NaN"),
            (Value::Infinite, "+inf"),
            (Value::NegativeInfinite, "-inf"),
            (Value::Incomparable, "no finite difference"),
        ];
        let maps = self.all();
        let occurs = |value: &Value| maps.iter().any(|map| map.values.contains(value));
        let mut spans = Vec::new();
        for (value, words) in MEANING.into_iter().filter(|(value, _)| occurs(value)) {
            spans.push(Span::styled(self.sign(value), self.theme.odd));
            spans.push(Span::styled(format!(" {words}   "), self.theme.dim));
        }
        spans
    }

    /// Which part of the tensor it is.
    fn place(&self, window: &Window) -> String {
        let span = |name: &str, from: usize, count: usize| match count {
            1 => format!("{name} {from}"),
            _ => format!("{name}s {from}{}{}", self.theme.glyphs.dash, from + count - 1),
        };
        let [row, col] = window.origin;
        let place = format!("{}, {}", span("row", row, window.rows), span("column", col, window.cols));
        if window.at.is_empty() {
            return place;
        }
        let leading: Vec<String> = window.at.iter().map(usize::to_string).collect();
        format!("{place} of [{}, {d}, {d}]", leading.join(", "), d = self.theme.glyphs.dot)
    }
}
