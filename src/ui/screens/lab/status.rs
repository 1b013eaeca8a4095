//! Where the run stands, in one line.

use super::figures::nats;
use crate::app::lab::{Lab, SPEEDS};
use crate::lab::view::View;
use crate::ui::text::{ends, pad_left, width};
use crate::ui::theme::Theme;
use ratatui::text::{Line, Span};

/// Step, seed, context, what plays; as much as there is room for, first things first.
pub(super) fn line(lab: &Lab, view: &View, columns: usize, theme: &Theme) -> Line<'static> {
    let right = right(lab, theme);
    let room = columns.saturating_sub(right.width() + 3);
    let mut spans: Vec<Span> = Vec::new();
    let mut used = 0;
    for (name, value) in facts(lab, view) {
        let gap = if spans.is_empty() { "" } else { "    " };
        let size = width(gap) + width(name) + 1 + width(&value);
        if used + size > room {
            break;
        }
        used += size;
        spans.push(Span::styled(format!("{gap}{name} "), theme.dim));
        spans.push(Span::styled(value, theme.text));
    }
    ends(Line::from(spans), right, columns, &theme.glyphs)
}

fn facts(lab: &Lab, view: &View) -> Vec<(&'static str, String)> {
    let count = |n: usize| format!("{n:>3}");
    let mut facts = vec![("step", format!("{} of {}", count(lab.cursor()), count(lab.known())))];
    if let Some(track) = lab.track() {
        let (used, all) = track.fill();
        facts.push(("context", format!("{} of {all}", count(used))));
    }
    facts.push(("seed", view.seed.to_string()));
    if view.tracks.len() == 1
        && let Some(step) = lab.step()
    {
        facts.push(("KL from raw", nats(step.trace.divergence, 4)));
    }
    if let Some(step) = view.parted {
        facts.push(("lanes part at", format!("step {}", step + 1)));
    }
    if let Some(branches) = lab.track().map(|track| track.branches().len()).filter(|count| *count > 0) {
        facts.push(("branches", branches.to_string()));
    }
    facts
}

/// How fast it is, and whether it plays.
fn right(lab: &Lab, theme: &Theme) -> Line<'static> {
    let mut spans = Vec::new();
    if let Some(speed) = lab.view.as_ref().and_then(|view| view.speed).filter(|speed| speed.is_finite()) {
        let text = format!("{} tok/s", pad_left(&format!("{speed:.0}"), 5, &theme.glyphs));
        spans.push(Span::styled(text, theme.dim));
    }
    let pace = format!("{}/s", SPEEDS[lab.speed.min(SPEEDS.len() - 1)]);
    let pace = pad_left(&pace, 4, &theme.glyphs);
    match lab.playing {
        true => spans.push(Span::styled(format!("  plays {pace}"), theme.accent.patch(theme.strong))),
        false => spans.push(Span::styled(format!("  pace  {pace}"), theme.dim)),
    }
    Line::from(spans)
}
