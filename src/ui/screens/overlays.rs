//! What lies over the screen: keys, palette, picker, questions.

use crate::app::commands::{self, Command};
use crate::app::event::Layout;
use crate::app::model::{Model, Place};
use crate::app::overlay::{Choice, Found, Hit, Overlay, Question, choices, palette};
use crate::ui::scroll::ScrollState;
use crate::ui::text::{fill, pad, truncate, width, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

pub(super) fn draw(model: &Model, overlay: &Overlay, theme: &Theme, frame: &mut Frame, layout: &mut Layout) {
    match overlay {
        Overlay::Help { scroll } => keys(model.place, *scroll, theme, frame, layout),
        Overlay::Palette { query, selected } => {
            let lines: Vec<Line> = palette(model, query).iter().map(|hit| hit_line(model, hit, theme)).collect();
            let none = lines.is_empty();
            let area = panel(frame, theme, " go to ", 72, 18, layout);
            frame.render_widget(prompt(query, area.width.into(), theme), Rect { height: 1.min(area.height), ..area });
            let list = below(area, 2);
            if none {
                frame.render_widget(Line::styled("Nothing has that name.", theme.dim), list);
            }
            pick_list(lines, *selected, theme, frame, list, layout);
        }
        Overlay::Picker { path: Some(path), lane, .. } => {
            let (title, lead) = match lane {
                None => (" judge another file ", "Path of a Rust file; enter judges it, esc goes back"),
                Some(_) => (" another file ", "Path of a Rust file; enter lets it draw, esc goes back"),
            };
            let area = panel(frame, theme, title, 72, 3, layout);
            let lead = Line::styled(lead, theme.dim);
            frame.render_widget(lead, Rect { height: 1.min(area.height), ..area });
            let last = below(area, 2);
            frame.render_widget(prompt(path, area.width.into(), theme), last);
        }
        Overlay::Picker { slug, versions, selected, lane, .. } => {
            let choices = choices(model, slug, versions.as_deref());
            let title = if lane.is_some() { " which sampler draws in this lane? " } else { " judge what? " };
            let area = panel(frame, theme, title, 96, (choices.len() as u16).min(22), layout);
            let lines = choices.iter().map(|choice| choice_line(choice, area.width.into(), theme)).collect();
            pick_list(lines, *selected, theme, frame, area, layout);
        }
        Overlay::Confirm { question, .. } => ask(*question, theme, frame, layout),
    }
}

fn ask(question: Question, theme: &Theme, frame: &mut Frame, layout: &mut Layout) {
    let (title, text) = match question {
        Question::Solution => (
            " show the reference? ",
            "The problem is not accepted yet, and your history will say that you looked. A hint may be enough.",
        ),
        Question::Reset => (
            " put the skeleton back? ",
            "Your file becomes the untouched start again. Its text is kept as a saved version.",
        ),
    };
    let lines = wrap_text(text, 52.min(usize::from(frame.area().width.saturating_sub(4)).max(1)), theme.text);
    let area = panel(frame, theme, title, 52, lines.len() as u16 + 2, layout);
    let keys = Line::from(vec![
        Span::styled("y", theme.key),
        Span::styled(" yes   ", theme.key_text),
        Span::styled("n", theme.key),
        Span::styled(" no", theme.key_text),
    ]);
    // The keys are seen, however little room there is for the words.
    let words = usize::from(area.height.saturating_sub(1));
    frame.render_widget(Paragraph::new(lines.into_iter().take(words).collect::<Vec<_>>()), area);
    frame.render_widget(keys, below(area, area.height.saturating_sub(1)));
}

fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// A panel in the middle; returns its inside.
pub(super) fn panel(
    frame: &mut Frame,
    theme: &Theme,
    title: &'static str,
    columns: u16,
    rows: u16,
    layout: &mut Layout,
) -> Rect {
    let all = frame.area();
    let (columns, rows) = ((columns + 4).min(all.width), (rows + 2).min(all.height));
    let area = Rect { x: (all.width - columns) / 2, y: (all.height - rows) / 3, width: columns, height: rows };
    layout.panel = super::at(area);
    let border = if theme.glyphs.is_ascii() { ASCII_BORDER } else { BorderType::Rounded.to_border_set() };
    let block = Block::bordered().border_set(border).border_style(theme.rule).title(Span::styled(title, theme.heading));
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

/// What is being typed; of a long text the end is seen.
fn prompt(text: &str, columns: usize, theme: &Theme) -> Line<'static> {
    let room = columns.saturating_sub(3);
    let mut shown: String = text.to_owned();
    while width(&shown) > room {
        shown.remove(0);
    }
    Line::from(vec![
        Span::styled("> ", theme.accent),
        Span::styled(shown, theme.text),
        Span::styled(theme.glyphs.cursor, theme.accent),
    ])
}

fn hit_line(model: &Model, hit: &Hit, theme: &Theme) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let mut spans = match hit.found {
        Found::Command(command) => {
            vec![Span::styled(pad(&super::key_name(command.keys[0], theme), 4, glyphs), theme.key)]
        }
        Found::Problem(_) => vec![Span::styled(pad(glyphs.arrow, 4, glyphs), theme.dim)],
    };
    let matched = |at: usize| hit.matched.binary_search(&(at as u32)).is_ok();
    for (at, c) in hit.text.chars().enumerate() {
        let style = if matched(at) { theme.found } else { theme.text };
        spans.push(Span::styled(c.to_string(), style));
    }
    if let Found::Problem(index) = hit.found {
        let problem = &model.problems[index];
        spans.push(Span::styled(format!("  {} {} {}", problem.slug, glyphs.dot, problem.topic.title()), theme.dim));
    }
    Line::from(spans)
}

fn choice_line(choice: &Choice, columns: usize, theme: &Theme) -> Line<'static> {
    // Where the room is short, the name is what matters.
    let name = pad(&choice.name, 30.min(columns), &theme.glyphs);
    let rest = columns.saturating_sub(width(&name) + 2);
    Line::from(vec![
        Span::styled(name, theme.text),
        Span::raw("  "),
        Span::styled(truncate(&choice.about, rest, &theme.glyphs), theme.dim),
    ])
}

fn pick_list(
    lines: Vec<Line<'static>>,
    selected: usize,
    theme: &Theme,
    frame: &mut Frame,
    area: Rect,
    layout: &mut Layout,
) {
    let mut scroll = ScrollState::list();
    scroll.resize(lines.len(), area.height.into());
    scroll.select(selected);
    let visible = scroll.visible();
    layout.choices = [area.x, area.y, area.width, visible.len() as u16];
    layout.choices_offset = visible.start;
    for (row, (at, line)) in lines.into_iter().enumerate().skip(visible.start).take(visible.len()).enumerate() {
        let line = fill(line, area.width.into(), &theme.glyphs);
        let line = if Some(at) == scroll.selected() { line.patch_style(theme.selected) } else { line };
        frame.render_widget(line, Rect { y: area.y + row as u16, height: 1, ..area });
    }
    // On the panel's own edge.
    super::detail::bar(&scroll, theme, frame, Rect { x: area.right() + 1, width: 1, ..area });
}

fn keys(place: Place, scroll: usize, theme: &Theme, frame: &mut Frame, layout: &mut Layout) {
    let inner = usize::from(frame.area().width.saturating_sub(4)).min(HELP);
    let lines = help(place, inner, theme);
    let rows = lines.len() as u16;
    let area = panel(frame, theme, " keys ", HELP as u16, rows, layout);
    layout.panel_rows = lines.len() + 2;
    let mut state = ScrollState::text();
    state.resize(lines.len(), area.height.into());
    state.show(scroll);
    frame.render_widget(Paragraph::new(lines[state.visible()].to_vec()), area);
    super::detail::bar(&state, theme, frame, Rect { x: area.right() + 1, width: 1, ..area });
}

/// Columns of the help.
const HELP: usize = 76;

fn help(place: Place, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let names =
        |command: &Command| command.keys.iter().map(|key| super::key_name(key, theme)).collect::<Vec<_>>().join(" ");
    let lead = commands::ALL.iter().map(|command| width(&names(command))).max().unwrap_or(0) + 2;
    let mut lines = Vec::new();
    let mut group = "";
    for command in commands::for_place(place) {
        if command.group != group {
            if !group.is_empty() {
                lines.push(Line::default());
            }
            group = command.group;
            lines.push(Line::styled(group, theme.heading));
        }
        for (row, text) in
            wrap_text(command.doc, columns.saturating_sub(lead).max(8), theme.text).into_iter().enumerate()
        {
            let keys = if row == 0 { names(command) } else { String::new() };
            let mut spans = vec![Span::styled(pad(&keys, lead, &theme.glyphs), theme.key)];
            spans.extend(text.spans);
            lines.push(Line::from(spans));
        }
    }
    lines.extend(legend(theme));
    lines.extend(shades(theme));
    lines
}

/// What the marks in the list mean.
fn legend(theme: &Theme) -> [Line<'static>; 3] {
    let g = &theme.glyphs;
    let marks = [
        (g.accepted, "accepted", theme.good),
        (g.wrong, "tried", theme.bad),
        (g.untried, "not tried", theme.dim),
        (g.running, "running", theme.info),
        (g.star, "how often it is asked", theme.star),
    ];
    let spans = marks
        .into_iter()
        .flat_map(|(mark, word, style)| [Span::styled(mark, style), Span::styled(format!(" {word}   "), theme.text)]);
    [Line::default(), Line::styled("Marks", theme.heading), Line::from_iter(spans)]
}

/// How a token of the lab looks by its probability.
fn shades(theme: &Theme) -> [Line<'static>; 3] {
    let steps = ["50 %", "20 %", "5 %", "1 %", "less"];
    let mut spans = Vec::new();
    for (word, style) in steps.into_iter().zip(theme.probability) {
        spans.push(Span::styled(word, style));
        spans.push(Span::raw("   "));
    }
    let words = "and more: the model's own probability";
    spans.push(Span::styled(words, theme.text));
    [Line::default(), Line::styled("Tokens in the lab", theme.heading), Line::from(spans)]
}
