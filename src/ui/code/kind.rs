//! Kinds of token, and how syntect's scopes become one.

use std::sync::LazyLock;
use syntect::parsing::Scope;

/// What a piece of source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Text,
    Keyword,
    Function,
    Type,
    Literal,
    Number,
    Comment,
    Macro,
    Punctuation,
}

/// Scopes that colour everything inside them.
static WHOLE: LazyLock<Vec<(Scope, Kind)>> =
    LazyLock::new(|| table(&[("comment", Kind::Comment), ("string", Kind::Literal), ("meta.annotation", Kind::Macro)]));

/// The rest, most specific first; the innermost scope that is in the table decides.
static BY_SCOPE: LazyLock<Vec<(Scope, Kind)>> = LazyLock::new(|| {
    table(&[
        ("keyword.operator", Kind::Punctuation),
        ("keyword", Kind::Keyword),
        ("storage.modifier.lifetime", Kind::Type),
        ("storage", Kind::Keyword),
        ("variable.language", Kind::Keyword),
        ("constant.other", Kind::Number),
        ("constant", Kind::Number),
        ("support.macro", Kind::Macro),
        ("entity.name.macro", Kind::Macro),
        ("entity.name.function", Kind::Function),
        ("support.function", Kind::Function),
        ("variable.function", Kind::Function),
        ("entity.name", Kind::Type),
        ("support.type", Kind::Type),
        ("variable.parameter", Kind::Text),
        ("variable.other", Kind::Text),
        ("punctuation", Kind::Punctuation),
    ])
});

fn table(list: &[(&str, Kind)]) -> Vec<(Scope, Kind)> {
    list.iter().filter_map(|(name, kind)| Some((Scope::new(name).ok()?, *kind))).collect()
}

/// The kind of `text` inside these scopes, outermost first; none where they say nothing and its look decides.
pub(super) fn kind(scopes: &[Scope], text: &str) -> Option<Kind> {
    let within = |list: &[(Scope, Kind)], scope: Scope| {
        list.iter().find(|(prefix, _)| prefix.is_prefix_of(scope)).map(|(_, kind)| *kind)
    };
    if let Some(kind) = scopes.iter().find_map(|scope| within(&WHOLE, *scope)) {
        return Some(kind);
    }
    let kind = scopes.iter().rev().find_map(|scope| within(&BY_SCOPE, *scope))?;
    Some(match kind {
        Kind::Keyword | Kind::Text | Kind::Punctuation => word_kind(text.trim()).unwrap_or(kind),
        kind => kind,
    })
}

/// Names that the grammar does not place, or places too coarsely: `f32` is storage to it, as `let` is, and `as` is an
/// operator.
fn word_kind(text: &str) -> Option<Kind> {
    match text {
        "self" | "as" | "in" => Some(Kind::Keyword),
        "Self" | "bool" | "char" | "str" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32"
        | "i64" | "i128" | "isize" | "f32" | "f64" => Some(Kind::Type),
        _ => None,
    }
}

/// What the scopes leave open, word by word, by the conventions of names. `after` is the rest of the line.
pub(super) fn by_look<'a>(text: &'a str, after: &'a str) -> impl Iterator<Item = (&'a str, Kind)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let class = class(first);
        let end = rest.find(|c| self::class(c) != class).unwrap_or(rest.len());
        let (word, left) = rest.split_at(end);
        rest = left;
        let calls = left.chars().chain(after.chars()).next() == Some('(');
        let kind = match class {
            Class::Blank => Kind::Text,
            Class::Other => Kind::Punctuation,
            Class::Word => named(word, first, calls),
        };
        Some((word, kind))
    })
}

fn named(word: &str, first: char, calls: bool) -> Kind {
    let constant = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    match word_kind(word) {
        Some(kind) => kind,
        None if first.is_ascii_digit() => Kind::Number,
        None if constant && first.is_uppercase() => Kind::Number,
        None if first.is_uppercase() => Kind::Type,
        None if calls => Kind::Function,
        None => Kind::Text,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Blank,
    Other,
}

fn class(c: char) -> Class {
    match c {
        c if c.is_alphanumeric() || c == '_' => Class::Word,
        c if c.is_whitespace() => Class::Blank,
        _ => Class::Other,
    }
}
