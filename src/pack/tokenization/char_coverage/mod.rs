//! Character coverage. Witness: the alphabet that sentencepiece keeps when it trains.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value};
use std::process::ExitCode;

/// Corpus, threshold → the share that is covered, and the characters that are not.
pub type Attempt = fn(&[String], f64) -> (f64, Vec<char>);

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    cases(known(Problem::new("char-coverage", reference::char_coverage as Attempt))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/char-coverage.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let list = |name: &str| {
                    serde_json::from_value::<Vec<String>>(entry[name].clone()).map_err(|e| format!("{name}: {e}"))
                };
                let number = |name: &str| entry[name].as_f64().ok_or_else(|| format!("no {name}"));
                let (coverage, rare) = attempt(&list("corpus")?, number("threshold")?);
                fixture.expect("coverage", Value::scalar(number("coverage")?), Value::scalar(coverage));
                fixture.expect("rare characters", Value::text(&list("rare")?), in_order(rare));
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("one-more-at-equality", "characters are kept while the share is at most the threshold: when it is reached exactly, one too many is kept", mistakes::one_more_at_equality)
        .mistake("stops-before", "the character that would carry the share past the threshold is not kept; the share must reach it", mistakes::stops_before)
        .mistake("first-always-kept", "the most frequent character is kept without asking, even if the threshold is 0", mistakes::first_always_kept)
        .mistake("own-share", "a character is rare if its own share is below the threshold; the threshold is for what all kept ones have together", mistakes::own_share)
        .mistake("own-share-of-the-rest", "a character is rare if its own share is below 1 − threshold; the threshold is for what all kept ones have together", mistakes::own_share_of_the_rest)
        .mistake("kinds", "the share is taken of distinct characters; what counts is how often they occur", mistakes::kinds)
        .mistake("share-of-kinds-returned", "the right characters are kept, but the coverage returned is their share of the distinct characters", mistakes::share_of_kinds_returned)
        .mistake("order-of-sight", "the characters are not sorted by count but taken as they come", mistakes::order_of_sight)
        .mistake("order-of-codes", "the characters are not sorted by count but by code point, as a sorted map hands them out", mistakes::order_of_codes)
        .mistake("ascending", "the rarest characters are kept first", mistakes::ascending)
        .convention("ties-by-sight", "of equally frequent characters the one seen first is kept first, as Python's Counter.most_common does; asked for is the smaller code point, as in SentencePiece", mistakes::ties_by_sight)
        .mistake("ties-by-largest", "of equally frequent characters the larger code point is kept first, which is what sorting (count, character) downwards does", mistakes::ties_by_largest)
        .mistake("nothing-divides", "an empty corpus divides 0 by 0", mistakes::nothing_divides)
        .mistake("nothing-is-zero", "an empty corpus is said to be covered to 0; nothing of it is left out, so it is 1", mistakes::nothing_is_zero)
        .mistake("no-white-space", "spaces and line ends are not counted; they are characters like the others", mistakes::no_white_space)
        .mistake("bytes", "UTF-8 bytes are counted instead of characters", mistakes::bytes)
        .mistake("lower-case", "the text is lower-cased first; A and a are two characters", mistakes::lower_case)
        .mistake("once-a-text", "a character counts once for each text, however often it occurs there", mistakes::once_a_text)
        .mistake("kept-returned", "the kept characters are returned; asked for are those that are not kept", mistakes::kept_returned)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("two texts", |attempt, case| judged(attempt, case, &["aaaaaab", "bbc"], 0.85))
        .case("almost all a", |attempt, case| {
            let text = ["a".repeat(980), "b".repeat(11), "c".repeat(9)].concat();
            case.given("corpus", "980 a, 11 b, 9 c");
            [0.985, 0.98, 0.9911]
                .into_iter()
                .for_each(|threshold| covered(attempt, case, std::slice::from_ref(&text), threshold));
            Ok(())
        })
        .case("reached exactly", |attempt, case| {
            judged(attempt, case, &["aaaabbcd"], 0.5)?;
            judged(attempt, case, &["aaaabbcd"], 0.75)
        })
        .case("all of it", |attempt, case| judged(attempt, case, &["zzzyyx", "wz"], 1.0))
        .case("none of it", |attempt, case| judged(attempt, case, &["zzzyyx"], 0.0))
        .case("ties", |attempt, case| {
            judged(attempt, case, &["dcbadcbadd"], 0.45)?;
            judged(attempt, case, &["za", "az", "mm"], 0.6)
        })
        .case("a frequent character that comes late", |attempt, case| {
            judged(attempt, case, &["abc", "xxxxx", "xxxxa"], 0.8)
        })
        .case("spaces and line ends", |attempt, case| judged(attempt, case, &["a b c  d\n", "a a\n b"], 0.75))
        .case("capitals", |attempt, case| judged(attempt, case, &["Anna ANNA nana"], 0.8))
        .case("letters of several bytes", |attempt, case| judged(attempt, case, &["日本日日éé", "日é語🙂日"], 0.8))
        .case("one character", |attempt, case| judged(attempt, case, &["q"], 0.5))
        .case("no texts", |attempt, case| judged(attempt, case, &[], 0.99))
        .case("empty texts", |attempt, case| judged(attempt, case, &["", ""], 0.5))
        .case("five hundred made-up characters", |attempt, case| {
            let corpus: Vec<String> = (0..5).map(|_| made_up(case, 101)).collect();
            case.given("corpus", &corpus);
            [0.6, 0.937, 0.99].into_iter().for_each(|threshold| covered(attempt, case, &corpus, threshold));
            Ok(())
        })
        .cost("300 000 characters", |attempt, case| {
            let corpus: Vec<String> = (0..100).map(|_| made_up(case, 1000)).collect();
            let corpus: Vec<String> = corpus.iter().map(|text| text.repeat(3)).collect();
            covered(attempt, case, &corpus, 0.97);
            Ok(())
        })
}

/// The order is free.
fn in_order(mut rare: Vec<char>) -> Value {
    rare.sort_unstable();
    Value::text(&rare.iter().map(char::to_string).collect::<Vec<String>>())
}

fn judged(attempt: &Attempt, case: &mut Case, corpus: &[&str], threshold: f64) -> Result<()> {
    let corpus: Vec<String> = corpus.iter().map(|text| (*text).to_owned()).collect();
    case.given("corpus", &corpus);
    covered(attempt, case, &corpus, threshold);
    Ok(())
}

fn covered(attempt: &Attempt, case: &mut Case, corpus: &[String], threshold: f64) {
    let (coverage, rare) = attempt(corpus, case.given("threshold", threshold));
    case.observe(&format!("coverage at {threshold}"), Value::scalar(coverage));
    case.observe(&format!("characters not kept at {threshold}"), in_order(rare));
}

/// A text whose characters are the rarer, the later they stand in a list of thirty; the list is in no order of codes.
fn made_up(case: &mut Case, length: usize) -> String {
    let letters: Vec<char> = "e tanoIirsh日dlcumfpgéwybvkxjq🙂z".chars().collect();
    let pick = |_| letters[(case.uniform() * case.uniform() * letters.len() as f64) as usize];
    (0..length).map(pick).collect()
}
