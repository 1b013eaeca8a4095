//! The selected problem: title, how it stands, its parts, and the part that is shown.

use super::{Cache, solution, verdict};
use crate::app::event::Layout;
use crate::app::model::{Focus, Model, Tab};
use crate::pack;
use crate::store::Status;
use crate::ui::markdown;
use crate::ui::scroll::ScrollState;
use crate::ui::text::{ends, fit, truncate, width};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Text wider than this is hard to read.
pub(super) const READABLE: u16 = 100;
/// From this height on there is room for how the problem stands.
const ROOMY: u16 = 14;

pub(super) fn draw(
    model: &Model,
    theme: &Theme,
    cache: &mut Cache,
    frame: &mut Frame,
    area: Rect,
    layout: &mut Layout,
) {
    let columns = usize::from(area.width);
    let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
    frame.render_widget(title(model, theme, columns), row(0));
    let roomy = area.height >= ROOMY;
    let (tabs_at, text_at) = if roomy { (3, 5) } else { (1, 2) };
    if area.height <= text_at {
        return;
    }
    if roomy {
        frame.render_widget(fit(standing(model, theme), columns, &theme.glyphs), row(1));
    }
    frame.render_widget(tabs(model, theme, row(tabs_at), layout), row(tabs_at));
    // The last column is the scroll bar's.
    let text = Rect { y: area.y + text_at, height: area.height - text_at, width: area.width - 2, ..area };
    layout.detail = super::at(text);
    let readable = if model.tab == Tab::Solution { text.width } else { text.width.min(READABLE) };
    let lines = cache.lines(model, readable, text.height, theme);
    layout.detail_rows = lines.len();
    let mut scroll = ScrollState::text();
    scroll.resize(lines.len(), text.height.into());
    scroll.show(model.scroll);
    frame.render_widget(Paragraph::new(lines[scroll.visible()].to_vec()), text);
    bar(&scroll, theme, frame, Rect { x: area.right() - 1, width: 1, ..text });
}

/// How much of the text is seen, and where.
pub(super) fn bar(scroll: &ScrollState, theme: &Theme, frame: &mut Frame, area: Rect) {
    for row in scroll.thumb().into_iter().flatten().filter(|row| *row < usize::from(area.height)) {
        let place = Rect { y: area.y + row as u16, height: 1, width: area.width.min(1), ..area };
        frame.render_widget(Span::styled(theme.glyphs.thumb, theme.rule), place);
    }
}

fn title(model: &Model, theme: &Theme, columns: usize) -> Line<'static> {
    let problem = model.problem();
    let right = Line::from(vec![
        Span::styled(theme.glyphs.stars(problem.tier), theme.star),
        Span::styled(format!("  {} min", problem.minutes), theme.dim),
    ]);
    let room = columns.saturating_sub(right.width() + 2);
    let style = if model.focus == Focus::Detail { theme.heading } else { theme.strong };
    ends(Line::from(Span::styled(truncate(&problem.title, room, &theme.glyphs), style)), right, columns, &theme.glyphs)
}

/// One line: status, the last verdict, how often it was tried and what help was taken.
fn standing(model: &Model, theme: &Theme) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let (mark, word, style) = match model.status(model.slug()) {
        Status::Accepted => (glyphs.accepted, "accepted", theme.good),
        Status::Tried => (glyphs.wrong, "not accepted yet", theme.bad),
        Status::Untried => (glyphs.untried, "not tried yet", theme.dim),
    };
    let mut spans = vec![Span::styled(format!("{mark} {word}"), style)];
    let Some(progress) = model.progress.get(model.slug()) else { return Line::from(spans) };
    let mut also = |text: String| spans.push(Span::styled(format!(" {} {text}", glyphs.dot), theme.dim));
    if let Some(last) = &progress.last {
        let at = last.at.to_zoned(model.zone.clone()).strftime("%e %b %H:%M").to_string();
        also(format!("last run {}", at.trim_start()));
    }
    let counted = [(progress.runs as usize, "run"), (progress.hints, "hint")];
    for (count, word) in counted.into_iter().filter(|(count, _)| *count > 0) {
        also(format!("{count} {word}{}", if count == 1 { "" } else { "s" }));
    }
    if progress.solution_seen {
        also("solution seen".to_owned());
    }
    Line::from(spans)
}

fn tab_name(model: &Model, tab: Tab, theme: &Theme) -> String {
    match tab {
        Tab::Statement => "statement".to_owned(),
        Tab::Verdict => format!("verdict{}", verdict_mark(model, theme)),
        Tab::Hints => format!("hints {}/{}", model.hints_shown(), model.problem().hints),
        Tab::Solution => "solution".to_owned(),
        Tab::Questions => "questions".to_owned(),
    }
}

fn verdict_mark(model: &Model, theme: &Theme) -> String {
    let running = model.running.as_ref().is_some_and(|running| running.slug == model.slug());
    let mark = match model.judged() {
        _ if running => theme.glyphs.running,
        Some(judged) if judged.run.verdict.accepted() => theme.glyphs.accepted,
        Some(_) => theme.glyphs.wrong,
        None => return String::new(),
    };
    format!(" {mark}")
}

/// The parts with their keys; where the room is short, only the shown one has its name.
fn tabs(model: &Model, theme: &Theme, area: Rect, layout: &mut Layout) -> Line<'static> {
    let name = |at: usize, tab: Tab| (at + 1, tab, tab_name(model, tab, theme));
    let all: Vec<(usize, Tab, String)> = model.tabs().into_iter().enumerate().map(|(at, tab)| name(at, tab)).collect();
    let size = |gap: usize| all.iter().map(|(_, _, name)| 2 + width(name) + gap).sum::<usize>() - gap;
    let room = usize::from(area.width);
    let gap = if size(3) <= room { 3 } else { 2 };
    let short = size(gap) > room;
    let (mut spans, mut x) = (Vec::new(), area.x);
    for (number, tab, name) in all {
        let active = tab == model.tab;
        let (key, label) = (number.to_string(), if short && !active { String::new() } else { format!(" {name}") });
        let columns = (key.len() + width(&label)) as u16;
        layout.tabs.push([x, area.y, columns]);
        x += columns + gap as u16;
        let style = if active { theme.accent.patch(theme.strong) } else { theme.dim };
        let underlined = style.add_modifier(ratatui::style::Modifier::UNDERLINED);
        spans.push(Span::styled(key, if active { style } else { theme.key }));
        spans.push(Span::raw(if label.is_empty() { "" } else { " " }));
        spans.push(Span::styled(label.trim_start().to_owned(), if active { underlined } else { style }));
        spans.push(Span::raw(" ".repeat(gap)));
    }
    fit(Line::from(spans), room, &theme.glyphs)
}

/// The lines of the shown part.
pub(super) fn lines(model: &Model, columns: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    let Some(entry) = pack::find(model.slug()) else { return Vec::new() };
    let statement = entry.statement();
    match model.tab {
        Tab::Statement => markdown::render(without_title(&statement.task), columns, theme),
        Tab::Verdict => verdict::lines(model, columns, height, theme),
        Tab::Hints => hints(model, &statement.hints, columns, theme),
        Tab::Solution => solution::lines(model, entry, columns, theme),
        Tab::Questions => solution::questions(model, &statement.follow_ups, columns, theme),
    }
}

/// The statement begins with its title, which stands above the parts already.
fn without_title(task: &str) -> &str {
    match task.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest.trim_start(),
        _ => task,
    }
}

fn hints(model: &Model, hints: &[String], columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    let shown = model.hints_shown().min(hints.len());
    let mut lines = Vec::new();
    for (at, hint) in hints.iter().enumerate().take(shown) {
        lines.push(Line::styled(format!("Hint {} of {}", at + 1, hints.len()), theme.heading));
        lines.push(Line::default());
        lines.extend(markdown::render(hint, columns, theme));
        lines.push(Line::default());
    }
    let rest = match (shown, hints.len() - shown) {
        (0, 0) => "This problem has no hints.".to_owned(),
        (0, n) => format!("{n} hints, from a nudge to nearly the answer; they are counted. **h** shows the first."),
        (_, 0) => "That was the last one. **s** shows the reference.".to_owned(),
        (_, 1) => "One more. **h** shows it.".to_owned(),
        (_, n) => format!("{n} more. **h** shows the next."),
    };
    lines.extend(markdown::render(&rest, columns, theme));
    lines
}
