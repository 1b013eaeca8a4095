//! BPE training. Witnesses: tokenizers' BpeTrainer where there are no ties, and the rule written out once more in Python.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value};
use std::process::ExitCode;

/// Words with their counts, number of merges → the merges in the order in which they are learned.
pub type Attempt = fn(&[(String, u64)], usize) -> Vec<(String, String)>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    Problem::new("bpe-train", reference::bpe_train as Attempt)
        .mistake("replaces-text", "the merge replaces text in the joined word: merging a·b also joins the tail of xa with b, across the boundary of a symbol", mistakes::replaces_text)
        .mistake("ignores-counts", "every word counts once, however often it occurs", mistakes::ignores_counts)
        .mistake("never-recounts", "the pairs are counted once at the start: pairs that a merge creates are never learned", mistakes::never_recounts)
        .mistake("no-end", "the words have no end symbol, so no merge can tell a suffix from the same letters inside a word", mistakes::no_end)
        .mistake("least-frequent", "the rarest pair is merged first", mistakes::least_frequent)
        .mistake("advances-one", "after a merge the scan goes on at the second half of the merged pair, which then stands in the word twice", mistakes::advances_one)
        .mistake("first-only", "only the first occurrence in each word is merged", mistakes::first_only)
        .mistake("counts-without-overlap", "a a a is counted as one pair a·a; adjacent pairs are counted, and there are two", mistakes::counts_without_overlap)
        .mistake("ties-last", "of equally frequent pairs the last one met is taken; asked for is the first (`max_by_key` returns the last of equals)", mistakes::ties_last)
        .mistake("ties-by-age", "of equally frequent pairs the one that has been known the longest is taken; asked for is the one met first in the words as they stand now, and a merge can put a new pair in front of an old one", mistakes::ties_by_age)
        .convention("ties-by-text", "of equally frequent pairs the largest in alphabetical order is taken, as subword-nmt does; asked for is the first one met", mistakes::ties_by_text)
        .convention("ties-by-id", "of equally frequent pairs the one with the smallest ids is taken, as Hugging Face tokenizers does; asked for is the first one met", mistakes::ties_by_id)
        .convention("stops-at-one", "training stops when no pair occurs twice, as subword-nmt does; asked for is to go on while there are pairs", mistakes::stops_at_one)
        .convention("end-glued", "the end is glued to the last letter, as tokenizers' end_of_word_suffix does; asked for is an end symbol of its own", mistakes::end_glued)
        .case("low, lower, newest, widest", |attempt, case| {
            judged(attempt, case, &[("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)], 10)
        })
        .case("a boundary inside a word", |attempt, case| judged(attempt, case, &[("xa", 10), ("ab", 6), ("xab", 3)], 10))
        .case("one letter over and over", |attempt, case| judged(attempt, case, &[("aaaa", 3), ("aaaaaaa", 1), ("ba", 5)], 6))
        .case("overlap decides", |attempt, case| judged(attempt, case, &[("aaab", 2), ("cd", 3), ("xcdx", 1)], 3))
        .case("ties", |attempt, case| judged(attempt, case, &[("cd", 1), ("ab", 1)], 4))
        .case("ties among many", |attempt, case| judged(attempt, case, &[("zebra", 2), ("apple", 2), ("mango", 2)], 9))
        .case("a new pair ties with older ones", |attempt, case| judged(attempt, case, &[("abx", 2), ("ab", 5), ("cd", 2)], 6))
        .case("the order of the words decides ties only", |attempt, case| {
            judged(attempt, case, &[("widest", 3), ("newest", 6), ("lower", 2), ("low", 5)], 10)
        })
        .case("rare words and frequent ones", |attempt, case| judged(attempt, case, &[("qq", 1), ("qr", 1), ("qs", 1), ("ts", 9)], 3))
        .case("the same pair twice in a word", |attempt, case| judged(attempt, case, &[("banana", 4), ("nab", 1), ("bandana", 2)], 7))
        .case("more merges than there are", |attempt, case| judged(attempt, case, &[("ab", 2), ("abc", 1)], 50))
        .case("no merges", |attempt, case| judged(attempt, case, &[("low", 5)], 0))
        .case("no words", |attempt, case| judged(attempt, case, &[], 5))
        .case("an empty word, and a word listed twice", |attempt, case| judged(attempt, case, &[("", 9), ("no", 2), ("on", 3), ("no", 2)], 5))
        .case("letters that are not ASCII", |attempt, case| judged(attempt, case, &[("naïve", 3), ("naïf", 2), ("日本語", 4), ("日本", 1)], 8))
        .case("a hundred made-up words", |attempt, case| {
            let words = made_up(case, 100);
            case.given("words", "a hundred words of the letters a to e");
            case.observe("merges", merges(&attempt(&words, 40)));
            Ok(())
        })
        .cost("1500 words, 200 merges", |attempt, case| {
            let words = made_up(case, 1500);
            case.observe("merges", merges(&attempt(&words, 200)));
            Ok(())
        })
        .golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/bpe-train.json")), |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let words: Vec<(String, u64)> =
                    serde_json::from_value(entry["words"].clone()).map_err(|e| e.to_string())?;
                let want: Vec<(String, String)> =
                    serde_json::from_value(entry["merges"].clone()).map_err(|e| e.to_string())?;
                let got = attempt(&words, entry["count"].as_u64().ok_or("count")? as usize);
                fixture.expect("merges", merges(&want), merges(&got));
            }
            Ok(())
        })
}

fn merges(list: &[(String, String)]) -> Value {
    Value::text(&list.iter().map(|(a, b)| format!("{a} {b}")).collect::<Vec<String>>())
}

fn judged(attempt: &Attempt, case: &mut Case, words: &[(&str, u64)], count: usize) -> Result<()> {
    let words: Vec<(String, u64)> = words.iter().map(|(word, n)| ((*word).to_owned(), *n)).collect();
    case.given("words", &words);
    case.given("merges", count);
    case.observe("merges", merges(&attempt(&words, count)));
    Ok(())
}

/// Words of two to eight letters a to e, with counts that differ widely.
fn made_up(case: &mut Case, count: usize) -> Vec<(String, u64)> {
    let mut word = |_| {
        let letters = case.int(2..9);
        let text = (0..letters).map(|_| (b'a' + case.int(0..5) as u8) as char).collect();
        (text, case.int(1..1000) as u64)
    };
    (0..count).map(&mut word).collect()
}

/// What the verdict calls Hugging Face's convention is what the library does.
#[cfg(test)]
#[test]
fn the_tie_rule_by_id_is_that_of_tokenizers() -> Result<()> {
    let fixture =
        judge::Golden::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/bpe-train.json")))?;
    for entry in fixture.entries("ties")? {
        let words: Vec<(String, u64)> = serde_json::from_value(entry["words"].clone()).map_err(|e| e.to_string())?;
        let theirs: Vec<(String, String)> =
            serde_json::from_value(entry["merges"].clone()).map_err(|e| e.to_string())?;
        assert_eq!(mistakes::ties_by_id(&words, theirs.len()), theirs);
        assert_ne!(reference::bpe_train(&words, theirs.len()), theirs);
    }
    Ok(())
}

/// Counts that are updated and counts that are taken anew agree, over many corpora full of ties and overlaps.
#[cfg(test)]
#[test]
fn updating_is_recounting() {
    let mut case = Case::new("bpe-train", "updating is recounting", &candle_core::Device::Cpu);
    for _ in 0..300 {
        let (letters, count) = (case.int(1..4), case.int(1..9));
        let mut word = |_| {
            let length = case.int(0..9);
            ((0..length).map(|_| (b'a' + case.int(0..letters) as u8) as char).collect(), case.int(1..4) as u64)
        };
        let words: Vec<(String, u64)> = (0..count).map(&mut word).collect();
        assert_eq!(reference::bpe_train(&words, 30), mistakes::recounted(&words, 30), "{words:?}");
    }
}
