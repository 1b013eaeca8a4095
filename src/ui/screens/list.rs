//! The pack: topics and their problems.

use crate::app::event::Layout;
use crate::app::model::{Focus, Model, Problem, Row};
use crate::store::Status;
use crate::ui::scroll::ScrollState;
use crate::ui::text::{ends, fill, pad, truncate, width};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub(super) fn draw(model: &Model, theme: &Theme, frame: &mut Frame, area: Rect, layout: &mut Layout) {
    layout.list = super::at(area);
    let rows = model.rows();
    if rows.is_empty() {
        let text = format!("nothing matches \"{}\": esc clears the search", model.search);
        frame.render_widget(
            Line::styled(truncate(&text, area.width.into(), &theme.glyphs), theme.dim),
            Rect { height: 1, ..area },
        );
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
                let left = Line::styled(topic.title(), theme.heading);
                let right = Line::styled(format!("{accepted}/{all}"), theme.dim);
                ends(left, right, area.width.into(), &theme.glyphs)
            }
            Row::Problem(problem) => row_of(model, problem, theme, area.width.into()),
        };
        frame.render_widget(drawn, place);
    }
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
    let line = Line::from(vec![
        Span::styled(edge, theme.accent),
        Span::styled(mark, style),
        Span::raw(" "),
        Span::styled(pad(&stars, 5, glyphs), theme.star),
        Span::raw(" "),
        Span::styled(pad(&truncate(&problem.title, room, glyphs), room, glyphs), title),
        Span::styled(format!(" {minutes}"), theme.dim),
    ]);
    let line = fill(line, columns, glyphs);
    match (selected, model.focus) {
        (true, Focus::List) => line.patch_style(theme.selected),
        (true, Focus::Detail) => line.patch_style(theme.selected_unfocused),
        _ => line,
    }
}

fn mark(model: &Model, problem: &Problem, theme: &Theme) -> (&'static str, ratatui::style::Style) {
    if model.running.as_ref().is_some_and(|running| running.slug == problem.slug) {
        return (theme.glyphs.running, theme.info);
    }
    match model.status(problem.slug) {
        Status::Accepted => (theme.glyphs.accepted, theme.good),
        Status::Tried => (theme.glyphs.wrong, theme.bad),
        Status::Untried => (theme.glyphs.untried, theme.dim),
    }
}
