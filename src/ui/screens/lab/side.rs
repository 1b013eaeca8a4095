//! What stands beside the table: the sampler, or the list that is open.

use super::figures::{id_width, probability};
use super::words::{texts, visible};
use crate::app::event::LabLayout;
use crate::app::lab::sheet::Sheet;
use crate::app::lab::{Lab, Line as Setting, Panel, Text, raw_probability};
use crate::lab::recipe::{PRESETS, Recipe};
use crate::lab::track::{Branch, Track};
use crate::lab::view::View;
use crate::ui::scroll::ScrollState;
use crate::ui::text::{ends, fill, fit, pad, pad_left, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Draws the panel's part, and returns how many rows it took.
pub(super) fn draw(
    lab: &Lab,
    view: &View,
    theme: &Theme,
    (frame, layout): (&mut Frame, &mut LabLayout),
    area: Rect,
) -> u16 {
    let columns = usize::from(area.width);
    let list = match &lab.panel {
        Panel::Presets { selected } => List::new("presets", Some(*selected), presets(columns, theme)),
        Panel::Branches { selected } => {
            let lines = lab.track().map_or_else(Vec::new, |track| branches(track, view, columns, theme));
            List::new("branches of this lane", Some(*selected), lines)
        }
        Panel::Find { query, found, selected } => {
            return find(lab, view, query, found, *selected, theme, (frame, layout), area);
        }
        Panel::None | Panel::Settings { .. } | Panel::Prompt(_) | Panel::Field(..) => settings(lab, columns, theme),
    };
    list.draw(theme, (frame, layout), area)
}

/// A title and lines, one of which may be selected.
struct List {
    title: String,
    selected: Option<usize>,
    /// Rows of a line.
    each: u16,
    lines: Vec<Line<'static>>,
}

impl List {
    fn new(title: &str, selected: Option<usize>, lines: Vec<Line<'static>>) -> Self {
        Self { title: title.to_owned(), selected, each: 1, lines }
    }

    fn draw(self, theme: &Theme, (frame, layout): (&mut Frame, &mut LabLayout), area: Rect) -> u16 {
        let columns = usize::from(area.width);
        let style = if self.selected.is_some() { theme.heading } else { theme.dim };
        let title = fit(Line::from(Span::styled(self.title, style)), columns, &theme.glyphs);
        frame.render_widget(title, Rect { height: 1.min(area.height), ..area });
        let place = Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1), ..area };
        let mut scroll = ScrollState::list();
        scroll.resize(self.lines.len(), place.height.into());
        scroll.select(self.selected.unwrap_or(0));
        let visible = scroll.visible();
        layout.list = [place.x, place.y, place.width, visible.len() as u16];
        layout.list_offset = visible.start;
        let rows = 1 + visible.len() as u16 * self.each;
        for (y, at) in visible.enumerate() {
            let line = fill(self.lines[at].clone(), columns, &theme.glyphs);
            let line = if Some(at) == self.selected { line.patch_style(theme.selected) } else { line };
            frame.render_widget(line, Rect { y: place.y + y as u16, height: 1, ..place });
        }
        rows
    }
}

fn settings(lab: &Lab, columns: usize, theme: &Theme) -> List {
    let Some(track) = lab.track() else { return List::new("", None, Vec::new()) };
    let sheet = Sheet::new(Recipe::from(track.settings()));
    let selected = match lab.panel {
        Panel::Settings { line } => sheet.lines().iter().position(|other| *other == line),
        _ => None,
    };
    let lines = sheet.lines().into_iter().map(|line| setting(&sheet, line, track, columns, theme)).collect();
    List::new(&format!("sampler of lane {}", track.name), selected, lines)
}

/// "✓ top-k        40   keeps 40".
fn setting(sheet: &Sheet, line: Setting, track: &Track, columns: usize, theme: &Theme) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let on = sheet.is_on(line);
    let (mark, style) = match (line, on) {
        (Setting::Rules, _) => (" ", theme.text),
        (_, true) => (glyphs.accepted, theme.strong),
        (_, false) => (glyphs.untried, theme.dim),
    };
    let left = Line::from(vec![
        Span::styled(format!("{mark} "), if on { theme.good } else { theme.dim }),
        Span::styled(pad(line.name(), 13, glyphs), style),
        Span::styled(pad_left(&sheet.value(line), if line == Setting::Rules { 12 } else { 6 }, glyphs), style),
    ]);
    // A stage of two lines tells what it kept once.
    let kind = line.kind().filter(|_| on && line != Setting::Presence);
    let stages = track.current().map(|step| step.trace.stages.as_slice()).unwrap_or_default();
    let stage = kind.and_then(|kind| stages.iter().find(|stage| stage.stage.is_some_and(|own| own.kind() == kind)));
    let right = stage.filter(|stage| stage.removed > 0).map(|stage| format!("{}{} ", glyphs.minus, stage.removed));
    ends(left, Line::from(Span::styled(right.unwrap_or_default(), theme.dim)), columns, glyphs)
}

fn presets(columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let line = |(name, about, _): &(&str, &str, &[&str])| {
        let text = vec![Span::styled(format!(" {}  ", pad(name, 17, &theme.glyphs)), theme.strong)];
        let mut line = Line::from(text);
        line.push_span(Span::styled((*about).to_owned(), theme.dim));
        fit(line, columns, &theme.glyphs)
    };
    PRESETS.iter().map(line).collect()
}

/// Where a branch left, and what it said from there.
fn branches(track: &Track, view: &View, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let line = |branch: &Branch| {
        let words = texts(branch.steps.iter().map(|step| step.token()), &view.vocabulary);
        let said = words[branch.at.min(words.len())..].concat().replace('\n', "⏎");
        let line = Line::from(vec![
            Span::styled(format!(" step {:>3}  ", branch.at + 1), theme.dim),
            Span::styled(crate::ui::text::clean(&said), theme.text),
        ]);
        fit(line, columns, &theme.glyphs)
    };
    track.branches().iter().map(line).collect()
}

#[allow(clippy::too_many_arguments)] // The parts of one panel.
fn find(
    lab: &Lab,
    view: &View,
    query: &Text,
    found: &[u32],
    selected: usize,
    theme: &Theme,
    (frame, layout): (&mut Frame, &mut LabLayout),
    area: Rect,
) -> u16 {
    let glyphs = &theme.glyphs;
    let (before, after) = query.around();
    let typed = Line::from(vec![
        Span::styled("/ ", theme.accent),
        Span::styled(before.to_owned(), theme.text),
        Span::styled(glyphs.cursor, theme.accent),
        Span::styled(after.to_owned(), theme.text),
    ]);
    frame.render_widget(fit(typed, area.width.into(), glyphs), Rect { height: 1.min(area.height), ..area });
    let rest = Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1), ..area };
    if found.is_empty() {
        let text = match query.as_str() {
            "" => "Text or id of a token; enter puts it in the place of the drawn one.",
            _ => "No token holds that.",
        };
        for (y, line) in wrap_text(text, area.width.into(), theme.dim).into_iter().enumerate() {
            if y < rest.height.into() {
                frame.render_widget(line, Rect { y: rest.y + y as u16, height: 1, ..rest });
            }
        }
        return area.height;
    }
    let id = id_width(view.vocabulary.visible.len()) + 2;
    let line = |token: &u32| {
        let p = lab.step().map(|step| raw_probability(step, *token));
        let left = Line::from(vec![
            Span::styled(pad_left(&token.to_string(), id, glyphs), theme.dim),
            Span::styled(format!("  {}", visible(*token, &view.vocabulary)), theme.text),
        ]);
        let right = p.map_or(String::new(), |p| format!("{} ", probability(p, 6)));
        ends(left, Line::from(Span::styled(right, theme.dim)), area.width.into(), glyphs)
    };
    // Only what is seen is made.
    let (from, count) = (selected.saturating_sub(usize::from(rest.height)), usize::from(rest.height) * 2 + 1);
    let lines = found.iter().skip(from).take(count).map(line).collect();
    let list = List::new(&format!("{} tokens", found.len()), Some(selected - from.min(selected)), lines);
    let rows = 1 + list.draw(theme, (frame, layout), rest);
    layout.list_offset += from;
    rows
}
