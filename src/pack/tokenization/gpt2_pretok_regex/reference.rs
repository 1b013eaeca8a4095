//! GPT-2's pre-tokenisation (Radford et al. 2019, `encoder.py`) as a scanner: a look at the next character or two says which
//! alternative of the expression matches, and how far.

use super::is_letter;

const CONTRACTIONS: [&str; 7] = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

/// What the expression tells apart.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letter,
    Number,
    White,
    Other,
}

fn class(c: char) -> Class {
    match c {
        c if c.is_whitespace() => Class::White,
        c if c.is_numeric() => Class::Number, // \p{N}
        c if is_letter(c) => Class::Letter,   // \p{L}
        _ => Class::Other,
    }
}

/// The text in pieces; joined, they are the text again.
pub fn gpt2_pretok(text: &str) -> Vec<String> {
    let (mut rest, mut pieces) = (text, Vec::new());
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(first_piece(rest));
        pieces.push(piece.to_owned());
        rest = after;
    }
    pieces
}

/// Bytes of the first piece: of the first alternative that matches, not of the longest.
fn first_piece(text: &str) -> usize {
    if let Some(contraction) = CONTRACTIONS.iter().find(|contraction| text.starts_with(**contraction)) {
        return contraction.len();
    }
    let word = text.strip_prefix(' ').unwrap_or(text);
    match word.chars().next().map(class) {
        None | Some(Class::White) => white_space(text),
        Some(kind) => text.len() - word.len() + word.find(|c: char| class(c) != kind).unwrap_or(word.len()),
    }
}

/// `\s+(?!\S)|\s+`: all of the white space if the text ends with it; otherwise all but the last character, which is left for
/// the word behind it; but at least one.
fn white_space(text: &str) -> usize {
    let run = text.len() - text.trim_start().len();
    let last = text[..run].chars().next_back().map_or(0, char::len_utf8);
    if run == text.len() || run == last { run } else { run - last }
}
