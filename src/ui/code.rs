//! Rust with colours. syntect reads the grammar; which scope is drawn how is our own, so every theme works, also those
//! with sixteen colours and with none.

mod grammar;
mod kind;

use super::text;
use super::theme::Theme;
use grammar::Parsed;
use kind::Kind;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::sync::{Arc, Mutex, PoisonError};

/// Sources remembered; a screen shows a few, the rest is history.
const REMEMBERED: usize = 24;

static CACHE: Mutex<Vec<Arc<Parsed>>> = Mutex::new(Vec::new());

/// Loads the grammar and compiles its expressions: some tens of milliseconds, so call it on a worker at the start and
/// draw again when it is done. Until then [`highlight`] gives plain text and does not wait.
pub fn warm() {
    grammar::load();
}

/// Whether [`warm`] is done.
pub fn is_warm() -> bool {
    grammar::loaded().is_some()
}

/// One line of the source a line, without numbers. Parsed once; after an edit only from the first changed line on. A
/// source that was never seen costs about 0.2 ms a line: for a long one call this on a worker first, the memory is shared.
pub fn highlight(source: &str, theme: &Theme) -> Vec<Line<'static>> {
    let Some(grammar) = grammar::loaded() else {
        return source.lines().map(|line| Line::raw(text::clean(line))).collect();
    };
    let parsed = remembered(source).unwrap_or_else(|| remember(grammar.parse(source, nearest(source).as_deref())));
    parsed.lines.iter().map(|line| line.styled(theme)).collect()
}

/// [`highlight`] with line numbers from `first`; the lines whose numbers are in `marked` have an arrow and stand out.
pub fn numbered(source: &str, first: usize, marked: &[usize], theme: &Theme) -> Vec<Line<'static>> {
    let lines = highlight(source, theme);
    let columns = (first + lines.len().saturating_sub(1)).to_string().len().max(2);
    let with_number = |(at, line): (usize, Line<'static>)| {
        let number = first + at;
        let (mark, style) =
            if marked.contains(&number) { (theme.glyphs.arrow, theme.bad) } else { (" ", theme.line_number) };
        let mut spans = vec![Span::styled(format!("{mark}{number:>columns$} "), style)];
        spans.push(Span::styled(format!("{} ", theme.glyphs.vertical), theme.rule));
        spans.extend(line.spans);
        Line::from(spans)
    };
    lines.into_iter().enumerate().map(with_number).collect()
}

/// A fenced block's text: highlighted if its language is Rust.
pub fn block(source: &str, language: &str, theme: &Theme) -> Vec<Line<'static>> {
    match language.split(',').next().unwrap_or_default().trim() {
        "rust" | "rs" => highlight(source, theme),
        _ => source.lines().map(|line| Line::raw(text::clean(line))).collect(),
    }
}

/// The style of a kind of token.
fn style(kind: Kind, theme: &Theme) -> Style {
    match kind {
        Kind::Text => theme.text,
        Kind::Keyword => theme.code_keyword,
        Kind::Function => theme.code_function,
        Kind::Type => theme.code_type,
        Kind::Literal => theme.code_string,
        Kind::Number => theme.code_number,
        Kind::Comment => theme.code_comment,
        Kind::Macro => theme.code_macro,
        Kind::Punctuation => theme.code_punctuation,
    }
}

fn remembered(source: &str) -> Option<Arc<Parsed>> {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let at = cache.iter().position(|parsed| parsed.source == source)?;
    let parsed = cache.remove(at);
    cache.push(Arc::clone(&parsed));
    Some(parsed)
}

/// The remembered source that begins most like this one.
fn nearest(source: &str) -> Option<Arc<Parsed>> {
    let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    cache.iter().max_by_key(|parsed| parsed.shared_lines(source)).map(Arc::clone)
}

fn remember(parsed: Parsed) -> Arc<Parsed> {
    let parsed = Arc::new(parsed);
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= REMEMBERED {
        cache.remove(0);
    }
    cache.push(Arc::clone(&parsed));
    parsed
}

#[cfg(test)]
mod tests {
    use super::super::theme::{Charset, Depth};
    use super::*;

    const SOURCE: &str = "/// Doc.\n#[inline]\npub fn f<'a>(x: &'a Tensor) -> Result<u32> {\n    let n = 2; // why\n    \
                          Ok(x.dim(D::Minus1)? as u32 + g!(\"s\") * MAX)\n}\n";

    fn parsed(source: &str) -> Vec<(String, Kind)> {
        let grammar = grammar::load();
        let pieces = |parsed: Parsed| parsed.lines.iter().flat_map(|line| line.pieces.clone()).collect();
        pieces(grammar.parse(source, None))
    }

    fn kind_of(text: &str) -> Kind {
        // Blanks join pieces: "'a Tensor" is one.
        let found = parsed(SOURCE).into_iter().find(|(piece, _)| {
            piece.contains(text) && text.contains(piece.trim().split(' ').next_back().unwrap_or_default())
        });
        found.unwrap_or_else(|| panic!("no piece {text:?} in {:?}", parsed(SOURCE))).1
    }

    #[test]
    fn every_kind_is_recognised() {
        let kinds = [
            ("/// Doc.", Kind::Comment),
            ("#[inline]", Kind::Macro),
            ("pub fn", Kind::Keyword),
            ("f", Kind::Function),
            ("'a", Kind::Type),
            ("Tensor", Kind::Type),
            ("u32", Kind::Type),
            ("let", Kind::Keyword),
            ("2", Kind::Number),
            ("// why", Kind::Comment),
            ("dim", Kind::Function),
            ("as", Kind::Keyword),
            ("Minus1", Kind::Type),
            ("g!", Kind::Macro),
            ("\"s\"", Kind::Literal),
            ("MAX", Kind::Number),
            ("x", Kind::Text),
            ("->", Kind::Punctuation),
        ];
        for (text, kind) in kinds {
            assert_eq!(kind_of(text), kind, "{text}");
        }
    }

    #[test]
    fn the_text_stays_the_text() {
        warm();
        for theme in [Theme::default(), Theme::plain(Charset::Ascii), Theme::light(Depth::Ansi16, Charset::Unicode)] {
            let lines: Vec<String> = highlight(SOURCE, &theme).iter().map(Line::to_string).collect();
            assert_eq!(lines, SOURCE.lines().collect::<Vec<&str>>());
        }
        assert_eq!(highlight("\tlet x = 1;", &Theme::default())[0].to_string(), "    let x = 1;");
        assert!(highlight("", &Theme::default()).is_empty());
    }

    #[test]
    fn an_edit_is_parsed_from_the_changed_line_on() {
        let grammar = grammar::load();
        let before = grammar.parse("/* a\nb */\nlet x = 1;\nlet y = 2;\n", None);
        let text = "/* a\nb */\nlet x = 1;\nlet y = \"2\";\n";
        let (fresh, reused) = (grammar.parse(text, None), grammar.parse(text, Some(&before)));
        assert_eq!(before.shared_lines(text), 3);
        assert!(Arc::ptr_eq(&before.lines[2], &reused.lines[2]));
        let pieces = |parsed: &Parsed| parsed.lines.iter().map(|line| line.pieces.clone()).collect::<Vec<_>>();
        assert_eq!(pieces(&fresh), pieces(&reused));
    }

    #[test]
    fn numbers_line_up_and_marks_stand_out() {
        warm();
        let lines = numbered("a\nb\nc", 9, &[10], &Theme::default());
        let texts: Vec<String> = lines.iter().map(Line::to_string).collect();
        assert_eq!(texts, ["  9 │ a", "→10 │ b", " 11 │ c"]);
    }
}
