//! What lies over the screen: keys, palette, picker, questions.

use crate::app::commands;
use crate::app::model::Model;
use crate::app::overlay::{Found, Overlay, Question, choices, palette};
use crate::ui::scroll::ScrollState;
use crate::ui::text::{fill, pad, truncate, width, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

pub(super) fn draw(model: &Model, overlay: &Overlay, theme: &Theme, frame: &mut Frame) {
    match overlay {
        Overlay::Help { scroll } => {
            let lines = help(theme);
            let area = panel(frame, theme, " keys ", 74, lines.len() as u16);
            let from = (*scroll).min(lines.len().saturating_sub(area.height.into()));
            frame.render_widget(Paragraph::new(lines).scroll((from as u16, 0)), area);
        }
        Overlay::Palette { query, selected } => {
            let found = palette(model, query);
            let lines: Vec<Line> = found.iter().map(|found| palette_line(model, *found, theme)).collect();
            let height = (lines.len() as u16 + 2).min(18);
            let area = panel(frame, theme, " go to ", 64, height);
            frame.render_widget(prompt(query, theme), Rect { height: 1.min(area.height), ..area });
            pick_list(lines, *selected, theme, frame, below(area, 2));
        }
        Overlay::Picker { versions, selected, path } => {
            let area = panel(frame, theme, " what is judged ", 90, 20);
            if let Some(path) = path {
                frame.render_widget(
                    Line::styled("path of a Rust file:", theme.dim),
                    Rect { height: 1.min(area.height), ..area },
                );
                frame.render_widget(prompt(path, theme), below(area, 1));
                return;
            }
            let wide = usize::from(area.width);
            let line = |(name, text, _): (String, String, _)| {
                let name = pad(&name, 30, &theme.glyphs);
                let rest = wide.saturating_sub(width(&name) + 2);
                Line::from(vec![
                    Span::styled(name, theme.text),
                    Span::styled(truncate(&text, rest, &theme.glyphs), theme.dim),
                ])
            };
            let lines: Vec<Line> = choices(model, versions.as_deref()).into_iter().map(line).collect();
            pick_list(lines, *selected, theme, frame, area);
        }
        Overlay::Confirm(question) => {
            let (title, text) = match question {
                Question::Solution => (
                    " show the reference? ",
                    "The problem is not accepted yet, and your history will say that you looked. Hints may be enough: h.",
                ),
                Question::Reset => (
                    " put the skeleton back? ",
                    "Your file becomes the untouched start again. Its text is kept as a saved version.",
                ),
            };
            let lines = wrap_text(text, 52, theme.text);
            let area = panel(frame, theme, title, 56, lines.len() as u16 + 2);
            let keys = Line::from(vec![
                Span::styled("y", theme.key),
                Span::styled(" yes   ", theme.key_text),
                Span::styled("n", theme.key),
                Span::styled(" no", theme.key_text),
            ]);
            let rows = lines.into_iter().chain([Line::default(), keys]).collect::<Vec<_>>();
            frame.render_widget(Paragraph::new(rows), area);
        }
    }
}

fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// A panel in the middle; returns its inside.
fn panel(frame: &mut Frame, theme: &Theme, title: &'static str, columns: u16, rows: u16) -> Rect {
    let all = frame.area();
    let (columns, rows) = ((columns + 4).min(all.width), (rows + 2).min(all.height));
    let area = Rect { x: (all.width - columns) / 2, y: (all.height - rows) / 3, width: columns, height: rows };
    let border = if theme.glyphs.is_ascii() { ASCII_BORDER } else { BorderType::Rounded.to_border_set() };
    let block = Block::bordered().border_set(border).border_style(theme.rule).title(Span::styled(title, theme.accent));
    let inner = block.inner(area).inner(Margin { horizontal: 1, vertical: 0 });
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    inner
}

const ASCII_BORDER: ratatui::symbols::border::Set = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

fn prompt(text: &str, theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Span::styled("> ", theme.accent),
        Span::styled(text.to_owned(), theme.text),
        Span::styled(theme.glyphs.cursor, theme.accent),
    ])
}

fn palette_line(model: &Model, found: Found, theme: &Theme) -> Line<'static> {
    match found {
        Found::Command(command) => Line::from(vec![
            Span::styled(pad(command.keys[0], 9, &theme.glyphs), theme.key),
            Span::styled(command.title, theme.text),
        ]),
        Found::Problem(index) => {
            let problem = &model.problems[index];
            Line::from(vec![
                Span::styled(pad("problem", 9, &theme.glyphs), theme.dim),
                Span::styled(problem.title.clone(), theme.text),
                Span::styled(format!("  {}", problem.slug), theme.dim),
            ])
        }
    }
}

fn pick_list(lines: Vec<Line<'static>>, selected: usize, theme: &Theme, frame: &mut Frame, area: Rect) {
    let mut scroll = ScrollState::list();
    scroll.resize(lines.len(), area.height.into());
    scroll.select(selected);
    let visible = scroll.visible();
    for (row, (at, line)) in lines.into_iter().enumerate().skip(visible.start).take(visible.len()).enumerate() {
        let line = fill(line, area.width.into(), &theme.glyphs);
        let line = if Some(at) == scroll.selected() { line.patch_style(theme.selected) } else { line };
        frame.render_widget(line, Rect { y: area.y + row as u16, height: 1, ..area });
    }
}

fn help(theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut group = "";
    for command in commands::ALL {
        if command.group != group {
            if !group.is_empty() {
                lines.push(Line::default());
            }
            group = command.group;
            lines.push(Line::styled(group, theme.heading));
        }
        let keys = command.keys.iter().map(|key| super::key_name(key, theme)).collect::<Vec<_>>().join(" ");
        lines.push(Line::from(vec![
            Span::styled(pad(&keys, 20, &theme.glyphs), theme.key),
            Span::styled(command.title, theme.key_text),
        ]));
    }
    lines
}
