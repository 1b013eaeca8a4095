//! What was said: the prompt, then every token by how probable the model found it.

use super::flow::{Flow, Piece};
use super::words::{texts, visible};
use crate::app::lab::raw_probability;
use crate::lab::track::{Step, Track};
use crate::lab::view::{Expectation, Vocabulary};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::sync::Arc;

/// Where steps were drawn: x, y, width, and the step.
pub(super) type Places = Vec<([u16; 3], usize)>;

/// What a transcript shows beside the tokens.
#[derive(Default)]
pub(super) struct Marks<'a> {
    /// Whether the prompt is shown.
    pub prompt: bool,
    /// What the model expected of the prompt; then the prompt is shaded too.
    pub expected: Option<&'a [Expectation]>,
    /// The place of the prompt that is looked at.
    pub place: Option<usize>,
    /// The step at which the lane left the first one.
    pub parted: Option<usize>,
}

/// Draws it, and says where its steps are.
pub(super) fn draw(
    track: &Track,
    words: &Vocabulary,
    marks: &Marks,
    theme: &Theme,
    frame: &mut Frame,
    area: Rect,
) -> Places {
    let mut pieces = if marks.prompt { prompt(track, words, marks, theme) } else { Vec::new() };
    pieces.extend(generated(track, words, marks, theme));
    // A lane's text begins at its edge, though its first token begins with a blank.
    if !marks.prompt
        && let Some(first) = pieces.first_mut()
    {
        first.text = first.text.trim_start_matches(' ').to_owned();
    }
    let flow = Flow::new(&pieces, area.width.into());
    let mut places = Places::new();
    let current = if marks.place.is_some() { None } else { track.steps().len().checked_sub(1) };
    for (y, row) in flow.window(area.height.into(), current).enumerate() {
        let y = area.y + y as u16;
        frame.render_widget(flow.line(row), Rect { y, height: 1, ..area });
        places.extend(flow.places(row).into_iter().map(|(x, width, step)| ([area.x + x, y, width], step)));
    }
    places
}

fn prompt(track: &Track, words: &Vocabulary, marks: &Marks, theme: &Theme) -> Vec<Piece> {
    let texts = texts(track.prompt().iter().copied(), words);
    let piece = |(at, text): (usize, String)| {
        let expected = marks.expected.and_then(|all| all.get(at)).and_then(|place| place.probability);
        let style = expected.map_or(theme.dim, |p| theme.by_probability(p));
        let looked_at = marks.place == Some(at);
        let style = if looked_at { style.patch(theme.selected) } else { style };
        let text = if looked_at { shown(text, track.prompt()[at], words) } else { text };
        Piece { text, style, step: None }
    };
    texts.into_iter().enumerate().map(piece).collect()
}

fn generated(track: &Track, words: &Vocabulary, marks: &Marks, theme: &Theme) -> Vec<Piece> {
    let steps = track.known();
    let texts = texts(steps.iter().map(|step| step.token()), words);
    let current = track.steps().len().checked_sub(1);
    let mut pieces = Vec::new();
    for (at, (step, text)) in steps.iter().zip(texts).enumerate() {
        let mut mark = |glyph: &str| {
            pieces.push(Piece { text: glyph.to_owned(), style: theme.warn, step: Some(at) });
        };
        if marks.parted == Some(at) {
            mark(theme.glyphs.not_equal);
        }
        if step.forced.is_some() {
            mark(theme.glyphs.arrow);
        }
        let looked_at = current == Some(at) && marks.place.is_none();
        let text = if looked_at { shown(text, step.token(), words) } else { text };
        let style = style(step, at, track.steps().len(), theme);
        if looked_at {
            pieces.push(Piece { text, style: style.patch(theme.selected), step: Some(at) });
            continue;
        }
        // A line under a blank would join the words.
        let (blank, word) = text.split_at(text.len() - text.trim_start_matches(' ').len());
        pieces.push(Piece { text: blank.to_owned(), style: Style::new(), step: Some(at) });
        pieces.push(Piece { text: word.to_owned(), style, step: Some(at) });
    }
    pieces
}

/// A token that is looked at is seen, even where it is a blank, a line's end, or a part of a character.
fn shown(text: String, id: u32, words: &Vocabulary) -> String {
    if text.trim().is_empty() { visible(id, words).to_owned() } else { text.replace('\n', "⏎") }
}

fn style(step: &Arc<Step>, at: usize, cursor: usize, theme: &Theme) -> Style {
    if at >= cursor { theme.faint } else { theme.by_probability(raw_probability(step, step.token())) }
}
