//! The selected problem: title, parts, and the part that is shown.

use super::{Cache, verdict};
use crate::app::event::Layout;
use crate::app::model::{Focus, Model, Tab};
use crate::pack;
use crate::runner::verdict::Implementation;
use crate::store::Status;
use crate::ui::text::{ends, fit, truncate, width};
use crate::ui::theme::Theme;
use crate::ui::{diff, markdown};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Text wider than this is hard to read.
const READABLE: u16 = 100;

pub(super) fn draw(
    model: &Model,
    theme: &Theme,
    cache: &mut Cache,
    frame: &mut Frame,
    area: Rect,
    layout: &mut Layout,
) {
    let columns = usize::from(area.width);
    frame.render_widget(title(model, theme, columns), Rect { height: 1, ..area });
    if area.height < 4 {
        return;
    }
    frame.render_widget(tabs(model, theme, area, layout), Rect { y: area.y + 1, height: 1, ..area });
    let text = Rect { y: area.y + 3, height: area.height - 3, ..area };
    layout.detail = super::at(text);
    let wide = model.tab == Tab::Solution;
    let lines = cache.lines(model, if wide { text.width } else { text.width.min(READABLE) }, text.height, theme);
    layout.detail_rows = lines.len();
    let from = model.scroll.min(lines.len().saturating_sub(1));
    let shown: Vec<Line> = lines.iter().skip(from).take(text.height.into()).cloned().collect();
    let more = from + usize::from(text.height) < lines.len();
    frame.render_widget(Paragraph::new(shown), text);
    edges(theme, frame, text, from > 0, more);
}

/// Says that there is more above and below.
fn edges(theme: &Theme, frame: &mut Frame, area: Rect, above: bool, below: bool) {
    let x = area.right().saturating_sub(1);
    let mut mark = |shown: bool, glyph: &'static str, y: u16| {
        if shown {
            frame.render_widget(Span::styled(glyph, theme.dim), Rect { x, y, width: 1, height: 1 });
        }
    };
    mark(above, theme.glyphs.up, area.y);
    mark(below, theme.glyphs.down, area.bottom().saturating_sub(1));
}

fn title(model: &Model, theme: &Theme, columns: usize) -> Line<'static> {
    let problem = model.problem();
    let status = match model.status(problem.slug) {
        Status::Accepted => Span::styled(format!("{} accepted  ", theme.glyphs.accepted), theme.good),
        _ => Span::raw(""),
    };
    let right = Line::from(vec![
        status,
        Span::styled(theme.glyphs.stars(problem.tier), theme.star),
        Span::styled(format!("  {} min", problem.minutes), theme.dim),
    ]);
    let room = columns.saturating_sub(right.width() + 2);
    let style = if model.focus == Focus::Detail { theme.accent } else { theme.heading };
    ends(Line::styled(truncate(&problem.title, room, &theme.glyphs), style), right, columns, &theme.glyphs)
}

fn tabs(model: &Model, theme: &Theme, area: Rect, layout: &mut Layout) -> Line<'static> {
    let mut spans = Vec::new();
    let mut x = area.x;
    for (number, tab) in Tab::ALL.iter().enumerate() {
        let name = match tab {
            Tab::Statement => "statement".to_owned(),
            Tab::Verdict => verdict_name(model, theme),
            Tab::Hints => format!("hints {}/{}", model.hints_shown(), model.problem().hints),
            Tab::Solution => "solution".to_owned(),
        };
        let text = format!("{} {name}", number + 1);
        let columns = width(&text) as u16;
        layout.tabs.push([x, area.y + 1, columns]);
        x += columns + 3;
        spans.push(Span::styled(text, if *tab == model.tab { theme.accent.patch(theme.strong) } else { theme.dim }));
        spans.push(Span::raw("   "));
    }
    fit(Line::from(spans), area.width.into(), &theme.glyphs)
}

fn verdict_name(model: &Model, theme: &Theme) -> String {
    match (model.running.as_ref().filter(|running| running.slug == model.slug()), model.run()) {
        (Some(_), _) => format!("verdict {}", theme.glyphs.running),
        (None, Some(run)) if run.verdict.accepted() => format!("verdict {}", theme.glyphs.accepted),
        (None, Some(_)) => format!("verdict {}", theme.glyphs.wrong),
        (None, None) => "verdict".to_owned(),
    }
}

/// The lines of the shown part.
pub(super) fn lines(model: &Model, columns: u16, height: u16, theme: &Theme) -> Vec<Line<'static>> {
    let Some(entry) = pack::find(model.slug()) else { return Vec::new() };
    let statement = entry.statement();
    match model.tab {
        Tab::Statement => markdown::render(without_title(&statement.task), columns, theme),
        Tab::Verdict => verdict::lines(model, columns, height, theme),
        Tab::Hints => hints(model, &statement.hints, columns, theme),
        Tab::Solution => solution(model, entry, columns, theme),
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
    let shown = model.hints_shown();
    let mut lines = Vec::new();
    for (at, hint) in hints.iter().enumerate().take(shown) {
        lines.push(Line::styled(format!("Hint {} of {}", at + 1, hints.len()), theme.heading));
        lines.push(Line::default());
        lines.extend(markdown::render(hint, columns, theme));
        lines.push(Line::default());
    }
    let rest = match (shown, hints.len() - shown) {
        (0, n) => format!("{n} hints, from a nudge to nearly the answer. h shows the first."),
        (_, 0) => "That was the last one. s shows the reference.".to_owned(),
        (_, n) => format!("{n} more. h shows the next."),
    };
    lines.push(Line::styled(rest, theme.dim));
    lines
}

fn solution(model: &Model, entry: &pack::Entry, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    if !model.may_see_solution() {
        return vec![Line::styled(
            "The reference is shown after acceptance, or when you ask for it with s.",
            theme.dim,
        )];
    }
    let mut lines = Vec::new();
    match model.sources.get(model.slug()) {
        Some(own) if own != entry.skeleton => {
            lines.push(Line::styled("your file, and the reference", theme.heading));
            lines.push(Line::default());
            lines.extend(diff::render(own, entry.reference, columns, theme));
        }
        _ => {
            lines.push(Line::styled("the reference", theme.heading));
            lines.push(Line::default());
            lines.extend(crate::ui::code::highlight(entry.reference, theme));
        }
    }
    lines.push(Line::default());
    lines.push(Line::styled("What an interviewer asks next", theme.heading));
    for (question, answer) in &entry.statement().follow_ups {
        lines.push(Line::default());
        lines.extend(markdown::render(&format!("**{question}**\n\n{answer}"), columns.min(READABLE), theme));
    }
    lines
}

/// What is judged, where it is not the reader's own file.
pub(super) fn implementation(model: &Model) -> Option<String> {
    Some(match model.implementation() {
        Implementation::Own => return None,
        Implementation::Saved { id, .. } => format!("version {id}"),
        Implementation::File(path) => path.display().to_string(),
        Implementation::Reference => "the reference".to_owned(),
        Implementation::Mistake(name) => format!("the mistake {name}"),
    })
}
