//! What goes wrong at speed in a pre-tokenizer: one walk over the characters, with a switch for each mistake.

use super::unicode_punctuation;

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    /// Another formulation of the right answer, for the tests.
    #[cfg(test)]
    Flawless,
    AsciiWords,
    NotAlphanumeric,
    WordClass,
    WordClassGrouped,
    CategoryOnly,
    AsciiPunctuationOnly,
    WhitespaceOnly,
    PunctuationDropped,
    PunctuationGrouped,
    DigitsSplit,
    ApostropheInside,
    IdeographsSplit,
    WhitespaceKept,
    SpacesOnly,
    AsciiWhitespace,
    EmptyTokens,
    LastWordLost,
    ControlsDropped,
    CaseKept,
    AsciiLowercase,
    OneCharacterLowercase,
}

use Flaw::*;

/// What a character is to the walk.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Space,
    Alone,
    Word,
    Digit,
    Dropped,
}

use Kind::*;

fn is_space(c: char, flaw: Flaw) -> bool {
    match flaw {
        SpacesOnly => c == ' ',
        AsciiWhitespace => c.is_ascii_whitespace(),
        _ => c.is_whitespace(),
    }
}

/// Combining marks as far as the cases have them.
fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// A regular expression's \w, to which ² does not belong.
fn is_word_class(c: char) -> bool {
    c.is_alphabetic() || c.is_ascii_digit() || c == '_' || is_mark(c)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

fn stands_alone(c: char, flaw: Flaw) -> bool {
    let right = c.is_ascii_punctuation() || unicode_punctuation(c);
    match flaw {
        AsciiWords => !c.is_ascii_alphanumeric(),
        NotAlphanumeric => !c.is_alphanumeric(),
        WordClass | WordClassGrouped => !is_word_class(c),
        CategoryOnly => unicode_punctuation(c),
        AsciiPunctuationOnly => c.is_ascii_punctuation(),
        WhitespaceOnly => false,
        ApostropheInside => right && c != '\'',
        IdeographsSplit => right || is_ideograph(c),
        _ => right,
    }
}

fn kind(c: char, flaw: Flaw) -> Kind {
    if is_space(c, flaw) {
        Space
    } else if flaw == ControlsDropped && c.is_control() {
        Dropped
    } else if stands_alone(c, flaw) {
        if flaw == PunctuationDropped { Space } else { Alone }
    } else if flaw == DigitsSplit && c.is_numeric() {
        Digit
    } else {
        Word
    }
}

fn lowercase(text: &str, flaw: Flaw) -> String {
    match flaw {
        CaseKept => text.to_owned(),
        AsciiLowercase => text.to_ascii_lowercase(),
        OneCharacterLowercase => text.chars().filter_map(|c| c.to_lowercase().next()).collect(),
        _ => text.to_lowercase(),
    }
}

/// Collects a word and pushes it when something else begins, as most people write it.
fn run(flaw: Flaw, text: &str) -> Vec<String> {
    let (mut tokens, mut word, mut last) = (Vec::new(), String::new(), Space);
    let grouped = matches!(flaw, PunctuationGrouped | WordClassGrouped);
    let mut flush = |word: &mut String, spaced: bool| {
        if !word.is_empty() || (flaw == EmptyTokens && spaced) {
            tokens.push(std::mem::take(word));
        }
    };
    for c in lowercase(text, flaw).chars() {
        let kind = kind(c, flaw);
        match kind {
            Dropped => continue,
            Space => {
                flush(&mut word, last == Space);
                if flaw == WhitespaceKept {
                    flush(&mut c.to_string(), false);
                }
            }
            _ => {
                if kind != last || (kind == Alone && !grouped) {
                    flush(&mut word, false);
                }
                word.push(c);
            }
        }
        last = kind;
    }
    if flaw != LastWordLost || last == Alone {
        flush(&mut word, last == Space);
    }
    tokens
}

/// Word by word, with the text in lower case as a whole.
#[cfg(test)]
pub fn flawless(text: &str) -> Vec<String> {
    run(Flawless, text)
}

macro_rules! flaws {
    ($($name:ident: $flaw:ident;)+) => {
        $(pub fn $name(text: &str) -> Vec<String> {
            run($flaw, text)
        })+
    };
}

flaws! {
    ascii_words: AsciiWords;
    not_alphanumeric: NotAlphanumeric;
    word_class: WordClass;
    word_class_grouped: WordClassGrouped;
    category_only: CategoryOnly;
    ascii_punctuation_only: AsciiPunctuationOnly;
    whitespace_only: WhitespaceOnly;
    punctuation_dropped: PunctuationDropped;
    punctuation_grouped: PunctuationGrouped;
    digits_split: DigitsSplit;
    apostrophe_inside: ApostropheInside;
    ideographs_split: IdeographsSplit;
    whitespace_kept: WhitespaceKept;
    spaces_only: SpacesOnly;
    ascii_whitespace: AsciiWhitespace;
    empty_tokens: EmptyTokens;
    last_word_lost: LastWordLost;
    controls_dropped: ControlsDropped;
    case_kept: CaseKept;
    ascii_lowercase: AsciiLowercase;
    one_character_lowercase: OneCharacterLowercase;
}
