//! BERT's pre-tokenizer. Witness: tokenizers' BertPreTokenizer behind its Lowercase normalizer.

mod category;
mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

pub use category::unicode_punctuation;

use crate::judge::{self, Case, Problem, Result, Value};
use std::process::ExitCode;

/// A text → its words and punctuation characters in lower case.
pub type Attempt = fn(&str) -> Vec<String>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("pretok", reference::pretok as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/pretok.json")),
        |attempt, fixture| {
            for entry in fixture.entries("texts")? {
                let (text, want): (String, Vec<String>) = serde_json::from_value(entry).map_err(|e| e.to_string())?;
                fixture.expect(&text, Value::text(&want), Value::text(&attempt(&text)));
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("ascii-words", "whatever is not [a-z0-9] stands alone, so é, ï and 日 tear words apart as if they were punctuation", mistakes::ascii_words)
        .mistake("not-alphanumeric", "whatever is no letter or digit stands alone; combining accents, € and emoji are no punctuation and belong to words", mistakes::not_alphanumeric)
        .mistake("word-class", "words are the regular expression \\w+, to which the underscore belongs and € does not", mistakes::word_class)
        .mistake("category-only", "only Unicode's category P counts: the ASCII symbols $ + < = > ^ ` | ~ are in category S and count, too", mistakes::category_only)
        .mistake("ascii-punctuation-only", "only ASCII punctuation counts: « — … 。 stay inside words", mistakes::ascii_punctuation_only)
        .mistake("whitespace-only", "the text is split at white space only", mistakes::whitespace_only)
        .mistake("punctuation-dropped", "punctuation parts words and disappears; each character of it is a token", mistakes::punctuation_dropped)
        .mistake("apostrophe-inside", "apostrophes stay inside words; they are punctuation like the rest: don ' t", mistakes::apostrophe_inside)
        .mistake("whitespace-kept", "white space comes out as tokens of its own", mistakes::whitespace_kept)
        .mistake("spaces-only", "only the space parts words; so do tabs, newlines and other white space", mistakes::spaces_only)
        .mistake("ascii-whitespace", "only ASCII white space parts words; so do the no-break space and the ideographic space", mistakes::ascii_whitespace)
        .mistake("empty-tokens", "two white-space characters in a row, or one at an end, leave an empty token", mistakes::empty_tokens)
        .mistake("last-word-lost", "the word at the end of the text is never pushed", mistakes::last_word_lost)
        .mistake("case-kept", "nothing is put into lower case", mistakes::case_kept)
        .mistake("ascii-lowercase", "only A to Z are put into lower case; É and Ж have one as well", mistakes::ascii_lowercase)
        .mistake("one-character-lowercase", "of a lower case of several characters only the first is kept: İ is i and a combining dot", mistakes::one_character_lowercase)
        .convention("punctuation-grouped", "punctuation in a row is one token, as with tokenizers' Whitespace(); asked for is one token each", mistakes::punctuation_grouped)
        .convention("word-class-grouped", "the regular expression \\w+|[^\\w\\s]+ is used, which is tokenizers' Whitespace(): other characters in a row are one token, and the underscore belongs to words", mistakes::word_class_grouped)
        .convention("digits-split", "digits are parted from letters, as GPT-2's pre-tokenizer does; asked for is x2 as one word", mistakes::digits_split)
        .convention("ideographs-split", "Chinese characters stand alone, as BERT's whole normalizer makes them by putting spaces around them; asked for is the pre-tokenizer alone, which keeps them together", mistakes::ideographs_split)
        .convention("controls-dropped", "control characters are removed, as BERT's normalizer cleans the text; asked for is the pre-tokenizer alone", mistakes::controls_dropped)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("hello", |attempt, case| judged(attempt, case, &["Hello, World!"]))
        .case("underscore and digits", |attempt, case| {
            judged(attempt, case, &["snake_case x2", "3rd 4x4 v1.5", "__init__"])
        })
        .case("punctuation in a row", |attempt, case| {
            judged(attempt, case, &["Don't!!", "!!", "wait...what?!", "(a),[b]", "-"])
        })
        .case("accents", |attempt, case| judged(attempt, case, &["Café NAÏVE", "ÉCOLE Übung ŁÓDŹ", "МОСКВА"]))
        .case("combining accents", |attempt, case| judged(attempt, case, &["Cafe\u{301} nai\u{308}ve", "E\u{301}COLE"]))
        .case("a capital that becomes two characters", |attempt, case| judged(attempt, case, &["İstanbul", "xİ İ!"]))
        .case("other scripts", |attempt, case| {
            judged(attempt, case, &["日本語 中国", "日本語、中国。", "Привет, МИР!", "한국어 x"])
        })
        .case("punctuation beyond ASCII", |attempt, case| {
            judged(attempt, case, &["«Ça»—va… bien", "¿Qué? “quoted” ‘it’s’", "§5 ¶2"])
        })
        .case("symbols", |attempt, case| judged(attempt, case, &["5€+3$=8£", "a|b~c^d`e<f>g", "©2024 🙂ok x²"]))
        .case("every ASCII character", |attempt, case| {
            let all: String = (33u8..127).map(|byte| format!("a{}b ", char::from(byte))).collect();
            judged(attempt, case, &[&all])
        })
        .case("white space", |attempt, case| judged(attempt, case, &["  a  b\tc\nd\r\ne ", "a \t\n b", "\tone"]))
        .case("white space beyond ASCII", |attempt, case| {
            judged(attempt, case, &["10\u{a0}km", "日本\u{3000}語", "a\u{2003}b\u{2028}c\u{85}d"])
        })
        .case("characters that cannot be seen", |attempt, case| {
            judged(attempt, case, &["a\u{7}b", "zero\u{200b}width", "x\u{0}"])
        })
        .case("nothing", |attempt, case| judged(attempt, case, &["", " ", "\n\t \u{3000}"]))
        .case("made-up text", |attempt, case| {
            let alphabet: Vec<char> = "aZé日_'’.,!—$€7 \t\u{a0}\u{301}İ🙂".chars().collect();
            for round in 1..=12 {
                let length = case.int(5..30);
                let text: String = (0..length).map(|_| alphabet[case.int(0..alphabet.len() as i64) as usize]).collect();
                case.given(&format!("text {round}"), &text);
                case.observe(&format!("tokens of text {round}"), Value::text(&attempt(&text)));
            }
            Ok(())
        })
        .cost("a quarter of a megabyte", |attempt, case| {
            let text = "It’s a naïve Café, isn't it? 日本語。 x_2 = 3.14!\n".repeat(4500);
            let tokens = attempt(&text);
            case.observe("tokens", Value::ints(&[tokens.len()]));
            case.observe("the last ones", Value::text(&tokens[tokens.len().saturating_sub(20)..]));
            Ok(())
        })
}

fn judged(attempt: &Attempt, case: &mut Case, texts: &[&str]) -> Result<()> {
    for text in case.given("texts", texts) {
        case.observe(&format!("tokens of {text:?}"), Value::text(&attempt(text)));
    }
    Ok(())
}
