//! Small windows as numbers, with the places that differ marked.

use super::super::text;
use super::super::theme::Theme;
use super::layout::GAP;
use crate::judge::report::Window;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Larger windows are pictures.
const MOST: usize = 8;

/// Expected and got as tables, beside each other or below; none if the window is too large or the page too narrow.
pub(super) fn table(window: &Window, rtol: f64, width: usize, theme: &Theme) -> Option<Vec<Line<'static>>> {
    if window.rows > MOST || window.cols > MOST {
        return None;
    }
    let sheet = Sheet::new(window, rtol, theme);
    let columns = sheet.width();
    if columns > width {
        return None;
    }
    let heading = |title: &'static str| Line::styled(title, theme.strong);
    let (expected, got) = (sheet.rows(false), sheet.rows(true));
    let mut lines = Vec::new();
    if columns * 2 + GAP <= width {
        let beside = |left: Line<'static>, right: Line<'static>| {
            let mut line = text::fill(left, columns + GAP, &theme.glyphs);
            line.spans.extend(right.spans.into_iter().map(|span| span.patch_style(right.style)));
            line
        };
        lines.push(beside(Line::from(Span::styled("expected", theme.strong)), heading("got")));
        lines.extend(expected.into_iter().zip(got).map(|(left, right)| beside(left, right)));
    } else {
        lines.push(heading("expected"));
        lines.extend(expected);
        lines.push(heading("got"));
        lines.extend(got);
    }
    lines.extend(text::wrap(&[Span::styled(sheet.footnote(), theme.dim)], width));
    Some(lines)
}

struct Sheet<'a> {
    window: &'a Window,
    theme: &'a Theme,
    expected: Vec<String>,
    got: Vec<String>,
    differs: Vec<bool>,
    column: usize,
}

impl<'a> Sheet<'a> {
    fn new(window: &'a Window, rtol: f64, theme: &'a Theme) -> Self {
        let differs = differing(window, rtol);
        let style = Digits::for_window(window, &differs);
        let texts = |list: &[crate::judge::number::Num]| -> Vec<String> {
            list.iter().map(|v| style.text(v.0).replacen('-', theme.glyphs.minus, 1)).collect()
        };
        let (expected, got) = (texts(&window.expected), texts(&window.got));
        let column = expected.iter().chain(&got).map(|text| text::width(text)).max().unwrap_or(1);
        Self { window, theme, expected, got, differs, column }
    }

    /// Row label, then for each column a mark, the number and a blank.
    fn width(&self) -> usize {
        self.label_width() + self.window.cols * (self.column + 2)
    }

    fn label_width(&self) -> usize {
        (self.window.origin[0] + self.window.rows - 1).to_string().len() + 1
    }

    fn rows(&self, is_got: bool) -> Vec<Line<'static>> {
        let texts = if is_got { &self.got } else { &self.expected };
        let row = |r: usize| {
            let label = format!("{:>1$} ", self.window.origin[0] + r, self.label_width() - 1);
            let mut spans = vec![Span::styled(label, self.theme.line_number)];
            for c in 0..self.window.cols {
                let at = r * self.window.cols + c;
                let marked = is_got && self.differs[at];
                let mark = if marked { self.theme.glyphs.not_equal } else { " " };
                let style = match (marked, self.differs[at]) {
                    (true, _) => self.theme.bad,
                    (false, true) => self.theme.strong,
                    (false, false) => Style::new(),
                };
                spans.push(Span::styled(format!("{mark}{} ", right(&texts[at], self.column)), style));
            }
            Line::from(spans)
        };
        (0..self.window.rows).map(row).collect()
    }

    /// Which part of a larger tensor it is, and what the mark means.
    fn footnote(&self) -> String {
        let count = self.differs.iter().filter(|differs| **differs).count();
        let g = &self.theme.glyphs;
        let mut words = format!("{} differs in {count} of {} places", g.not_equal, self.differs.len());
        if !self.window.at.is_empty() || self.window.origin != [0, 0] {
            let mut index: Vec<String> = self.window.at.iter().map(usize::to_string).collect();
            index.extend(self.window.origin.iter().map(usize::to_string));
            words.push_str(&format!("; the first is at [{}]", index.join(", ")));
        }
        words
    }
}

fn right(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text::width(text))) + text
}

/// The judge's rule: relative to the value or to the root mean square, whichever is larger.
fn differing(window: &Window, rtol: f64) -> Vec<bool> {
    let finite: Vec<f64> = window.expected.iter().map(|v| v.0).filter(|v| v.is_finite()).collect();
    let rms = (finite.iter().map(|v| v * v).sum::<f64>() / finite.len().max(1) as f64).sqrt();
    let apart = |(a, b): (f64, f64)| {
        let near = a.is_finite() && b.is_finite() && (a - b).abs() <= rtol * a.abs().max(rms);
        !(a == b || (a.is_nan() && b.is_nan()) || near)
    };
    window.expected.iter().zip(&window.got).map(|(a, b)| apart((a.0, b.0))).collect()
}

/// One style of number for the whole table.
#[derive(Clone, Copy)]
enum Digits {
    Fixed(usize),
    Exponent(usize),
}

impl Digits {
    /// As few as show the size, and as many as tell the pairs apart that differ.
    fn for_window(window: &Window, differs: &[bool]) -> Self {
        let values = || window.expected.iter().chain(&window.got).map(|v| v.0).filter(|v| v.is_finite());
        let most = values().fold(0.0, |most: f64, v| most.max(v.abs()));
        let whole = values().all(|v| v.fract() == 0.0 && v.abs() < 1e7);
        let candidates: Vec<Self> = match most {
            _ if whole => return Self::Fixed(0),
            m if !(1e-3..1e5).contains(&m) => (2..=6).map(Self::Exponent).collect(),
            m => {
                let least = (4 - (m.log10().floor() as i32).clamp(0, 4)) as usize;
                (least..=least + 4).map(Self::Fixed).collect()
            }
        };
        let told_apart = |digits: &Self| {
            let pairs = window.expected.iter().zip(&window.got).zip(differs).filter(|(_, differs)| **differs);
            pairs.map(|(pair, _)| pair).all(|(a, b)| digits.text(a.0) != digits.text(b.0))
        };
        candidates.iter().copied().find(told_apart).or(candidates.last().copied()).unwrap_or(Self::Fixed(4))
    }

    fn text(self, value: f64) -> String {
        match self {
            _ if value.is_nan() => "NaN".to_owned(),
            _ if value.is_infinite() => if value > 0.0 { "+inf" } else { "-inf" }.to_owned(),
            Self::Fixed(digits) => format!("{value:.digits$}"),
            Self::Exponent(digits) => format!("{value:.digits$e}"),
        }
    }
}
