//! The reference beside the reader's own code, and what an interviewer asks next.

use crate::app::model::Model;
use crate::pack;
use crate::ui::text::continued;
use crate::ui::theme::Theme;
use crate::ui::{code, diff, markdown};
use ratatui::text::{Line, Span};

pub(super) fn lines(model: &Model, entry: &pack::Entry, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    if !model.may_see_solution() {
        return markdown::render(
            "The reference is shown after acceptance, or when you ask for it with **s**.",
            columns,
            theme,
        );
    }
    let own = model.sources.get(model.slug()).filter(|own| *own != entry.skeleton);
    let title = if own.is_some() { "Your file, and the reference" } else { "The reference" };
    let mut lines = vec![Line::styled(title, theme.heading), Line::default()];
    match own {
        Some(own) => lines.extend(diff::render(own, entry.reference, columns, theme)),
        None => {
            let source = code::numbered(entry.reference, 1, &[], theme);
            lines.extend(source.iter().flat_map(|line| continued(line, columns.into())));
        }
    }
    if model.problem().questions > 0 {
        lines.push(Line::default());
        lines.extend(markdown::render("**5** shows what an interviewer asks next.", columns, theme));
    }
    lines
}

pub(super) fn questions(
    model: &Model,
    questions: &[(String, String)],
    columns: u16,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let shown = model.answers_shown();
    let intro = "Say your answer aloud before you look: that is what the interview will be like.";
    let mut lines = markdown::render(intro, columns, theme);
    for (at, (question, answer)) in questions.iter().enumerate() {
        lines.push(Line::default());
        lines.extend(markdown::render(&format!("**{}. {question}**", at + 1), columns, theme));
        if at < shown {
            lines.push(Line::default());
            lines.extend(markdown::render(answer, columns, theme));
        } else if at == shown {
            lines.push(Line::from(vec![Span::styled("a", theme.key), Span::styled(" shows the answer", theme.dim)]));
        }
    }
    lines
}
