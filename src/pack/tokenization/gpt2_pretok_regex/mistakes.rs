//! What goes wrong at speed when the expression is written by hand: the scanner, with a switch for each of its parts.

use super::is_letter;

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letter,
    Number,
    White,
    Other,
    /// Forgotten: it lands in no piece.
    Lost,
}

/// The parts of the expression. Lengths are in bytes.
#[derive(Clone, Copy)]
struct Way {
    /// Length of the contraction at the start of the text, given the character before it; 0 where there is none.
    contraction: fn(&str, Option<char>) -> usize,
    class: fn(char) -> Class,
    /// Length of what is taken along in front of a word.
    lead: fn(&str) -> usize,
    /// Length of a piece of this class.
    run: fn(&str, Class, fn(char) -> Class) -> usize,
    /// Length of the first piece of white space.
    white: fn(&str) -> usize,
}

const RIGHT: Way = Way { contraction: lower_case, class: unicode, lead: one_space, run: whole_run, white: looks_ahead };

const CONTRACTIONS: [&str; 7] = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];

fn lower_case(text: &str, _: Option<char>) -> usize {
    CONTRACTIONS.iter().find(|end| text.starts_with(**end)).map_or(0, |end| end.len())
}

fn unicode(c: char) -> Class {
    match c {
        c if c.is_whitespace() => Class::White,
        c if c.is_numeric() => Class::Number,
        c if is_letter(c) => Class::Letter,
        _ => Class::Other,
    }
}

fn one_space(text: &str) -> usize {
    usize::from(text.starts_with(' '))
}

fn whole_run(text: &str, class: Class, of: fn(char) -> Class) -> usize {
    text.find(|c: char| of(c) != class).unwrap_or(text.len())
}

/// The first `count` characters of the run.
fn at_most(count: usize, text: &str, class: Class, of: fn(char) -> Class) -> usize {
    text.chars().take(count).take_while(|&c| of(c) == class).map(char::len_utf8).sum()
}

/// Length of the white space at the start, and of its last character.
fn white_run(text: &str) -> (usize, usize) {
    let run = text.len() - text.trim_start().len();
    (run, text[..run].chars().next_back().map_or(0, char::len_utf8))
}

fn looks_ahead(text: &str) -> usize {
    let (run, last) = white_run(text);
    if run == text.len() || run == last { run } else { run - last }
}

fn scan(way: Way, text: &str) -> Vec<String> {
    let (mut at, mut pieces) = (0, Vec::new());
    while at < text.len() {
        let rest = &text[at..];
        let (length, class) = first_piece(way, rest, text[..at].chars().next_back());
        if class != Class::Lost {
            pieces.push(rest[..length].to_owned());
        }
        at += length;
    }
    pieces
}

fn first_piece(way: Way, text: &str, before: Option<char>) -> (usize, Class) {
    let contraction = (way.contraction)(text, before);
    if contraction > 0 {
        return (contraction, Class::Other);
    }
    let lead = (way.lead)(text);
    let word = &text[lead..];
    match word.chars().next().map(way.class) {
        None | Some(Class::White) => ((way.white)(text), Class::White),
        Some(class) => (lead + (way.run)(word, class, way.class), class),
    }
}

/// Numbers are split off without a space; other words take one along.
fn no_space_for_numbers(text: &str) -> usize {
    let number = text.chars().nth(1).is_some_and(char::is_numeric);
    if number { 0 } else { one_space(text) }
}

macro_rules! ways {
    ($($name:ident: $($field:ident = $value:expr),+;)+) => {
        $(pub fn $name(text: &str) -> Vec<String> {
            scan(Way { $($field: $value),+, ..RIGHT }, text)
        })+
    };
}

ways! {
    no_contractions: contraction = |_, _| 0;
    contractions_any_case: contraction = |text, before| {
        let start: String = text.chars().take(3).collect();
        lower_case(&start.to_ascii_lowercase(), before)
    };
    contractions_behind_letters: contraction = |text, before| {
        if before.is_some_and(is_letter) { lower_case(text, before) } else { 0 }
    };
    contractions_behind_a_space: contraction = |text, before| {
        let lead = one_space(text);
        let found = lower_case(&text[lead..], before);
        if found > 0 { lead + found } else { 0 }
    };
    contractions_inside_runs: run = |text, class, of| {
        let all = whole_run(text, class, of);
        let inside = text[..all].match_indices('\'').map(|(at, _)| at).find(|&at| lower_case(&text[at..], None) > 0);
        if class == Class::Other { inside.filter(|&at| at > 0).unwrap_or(all) } else { all }
    };
    apostrophe_in_words: contraction = |_, _| 0, class = |c| if c == '\'' { Class::Letter } else { unicode(c) };
    underscore_in_words: class = |c| if c == '_' { Class::Letter } else { unicode(c) };
    digits_with_letters: class = |c| if unicode(c) == Class::Number { Class::Letter } else { unicode(c) };
    ascii_letters: class = |c| if is_letter(c) && !c.is_ascii() { Class::Other } else { unicode(c) };
    alphabetic: class = |c| if c.is_alphabetic() { Class::Letter } else { unicode(c) };
    ascii_digits: class = |c| if c.is_numeric() && !c.is_ascii() { Class::Other } else { unicode(c) };
    ascii_white_space: class = |c| if c.is_whitespace() && !c.is_ascii() { Class::Other } else { unicode(c) }, white = |text| {
        let run = text.find(|c: char| !(c.is_whitespace() && c.is_ascii())).unwrap_or(text.len());
        if run == text.len() || run == 1 { run } else { run - 1 }
    };
    ascii_punctuation: class = |c| match unicode(c) {
        Class::Other if !c.is_ascii_punctuation() => Class::Lost,
        class => class,
    };
    space_alone: lead = |_| 0;
    space_behind: lead = |_| 0, run = |text, class, of| {
        let run = whole_run(text, class, of);
        run + one_space(&text[run..])
    };
    all_spaces_lead: lead = |text| {
        let word = text.trim_start_matches(' ');
        if word.starts_with(|c: char| !c.is_whitespace()) { text.len() - word.len() } else { one_space(text) }
    };
    any_white_space_leads: lead = |text| text.chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8);
    digits_in_threes: lead = no_space_for_numbers, run = |text, class, of| match class {
        Class::Number => at_most(3, text, class, of),
        _ => whole_run(text, class, of),
    };
    digit_by_digit: lead = no_space_for_numbers, run = |text, class, of| match class {
        Class::Number => at_most(1, text, class, of),
        _ => whole_run(text, class, of),
    };
    punctuation_alone: run = |text, class, of| match class {
        Class::Other => at_most(1, text, class, of),
        _ => whole_run(text, class, of),
    };
    no_look_ahead: white = |text| white_run(text).0;
    gives_back_at_the_end: white = |text| {
        let (run, last) = white_run(text);
        if run == last { run } else { run - last }
    };
    gives_back_spaces_only: white = |text| {
        let run = white_run(text).0;
        if text[..run].ends_with(' ') { looks_ahead(text) } else { run }
    };
    one_by_one: white = |text| text.chars().next().map_or(0, char::len_utf8);
}

pub fn white_space_dropped(text: &str) -> Vec<String> {
    let trimmed = |piece: String| Some(piece.trim().to_owned()).filter(|piece| !piece.is_empty());
    scan(RIGHT, text).into_iter().filter_map(trimmed).collect()
}

pub fn ends_trimmed(text: &str) -> Vec<String> {
    scan(RIGHT, text.trim())
}
