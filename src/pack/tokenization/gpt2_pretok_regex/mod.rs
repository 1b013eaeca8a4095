//! GPT-2's pre-tokenisation. Witnesses: tokenizers' ByteLevel pre-tokenizer, and Python's `regex` with the expression itself.

mod letters;
mod mistakes;
mod reference;

pub use letters::is_letter;

use crate::judge::{self, Case, Problem, Result, Value};
use std::process::ExitCode;

/// Text → its pieces.
pub type Attempt = fn(&str) -> Vec<String>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("gpt2-pretok-regex", reference::gpt2_pretok as Attempt);
    texts(white_space(runs(contractions(classes(problem))))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/gpt2-pretok-regex.json")),
        |attempt, fixture| {
            for entry in fixture.entries("texts")? {
                let (text, want): (String, Vec<String>) =
                    serde_json::from_value(entry).map_err(|e| format!("golden fixture: {e}"))?;
                fixture.expect(&format!("pieces of {text:?}"), Value::text(&want), Value::text(&attempt(&text)));
            }
            Ok(())
        },
    )
}

/// What a letter is, what a number, what white space.
fn classes(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("digits-with-letters", "letters and digits make one word together (`\\w+`); they are runs of their own: x2 is x and 2", mistakes::digits_with_letters)
        .mistake("underscore-in-words", "the underscore belongs to the word, as in `\\w`; it is neither letter nor number", mistakes::underscore_in_words)
        .mistake("ascii-letters", "only a to z are letters (`[A-Za-z]+`); `\\p{L}` has those of every script", mistakes::ascii_letters)
        .mistake("alphabetic", "letters are taken by `char::is_alphabetic`, which has vowel signs, Roman numerals and circled letters too; `\\p{L}` has not", mistakes::alphabetic)
        .mistake("ascii-digits", "only 0 to 9 are numbers; `\\p{N}` has ², ½, Ⅷ and the digits of other scripts", mistakes::ascii_digits)
        .mistake("ascii-white-space", "only ASCII white space separates; `\\s` has the no-break space, the ideographic space and others", mistakes::ascii_white_space)
        .mistake("ascii-punctuation", "what is neither letter, number, white space nor ASCII punctuation is lost: emoji, dashes, accents of their own. The third class is everything that remains", mistakes::ascii_punctuation)
        .case("vowel signs and accents of their own", |attempt, case| each(attempt, case, &["नमस्ते दुनिया", "cafe\u{301} e\u{301}te", "ⓐb"]))
        .case("numbers of every kind", |attempt, case| each(attempt, case, &["x²+½ Ⅷ", "42nd 3.14", "٤٢ ४२", "a1b2", "v2_final"]))
        .case("letters of every kind", |attempt, case| each(attempt, case, &["Café naïve ÑANDÚ", "日本語 テスト", "Ελλάς Жук ß", "ªºʰ"]))
        .case("emoji, dashes, quotation marks", |attempt, case| {
            each(attempt, case, &["hi 🙂🙂!", "a—b “c” … €5", "🙂a", "\u{200b}x\u{ad}y"])
        })
        .case("white space of every kind", |attempt, case| {
            each(attempt, case, &["a\u{a0}b", "全\u{3000}角", "a \u{a0}\u{2009}b", "x\u{2028}\u{2028}y", "\u{b}\u{c}z\u{85}"])
        })
}

fn contractions(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("no-contractions", "the seven contractions are missing: 'll becomes an apostrophe and a word", mistakes::no_contractions)
        .convention("contractions-any-case", "contractions are found in every case, as in GPT-4's expression; GPT-2's knows the lower case only", mistakes::contractions_any_case)
        .mistake("contractions-behind-letters", "a contraction is taken only behind a letter; the expression does not look back, so 'sup begins with 's", mistakes::contractions_behind_letters)
        .mistake("contractions-behind-a-space", "a contraction takes a space along; only the three classes of runs do. In \" 's\" the space and the apostrophe are one piece", mistakes::contractions_behind_a_space)
        .mistake("contractions-inside-runs", "a run of other characters is cut where a contraction begins; it is greedy and takes every apostrophe with it", mistakes::contractions_inside_runs)
        .mistake("apostrophe-in-words", "the apostrophe counts as a letter, so don't stays whole", mistakes::apostrophe_in_words)
        .case("contractions", |attempt, case| each(attempt, case, &["I'll say 42%!", "don't we've you're it's I'm he'd"]))
        .case("contractions in capitals", |attempt, case| each(attempt, case, &["I'LL DON'T", "It'S", "we'Re"]))
        .case("contractions where no word ends", |attempt, case| each(attempt, case, &["'sup", "'tis 'twas", "3's", "'re're", "it's's"]))
        .case("apostrophes that are none", |attempt, case| {
            each(attempt, case, &["it''s", "(\"'s", "rock 'n' roll", "O'Neil l'été", "dogs' toys", "it’s", "'", "' s"])
        })
}

fn runs(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("space-alone", "no space is taken along: it becomes a piece of its own instead of the beginning of the word behind it", mistakes::space_alone)
        .mistake("space-behind", "the space stays with the word before it; it belongs to the one behind it", mistakes::space_behind)
        .mistake("all-spaces-lead", "a word takes all spaces before it along (` *`); it is one at most", mistakes::all_spaces_lead)
        .mistake("any-white-space-leads", "a word takes a newline, tab or other white space along (`\\s?`); only the space U+0020 is taken", mistakes::any_white_space_leads)
        .convention("digits-in-threes", "numbers are cut into three digits at most and take no space along, as in GPT-4's expression; GPT-2's takes all digits, and a space", mistakes::digits_in_threes)
        .convention("digit-by-digit", "every digit is a piece of its own and takes no space along, as in Qwen's expression; GPT-2's takes all digits, and a space", mistakes::digit_by_digit)
        .mistake("punctuation-alone", "every punctuation character is a piece of its own, the + is missing; a run of them is one piece", mistakes::punctuation_alone)
        .case("a sentence", |attempt, case| each(attempt, case, &["Hello, world! This is (almost) GPT-2."]))
        .case("long numbers", |attempt, case| each(attempt, case, &["1234567", "in 2024 1,234.50"]))
        .case("runs of other characters", |attempt, case| each(attempt, case, &["wait...", "a != b", "\"?!\" --flag", "x += 1; // y"]))
}

fn white_space(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("no-look-ahead", "a run of white space is one piece, whole: without `(?!\\S)` the last space does not reach the word that follows", mistakes::no_look_ahead)
        .mistake("gives-back-at-the-end", "the last character of white space is split off at the end of the text too, where no word follows", mistakes::gives_back_at_the_end)
        .mistake("gives-back-spaces-only", "a run of white space leaves its last character only if that is a space; `\\s+(?!\\S)` leaves a newline or tab as well, which is then a piece of its own", mistakes::gives_back_spaces_only)
        .mistake("one-by-one", "every character of white space is a piece of its own, so indentation costs a token for each space", mistakes::one_by_one)
        .mistake("white-space-dropped", "white space is dropped, so the text cannot be put together again", mistakes::white_space_dropped)
        .mistake("ends-trimmed", "the text is trimmed first: white space at both ends is lost", mistakes::ends_trimmed)
        .case("two spaces", |attempt, case| each(attempt, case, &["Hello  world", "a   b", "   a"]))
        .case("newlines and tabs", |attempt, case| each(attempt, case, &[" a\n\n b", "a\n\nb", "a\tb", "a \tb", "a\t b", "\r\n\r\nx"]))
        .case("white space at the end", |attempt, case| each(attempt, case, &["a ", "a  ", "a \n", " ", "  ", "\n\n"]))
        .case("indented code", |attempt, case| each(attempt, case, &["def f(x):\n    if x:\n\treturn  x\n"]))
}

fn texts(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("nothing, and one character", |attempt, case| each(attempt, case, &["", "a", "1", "!", "\n"]))
        .case("eighty texts of troublesome characters", |attempt, case| {
            let texts: Vec<String> = (0..80).map(|_| made_up(case, 14)).collect();
            each(attempt, case, &texts)
        })
        .cost("a hundred kilobytes", |attempt, case| {
            let text = made_up(case, 40_000);
            case.observe("joined again", Value::Flag(attempt(&text).concat() == text));
            Ok(())
        })
}

/// The pieces of each text.
fn each<S: AsRef<str>>(attempt: &Attempt, case: &mut Case, texts: &[S]) -> Result<()> {
    for text in texts {
        let text = case.given("text", text.as_ref());
        case.observe(&format!("pieces of {text:?}"), Value::text(&attempt(text)));
    }
    Ok(())
}

/// Characters of every class, those that decide most often among them more than once.
const ALPHABET: [char; 32] = [
    ' ', ' ', ' ', ' ', ' ', '\n', '\n', '\t', '\u{a0}', '\'', '\'', '\'', 's', 't', 'l', 'l', 'r', 'e', 'd', 'S', 'é',
    '日', 'न', 'ि', '1', '2', '²', 'Ⅷ', '_', '!', '—', '🙂',
];

fn made_up(case: &mut Case, length: usize) -> String {
    (0..length).map(|_| ALPHABET[case.int(0..ALPHABET.len() as i64) as usize]).collect()
}
