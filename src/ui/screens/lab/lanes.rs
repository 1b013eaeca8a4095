//! Several lanes: beside each other where there is room, else one line for each.

use super::bar::bar;
use super::columns::{Candidate, leaders};
use super::figures::{nats, probability};
use super::guest;
use super::transcript::{self, Marks};
use super::words::{texts, visible};
use crate::app::event::LabLayout;
use crate::app::lab::{Lab, parted};
use crate::lab::recipe::Recipe;
use crate::lab::track::Track;
use crate::lab::view::{View, Vocabulary};
use crate::ui::text::{ends, fill, fit, pad, pad_left, truncate, width, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Narrower than this a lane has no room beside others.
const LEAST: u16 = 25;
/// Decimals in a lane.
const DIGITS: usize = 4;

/// Whether the lanes have room beside each other.
pub(super) fn beside(lanes: usize, width: u16) -> bool {
    width / (lanes.max(1) as u16) >= LEAST
}

/// A sampler in words: what is on, in order.
fn words_of(track: &Track) -> String {
    let recipe = Recipe::from(track.settings());
    let mut words: Vec<String> = Vec::new();
    words.extend(recipe.greedy.then(|| "greedy".to_owned()));
    words.extend(recipe.stages.iter().filter(|(_, on)| *on).map(|(stage, _)| stage.to_string()));
    if words.is_empty() {
        words.push("the model itself".to_owned());
    }
    if recipe.engine != crate::sampling::rules::Engine::default() {
        words.push(format!("({})", recipe.engine.name()));
    }
    words.join("  ")
}

/// The lanes beside each other, with thin rules between them.
pub(super) fn columns(
    lab: &Lab,
    view: &View,
    theme: &Theme,
    (frame, layout): (&mut Frame, &mut LabLayout),
    area: Rect,
) {
    let count = view.tracks.len() as u16;
    // One scale for all: a flat distribution looks flat beside a sharp one.
    let steps = view.tracks.iter().filter_map(Track::current);
    let best = steps.filter_map(|step| leaders(step, 1).first().map(|id| step.trace.kept.probability(*id)));
    let most = best.fold(f64::MIN_POSITIVE, f64::max);
    let each = (area.width - (count - 1)) / count;
    for (at, track) in view.tracks.iter().enumerate() {
        let x = area.x + at as u16 * (each + 1);
        let place = Rect { x, width: each, ..area };
        if at > 0 {
            super::super::chrome::rule(theme, frame, Rect { x: x - 1, width: 1, ..area });
        }
        layout.lanes.push(super::super::at(place));
        let inner = Rect { x: place.x + 1, width: each - 2, ..place };
        let left = view.tracks.first().filter(|_| at > 0).and_then(|first| parted(first, track));
        let guest = guest::lines(track, lab.inviting == Some(at), &view.vocabulary, inner.width.into(), theme);
        column((track, guest), at == lab.lane(), (left, most), &view.vocabulary, theme, (frame, layout), inner);
    }
}

fn column(
    (track, guest): (&Track, Vec<Line<'static>>),
    chosen: bool,
    (left, most): (Option<usize>, f64),
    words: &Vocabulary,
    theme: &Theme,
    (frame, layout): (&mut Frame, &mut LabLayout),
    area: Rect,
) {
    let columns = usize::from(area.width);
    let glyphs = &theme.glyphs;
    let row = |y: u16| Rect { y, height: 1, ..area };
    let title = ends(
        Line::from(Span::styled(
            format!("lane {}", track.name),
            if chosen { theme.accent.patch(theme.strong) } else { theme.strong },
        )),
        parting(left, theme),
        columns,
        glyphs,
    );
    let title = if chosen { fill(title, columns, glyphs).patch_style(theme.selected) } else { title };
    frame.render_widget(title, row(area.y));
    let mut y = area.y + 1;
    let mut recipe = wrap_text(&words_of(track), columns, theme.dim);
    recipe.resize(2, Line::default());
    for line in recipe {
        frame.render_widget(line, row(y));
        y += 1;
    }
    let air = (!guest.is_empty()).then(Line::default);
    for line in guest.into_iter().chain(air) {
        if y < area.bottom() {
            frame.render_widget(line, row(y));
            y += 1;
        }
    }
    // Statistics at the bottom, candidates above them, the text has the rest.
    let below = area.bottom().saturating_sub(y);
    let top = (below.saturating_sub(4) / 2).clamp(1, 8);
    let text = below.saturating_sub(top + 4);
    let place = Rect { y, height: text, ..area };
    let marks = Marks { parted: left, ..Marks::default() };
    layout.tokens.extend(transcript::draw(track, words, &marks, theme, frame, place));
    y += text;
    if let Some(why) = &track.ended {
        // In the place of the blank line.
        let text = format!("{} {why}", glyphs.warning);
        frame.render_widget(Span::styled(truncate(&text, columns, glyphs), theme.warn), row(y));
    }
    y += 1;
    for line in tops(track, (top.into(), most), words, theme, columns) {
        frame.render_widget(line, row(y));
        y += 1;
    }
    y = area.bottom().saturating_sub(2);
    for line in figures(track, theme) {
        frame.render_widget(fit(line, columns, glyphs), row(y));
        y += 1;
    }
}

fn parting(left: Option<usize>, theme: &Theme) -> Line<'static> {
    let mark = left.map(|step| Span::styled(format!("{} {}", theme.glyphs.not_equal, step + 1), theme.warn));
    mark.into_iter().collect()
}

fn tops(
    track: &Track,
    (count, most): (usize, f64),
    words: &Vocabulary,
    theme: &Theme,
    columns: usize,
) -> Vec<Line<'static>> {
    let Some(step) = track.current() else { return Vec::new() };
    let glyphs = &theme.glyphs;
    let token = (columns / 2).saturating_sub(3).clamp(6, 16);
    let room = columns.saturating_sub(2 + token + DIGITS + 3);
    let ids = leaders(step, count);
    let line = |id: u32| {
        let candidate = Candidate::new(step, id);
        let mark = match () {
            () if step.forced == Some(id) => glyphs.arrow,
            () if step.draw.id == id => "u",
            () => " ",
        };
        let mut spans = vec![
            Span::styled(format!("{mark} "), theme.warn),
            Span::styled(pad(visible(id, words), token, glyphs), theme.text),
            Span::styled(pad_left(&probability(candidate.last(), DIGITS), DIGITS + 2, glyphs), theme.dim),
            Span::raw(" "),
        ];
        spans.extend(bar(candidate.last() / most, room, true, theme));
        Line::from(spans)
    };
    ids.into_iter().map(line).collect()
}

/// The lane in numbers: how many are kept, with what mass, how uncertain it is, how far from the model.
fn figures(track: &Track, theme: &Theme) -> [Line<'static>; 2] {
    let Some(step) = track.current() else { return [Line::default(), Line::default()] };
    let standing = step.standing();
    let pair = |(a, x): (&str, String), (b, y): (&str, String)| {
        let name = |name: &str, width| Span::styled(pad(name, width, &theme.glyphs), theme.dim);
        let value = |text: &str| Span::styled(pad_left(text, DIGITS + 2, &theme.glyphs), theme.text);
        Line::from(vec![name(a, 5), value(&x), Span::raw("  "), name(b, 5), value(&y)])
    };
    [
        pair(("kept", standing.kept.to_string()), ("mass", probability(standing.kept_mass, DIGITS))),
        pair(("H", nats(standing.entropy, DIGITS)), ("KL", nats(standing.divergence, DIGITS))),
    ]
}

/// One line for each lane: number, name, the end of its text, its numbers.
pub(super) fn lines(lab: &Lab, view: &View, theme: &Theme, (frame, layout): (&mut Frame, &mut LabLayout), area: Rect) {
    let glyphs = &theme.glyphs;
    let columns = usize::from(area.width);
    let names = view.tracks.iter().map(|track| width(&track.name)).max().unwrap_or(0).min(columns / 4);
    for (at, track) in view.tracks.iter().enumerate().take(area.height.into()) {
        let chosen = at == lab.lane();
        let place = Rect { y: area.y + at as u16, height: 1, ..area };
        layout.lanes.push(super::super::at(place));
        let left = view.tracks.first().filter(|_| at > 0).and_then(|first| parted(first, track));
        let style = if chosen { theme.strong } else { theme.text };
        let head = vec![
            Span::styled(if chosen { glyphs.marker } else { " " }, theme.accent),
            Span::styled(format!("{}  ", pad(&track.name, names, glyphs)), style),
        ];
        let numbers = if columns >= 60 { summary(track, left, theme) } else { parting(left, theme) };
        let room = columns.saturating_sub(Line::from(head.clone()).width() + numbers.width() + 1);
        let mut line = Line::from(head);
        line.push_span(tail(track, &view.vocabulary, room, theme));
        let line = ends(line, numbers, columns, glyphs);
        frame.render_widget(if chosen { fill(line, columns, glyphs).patch_style(theme.selected) } else { line }, place);
    }
}

fn summary(track: &Track, left: Option<usize>, theme: &Theme) -> Line<'static> {
    let mut line = Line::default();
    if let Some(step) = track.current() {
        let standing = step.standing();
        let text = format!(
            " H {}  KL {}  kept {}",
            nats(standing.entropy, 3),
            nats(standing.divergence, 3),
            pad_left(&standing.kept.to_string(), 5, &theme.glyphs)
        );
        line.push_span(Span::styled(text, theme.dim));
    }
    let mark = left.map_or(String::new(), |step| format!("{} {}", theme.glyphs.not_equal, step + 1));
    line.push_span(Span::styled(pad_left(&mark, 6, &theme.glyphs), theme.warn));
    line
}

/// The end of what a lane said, in one line.
fn tail(track: &Track, words: &Vocabulary, room: usize, theme: &Theme) -> Span<'static> {
    let text = texts(track.generated().into_iter(), words).concat().replace('\n', "⏎");
    let text = crate::ui::text::clean(&text);
    let mut from = 0;
    while width(&text[from..]) > room {
        from += text[from..].chars().next().map_or(1, char::len_utf8);
    }
    Span::styled(text[from..].to_owned(), theme.dim)
}
