//! The prompt view: what the model expected at each place, and what really came.

use super::bar::bar;
use super::figures::{nats, probability};
use super::words::visible;
use crate::app::event::LabLayout;
use crate::app::lab::Lab;
use crate::lab::view::{Expectation, View};
use crate::ui::scroll::ScrollState;
use crate::ui::text::{fill, fit, pad, pad_left, truncate, width, wrap_text};
use crate::ui::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

const TOKEN: usize = 14;
const BAR: usize = 10;
/// Narrower than this there is no bar.
const ROOMY: usize = 70;

pub(super) fn draw(lab: &Lab, view: &View, theme: &Theme, (frame, layout): (&mut Frame, &mut LabLayout), area: Rect) {
    let Some(all) = &view.expected else {
        let text = if view.prompt.is_empty() {
            "There is no prompt to look at. e writes one."
        } else {
            "The model is reading the prompt."
        };
        for (y, line) in wrap_text(text, area.width.into(), theme.dim).into_iter().enumerate() {
            if y < area.height.into() {
                frame.render_widget(line, Rect { y: area.y + y as u16, height: 1, ..area });
            }
        }
        return;
    };
    let columns = usize::from(area.width);
    frame.render_widget(head(columns, theme), Rect { height: 1.min(area.height), ..area });
    let foot = u16::from(area.height > 4);
    let rows = Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1 + foot), ..area };
    let mut scroll = ScrollState::list();
    scroll.resize(all.len(), rows.height.into());
    scroll.select(lab.place);
    for (y, at) in scroll.visible().enumerate() {
        let line = fill(row(at, &all[at], view, columns, theme), columns, &theme.glyphs);
        let line = if scroll.selected() == Some(at) { line.patch_style(theme.selected) } else { line };
        frame.render_widget(line, Rect { y: rows.y + y as u16, height: 1, ..rows });
    }
    if foot > 0 {
        frame.render_widget(sum(all, columns, theme), Rect { y: area.bottom() - 1, height: 1, ..area });
    }
    layout.table = [rows.x, rows.y, rows.width, rows.height];
    layout.rows = scroll.visible().collect();
}

fn head(columns: usize, theme: &Theme) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let bar = if columns >= ROOMY { BAR + 2 } else { 0 };
    let text = format!(
        "{}  {}{}{}{}{}  expected",
        pad_left("place", 6, glyphs),
        pad("came", TOKEN, glyphs),
        pad_left("rank", 6, glyphs),
        pad_left("p", 9, glyphs),
        " ".repeat(bar),
        pad_left("H", 8, glyphs),
    );
    fit(Line::from(Span::styled(text, theme.dim)), columns, glyphs)
}

fn row(at: usize, place: &Expectation, view: &View, columns: usize, theme: &Theme) -> Line<'static> {
    let glyphs = &theme.glyphs;
    let words = &view.vocabulary;
    let token = truncate(visible(place.token, words), TOKEN, glyphs);
    let rest = " ".repeat(TOKEN - width(&token));
    let style = place.probability.map_or(theme.text, |p| theme.by_probability(p));
    let mut spans = vec![
        Span::styled(format!("{}  ", pad_left(&(at + 1).to_string(), 6, glyphs)), theme.dim),
        Span::styled(token, style),
        Span::raw(rest),
    ];
    let (Some(rank), Some(p), Some(entropy)) = (place.rank, place.probability, place.entropy) else {
        spans.push(Span::styled("  nothing stands before the first", theme.dim));
        return fit(Line::from(spans), columns, glyphs);
    };
    spans.push(Span::styled(pad_left(&(rank + 1).to_string(), 6, glyphs), theme.text));
    spans.push(Span::styled(pad_left(&probability(p, 6), 9, glyphs), theme.text));
    if columns >= ROOMY {
        spans.push(Span::raw("  "));
        spans.extend(bar(p, BAR, true, theme));
    }
    spans.push(Span::styled(pad_left(&nats(entropy, 5), 8, glyphs), theme.dim));
    spans.push(Span::raw("  "));
    for (id, p) in &place.leaders {
        // Where the expected came true, it is said by more than its rank.
        let came = *id == place.token;
        let name = if came { theme.strong } else { theme.dim };
        let mark = if came { glyphs.accepted } else { "" };
        spans.push(Span::styled(format!("{mark}{} ", visible(*id, words)), name));
        spans.push(Span::styled(format!("{}  ", probability(*p, 3)), theme.dim));
    }
    fit(Line::from(spans), columns, glyphs)
}

/// The whole prompt in numbers: how surprised the model was.
fn sum(all: &[Expectation], columns: usize, theme: &Theme) -> Line<'static> {
    let known: Vec<f64> = all.iter().filter_map(|place| place.probability).collect();
    if known.is_empty() {
        return Line::default();
    }
    let first = all.iter().filter(|place| place.rank == Some(0)).count();
    let surprise = known.iter().map(|p| -p.max(f64::MIN_POSITIVE).ln()).sum::<f64>() / known.len() as f64;
    let text = format!(
        "        guessed {first} of {}    mean surprise {surprise:.3} nats    perplexity {:.1}",
        known.len(),
        surprise.exp()
    );
    fit(Line::from(Span::styled(text, theme.dim)), columns, &theme.glyphs)
}
