//! The pack: topics and their problems.

use crate::app::event::Layout;
use crate::app::model::{Focus, Model, Problem, Row};
use crate::store::Status;
use crate::ui::scroll::ScrollState;
use crate::ui::text::{ends, fill, overlay, pad, truncate, width, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use std::ops::Range;

/// Draws the list; where the search hides everything, it says how to get it back.
pub(super) fn draw(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect, layout: &mut Layout) {
    let rows = model.rows();
    let area = searched(model, theme, frame, area);
    layout.list = super::at(area);
    if rows.is_empty() {
        let text = format!("Nothing matches \"{}\". esc shows all problems again.", model.search);
        frame.render_widget(Paragraph::new(wrap_text(&text, area.width.into(), theme.dim)), area);
        return;
    }
    let mut scroll = ScrollState::list();
    scroll.resize(rows.len(), area.height.into());
    // The topic's own line stays in sight with its first problem.
    let row = model.selected_row().unwrap_or(0);
    scroll.select(row.saturating_sub(1));
    scroll.select(row);
    layout.list_offset = scroll.offset();
    for (line, index) in scroll.visible().enumerate() {
        let place = Rect { y: area.y + line as u16, height: 1, ..area };
        let drawn = match rows[index] {
            Row::Gap => continue,
            Row::Topic(topic, accepted, all) => {
                let left = Line::from(Span::styled(topic.title(), theme.heading));
                let right = Line::from(Span::styled(format!("{accepted}/{all} "), theme.dim));
                ends(left, right, area.width.into(), &theme.glyphs)
            }
            Row::Problem(problem) => row_of(model, problem, theme, area.width.into()),
        };
        frame.render_widget(drawn, place);
    }
}

/// Says that not all problems are shown; the rest of the place is the list's.
fn searched(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect) -> Rect {
    if model.search.is_empty() || area.height < 4 {
        return area;
    }
    let found = model.problems.iter().filter(|problem| model.matches(problem)).count();
    let left = Line::from(vec![Span::styled("/", theme.key), Span::styled(model.search.clone(), theme.text)]);
    let right = Line::from(Span::styled(format!("{found} of {} ", model.problems.len()), theme.dim));
    frame.render_widget(ends(left, right, area.width.into(), &theme.glyphs), Rect { height: 1, ..area });
    Rect { y: area.y + 2, height: area.height - 2, ..area }
}

/// A title with the words of the search marked.
fn marked(model: &Model, title: String, style: Style, theme: &Theme) -> Vec<Span<'static>> {
    let lower = title.to_lowercase();
    // Where lower case has other lengths, the places would not be the title's.
    let same = lower.len() == title.len();
    let words = model.search.split_whitespace().filter(|_| same);
    let ranges: Vec<Range<usize>> = words
        .filter_map(|word| lower.find(&word.to_lowercase()).map(|from| from..from + word.to_lowercase().len()))
        .collect();
    overlay(Line::styled(title, style), style, &ranges, theme.found).spans
}

fn row_of(model: &Model, index: usize, theme: &Theme, columns: usize) -> Line<'static> {
    let problem = &model.problems[index];
    let selected = index == model.selected;
    let (mark, style) = mark(model, problem, theme);
    let glyphs = &theme.glyphs;
    let edge = if selected { glyphs.marker } else { " " };
    let stars = glyphs.stars(problem.tier);
    let title = if selected { theme.strong } else { theme.text };
    let minutes = format!("{:>3}m", problem.minutes);
    let room = columns.saturating_sub(4 + width(&stars) + 1 + minutes.len() + 1);
    let mut spans = vec![
        Span::styled(edge, theme.accent),
        Span::styled(mark, style),
        Span::raw(" "),
        Span::styled(pad(&stars, 5, glyphs), theme.star),
        Span::raw(" "),
    ];
    spans.extend(marked(model, pad(&truncate(&problem.title, room, glyphs), room, glyphs), title, theme));
    spans.push(Span::styled(format!(" {minutes}"), theme.dim));
    let line = Line::from(spans);
    let line = fill(line, columns, glyphs);
    match (selected, model.focus) {
        (true, Focus::List) => line.patch_style(theme.selected),
        (true, Focus::Detail) => line.patch_style(theme.selected_unfocused),
        _ => line,
    }
}

fn mark(model: &Model, problem: &Problem, theme: &Theme) -> (&'static str, Style) {
    if model.running.as_ref().is_some_and(|running| running.slug == problem.slug) {
        return (theme.glyphs.running, theme.info);
    }
    match model.status(problem.slug) {
        Status::Accepted => (theme.glyphs.accepted, theme.good),
        Status::Tried => (theme.glyphs.wrong, theme.bad),
        Status::Untried => (theme.glyphs.untried, theme.dim),
    }
}
