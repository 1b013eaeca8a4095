//! What a reader's own sampler does in a lane, in words.

use super::words::visible;
use crate::lab::track::{Theirs, Track};
use crate::lab::view::Vocabulary;
use crate::ui::text::{clean, wrap_text};
use crate::ui::theme::Theme;
use ratatui::text::Line;

/// The most rows it takes.
pub(super) const MOST: usize = 4;

/// Who draws in this lane and where it parts from the reference; nothing where no guest draws. `building`: one is on its way.
pub(super) fn lines(
    track: &Track,
    building: bool,
    words: &Vocabulary,
    columns: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let (text, style) = match (building, &track.guest) {
        (true, _) => (format!("{} a sampler is being built for this lane", theme.glyphs.running), theme.dim),
        (false, None) => return Vec::new(),
        (false, Some(name)) => match track.guest_parted() {
            None if track.steps().is_empty() => (format!("{} draws here", clean(name)), theme.dim),
            None => (format!("{} draws here, token for token like the reference", clean(name)), theme.good),
            Some((at, theirs)) => {
                (format!("{} {}", theme.glyphs.not_equal, parts(name, at, theirs, track, words)), theme.warn)
            }
        },
    };
    let mut lines = wrap_text(&text, columns.max(1), style);
    lines.truncate(MOST);
    lines
}

fn parts(name: &str, at: usize, theirs: &Theirs, track: &Track, words: &Vocabulary) -> String {
    let (name, step) = (clean(name), at + 1);
    match theirs {
        Theirs::Nothing(why) => {
            format!("{name} drew nothing at step {step}: {}; the reference goes on in its place", clean(why))
        }
        Theirs::Token(token, part) => {
            let reference =
                track.steps().get(at).map(|step| visible(step.draw.id, words).to_owned()).unwrap_or_default();
            let stage = part.map(|part| format!("; first stage: {part}")).unwrap_or_default();
            format!("{name} parts at step {step}{stage}. It drew {}, the reference {reference}", visible(*token, words))
        }
    }
}
