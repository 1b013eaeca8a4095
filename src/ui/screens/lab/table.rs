//! The candidates: what the model gave them, what each stage left of it, and what became of them.

use super::bar::bar;
use super::columns::{Candidate, Column, columns};
use super::figures::{id_width, nats, probability};
use super::words::visible;
use crate::app::event::LabLayout;
use crate::app::lab::candidates;
use crate::lab::track::Step;
use crate::lab::view::Vocabulary;
use crate::ui::scroll::ScrollState;
use crate::ui::text::{fill, pad, pad_left};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Rows above and below the candidates.
const HEAD: u16 = 2;
const FOOT: u16 = 3;
/// Columns of the marks at the left.
const MARKS: usize = 3;
/// Columns of a logit, with the blank before it.
const LOGIT: usize = 9;

/// What there is room for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    rank: usize,
    id: usize,
    token: usize,
    logit: usize,
    /// Decimals of a probability.
    digits: usize,
    /// How many columns stand at the beginning, and how many at the end; those between have no room.
    shown: (usize, usize),
    bar: usize,
}

impl Shape {
    /// The richest shape that fits. It depends on the width and on the number of stages alone, so that nothing jumps.
    fn of(width: usize, stages: usize, vocabulary: usize) -> Self {
        let id = id_width(vocabulary) + 2;
        let wide = Self { rank: id - 1, id, token: 18, logit: LOGIT, digits: 6, shown: (stages, 0), bar: 10 };
        let bare = Self { rank: 0, id: 0, token: 9, logit: 0, digits: 3, bar: 0, ..wide.clone() };
        let mut shapes = vec![
            wide.clone(),
            Self { digits: 4, ..wide.clone() },
            Self { token: 13, digits: 4, bar: 8, ..wide.clone() },
            Self { token: 11, digits: 3, bar: 4, ..wide.clone() },
            Self { token: 11, logit: 0, digits: 3, bar: 4, ..wide.clone() },
        ];
        // Stages without room: the first column is always the model's own, the last what is drawn from.
        for last in (1..stages.saturating_sub(1)).rev() {
            shapes.push(Self { token: 11, logit: 0, digits: 3, bar: 4, shown: (1, last), ..wide.clone() });
        }
        let two = if stages > 1 { (1, 1) } else { (1, 0) };
        shapes.extend([
            Self { rank: 0, token: 11, shown: two, bar: 4, ..bare.clone() },
            Self { shown: two, ..bare.clone() },
            Self { shown: (0, 1), token: width.saturating_sub(MARKS + 2 + bare.column()), ..bare },
        ]);
        let last = shapes.len() - 1;
        let at = shapes.iter().position(|shape| shape.needs() <= width).unwrap_or(last);
        let mut shape = shapes.swap_remove(at);
        // A little of what is left goes to the tokens, the rest to the bar.
        let left = width.saturating_sub(shape.needs());
        if shape.bar > 0 {
            let more = (left / 4).min(8);
            shape.token += more;
            shape.bar = (shape.bar + left - more).min(40);
        }
        shape
    }

    /// A column's width, with the blanks before it.
    fn column(&self) -> usize {
        self.digits + 3
    }

    fn needs(&self) -> usize {
        let bar = if self.bar > 0 { self.bar + 2 } else { 0 };
        MARKS + self.rank + self.id + self.token + 2 + self.logit + self.count() * self.column() + bar
    }

    fn count(&self) -> usize {
        self.shown.0 + self.shown.1
    }

    fn pick<'a>(&self, all: &'a [Column]) -> Vec<&'a Column> {
        let (first, last) = self.shown;
        all.iter().take(first).chain(all.iter().skip(all.len().saturating_sub(last).max(first))).collect()
    }

    /// Columns left of the probabilities.
    fn lead(&self) -> usize {
        MARKS + self.rank + self.id + 2 + self.token + self.logit
    }
}

/// Draws it.
pub(super) fn draw(
    step: &Step,
    (selected, at_rest): (usize, bool),
    focused: bool,
    words: &Vocabulary,
    theme: &Theme,
    (frame, layout): (&mut Frame, &mut LabLayout),
    area: Rect,
) {
    let all = columns(step);
    let shape = Shape::of(area.width.into(), all.len(), words.visible.len());
    let shown = shape.pick(&all);
    let foot = if area.height >= HEAD + FOOT + 2 { FOOT } else { 0 };
    let head = if area.height > HEAD { HEAD } else { 0 };
    let rows = Rect { y: area.y + head, height: area.height - head - foot, ..area };
    let line = |y: u16| Rect { y, height: 1, ..area };
    if head > 0 {
        for (at, text) in heads(&shape, &shown, all.len(), theme).into_iter().enumerate() {
            frame.render_widget(text, line(area.y + at as u16));
        }
    }
    if foot > 0 {
        for (at, text) in feet(&shape, &shown, theme).into_iter().enumerate() {
            frame.render_widget(text, line(rows.bottom() + at as u16));
        }
    }
    let ids = candidates(step);
    let mut must: Vec<usize> =
        [step.draw.id, step.token()].iter().filter_map(|id| ids.iter().position(|other| other == id)).collect();
    must.sort_unstable();
    must.dedup();
    let must = Some(must.as_slice()).filter(|_| at_rest);
    let seen = seen(ids.len(), rows.height.into(), selected, must);
    let most = ids.iter().map(|id| step.trace.kept.probability(*id)).fold(f64::MIN_POSITIVE, f64::max);
    for (y, &at) in seen.iter().enumerate() {
        let candidate = Candidate::new(step, ids[at]);
        let text = row(&candidate, step, &shape, &shown, most, at == selected, words, theme);
        let text = fill(text, area.width.into(), &theme.glyphs);
        let style = match (at == selected, focused) {
            (true, true) => theme.selected,
            (true, false) => theme.selected_unfocused,
            _ => Style::new(),
        };
        frame.render_widget(text.patch_style(style), line(rows.y + y as u16));
    }
    layout.table = [rows.x, rows.y, rows.width, rows.height];
    layout.rows = seen;
}

/// The candidates in sight. While nobody moves through them, the best are, and those that must be, however far below.
fn seen(count: usize, height: usize, selected: usize, must: Option<&[usize]>) -> Vec<usize> {
    if let Some(must) = must.filter(|must| must.len() < height) {
        let mut far = must;
        loop {
            let near = height - far.len();
            let below = far.partition_point(|row| *row < near);
            if below == 0 {
                return (0..near.min(count)).chain(far.iter().copied()).collect();
            }
            far = &far[below..];
        }
    }
    let mut scroll = ScrollState::list();
    scroll.resize(count, height);
    scroll.select(selected);
    scroll.visible().collect()
}

fn heads(shape: &Shape, shown: &[&Column], all: usize, theme: &Theme) -> [Line<'static>; 2] {
    let glyphs = &theme.glyphs;
    let mut text = " ".repeat(MARKS);
    let mut put = |word: &str, width: usize| {
        if width > 0 {
            text.push_str(&pad_left(word, width, glyphs));
        }
    };
    put("rank", shape.rank);
    put("id", shape.id);
    text.push_str("  ");
    text.push_str(&pad("token", shape.token, glyphs));
    if shape.logit > 0 {
        text.push_str(&pad_left("logit", shape.logit, glyphs));
    }
    let mut names = Line::from(Span::styled(text, theme.dim));
    let mut values = Line::from(" ".repeat(shape.lead()));
    for (at, column) in shown.iter().enumerate() {
        // Stages that there is no room for are not passed over in silence: the model's own column has no value.
        let gap = shape.count() < all && at == 0;
        let value = if gap { glyphs.ellipsis } else { &column.value };
        let style = if at + 1 == shown.len() { theme.strong } else { theme.dim };
        names.push_span(Span::styled(pad_left(column.name, shape.column(), glyphs), style));
        values.push_span(Span::styled(pad_left(value, shape.column(), glyphs), theme.key));
    }
    [names, values]
}

fn feet(shape: &Shape, shown: &[&Column], theme: &Theme) -> [Line<'static>; 3] {
    let lead = shape.lead();
    let numbers: [(&str, fn(&Column, usize) -> String); 3] = [
        ("kept", |column, _| column.kept.to_string()),
        ("mass kept", |column, digits| probability(column.mass, digits)),
        ("entropy, nats", |column, digits| nats(column.entropy, digits)),
    ];
    numbers.map(|(name, number)| {
        let mut line = Line::from(Span::styled(pad_left(name, lead, &theme.glyphs), theme.dim));
        for (at, column) in shown.iter().enumerate() {
            let style = if at + 1 == shown.len() { theme.text } else { theme.dim };
            let text = pad_left(&number(column, shape.digits), shape.column(), &theme.glyphs);
            line.push_span(Span::styled(text, style));
        }
        line
    })
}

#[allow(clippy::too_many_arguments)] // A row is where everything meets.
fn row(
    candidate: &Candidate,
    step: &Step,
    shape: &Shape,
    shown: &[&Column],
    most: f64,
    selected: bool,
    words: &Vocabulary,
    theme: &Theme,
) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let kept = candidate.is_kept();
    let style = if kept { theme.text } else { theme.dim };
    let mut spans = vec![Span::styled(if selected { glyphs.marker } else { " " }, theme.accent)];
    spans.push(mark(candidate.id, step, theme));
    spans.push(Span::raw(" "));
    if shape.rank > 0 {
        spans.push(Span::styled(pad_left(&candidate.rank().to_string(), shape.rank, glyphs), theme.dim));
    }
    if shape.id > 0 {
        spans.push(Span::styled(pad_left(&candidate.id.to_string(), shape.id, glyphs), theme.dim));
    }
    let name = pad(visible(candidate.id, words), shape.token, glyphs);
    spans.push(Span::styled(format!("  {name}"), if kept { theme.strong } else { theme.dim }));
    if shape.logit > 0 {
        spans.push(Span::styled(pad_left(&format!("{:.3}", candidate.logit()), shape.logit, glyphs), theme.dim));
    }
    for (at, column) in shown.iter().enumerate() {
        let number = candidate.probability(column);
        let text = number.map_or_else(|| glyphs.dot.to_owned(), |p| probability(p, shape.digits));
        let last = at + 1 == shown.len() && number.is_some();
        let style = if last { style } else { theme.dim };
        spans.push(Span::styled(pad_left(&text, shape.column(), glyphs), style));
    }
    if shape.bar > 0 {
        let p = if kept { candidate.last() } else { candidate.before_removal() };
        spans.push(Span::raw("  "));
        spans.extend(bar(p / most, shape.bar, kept, theme));
    }
    Line::from(spans)
}

/// What became of a candidate: drawn, or put in the drawn one's place.
fn mark(id: u32, step: &Step, theme: &Theme) -> Span<'static> {
    match () {
        () if step.forced == Some(id) => Span::styled(theme.glyphs.arrow, theme.warn),
        () if step.draw.id == id => Span::styled("u", theme.warn),
        () => Span::raw(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_is_in_sight_however_far_below() {
        assert_eq!(seen(60, 5, 40, Some(&[40])), [0, 1, 2, 3, 40]);
        assert_eq!(seen(60, 5, 40, Some(&[3, 40])), [0, 1, 2, 3, 40]);
        assert_eq!(seen(60, 5, 40, Some(&[4, 40])), [0, 1, 2, 4, 40]);
        assert_eq!(seen(60, 5, 2, Some(&[2])), [0, 1, 2, 3, 4]);
        assert_eq!(seen(3, 5, 2, Some(&[2])), [0, 1, 2]);
        assert!(seen(60, 1, 40, Some(&[3, 40])).contains(&40));
        assert!(seen(60, 5, 40, None).contains(&40));
    }

    #[test]
    fn a_shape_fits_its_width_and_grows_with_it() {
        for stages in 1..10 {
            let mut before = 0;
            for width in 24..240 {
                let shape = Shape::of(width, stages, 4096);
                assert!(shape.needs() <= width, "{stages} stages in {width}: {shape:?}");
                assert!(shape.count() >= before, "{stages} stages in {width}: {shape:?}");
                assert!(shape.count() <= stages);
                before = shape.count();
            }
        }
        assert_eq!(Shape::of(78, 4, 4096).count(), 4, "the usual sampler is seen whole at 80 columns");
        assert_eq!(Shape::of(160, 4, 4096).digits, 6);
    }
}
