//! BPE encoding. Witness: tokenizers' BPE model.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value};
use std::collections::HashSet;
use std::process::ExitCode;

/// A word, the merges in the order in which they were learned → the word's symbols.
pub type Attempt = fn(&str, &[(String, String)]) -> Vec<String>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("bpe-encode", reference::bpe_encode as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/bpe-encode.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let merges: Vec<(String, String)> =
                    serde_json::from_value(entry["merges"].clone()).map_err(|e| e.to_string())?;
                let words: Vec<(String, Vec<String>)> =
                    serde_json::from_value(entry["words"].clone()).map_err(|e| e.to_string())?;
                for (word, want) in words {
                    fixture.expect(&word, Value::text(&want), Value::text(&attempt(&word, &merges)));
                }
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("highest-rank", "the pair that was learned last is joined first; the merges are to be replayed in the order in which they were learned", mistakes::highest_rank)
        .mistake("rank-ignored", "the leftmost pair that is a merge at all is joined, whatever its rank", mistakes::rank_ignored)
        .mistake("rightmost", "of several places of the same pair the last one is joined: a a a becomes a aa instead of aa a", mistakes::rightmost)
        .mistake("most-frequent", "the pair that occurs most often in the word is joined first, as if training went on; what decides is the rank", mistakes::most_frequent)
        .mistake("one-merge", "it stops after a single merge; it ends when no neighbours are a merge", mistakes::one_merge)
        .mistake("first-only", "the merges are gone through once, and each is joined at its first place only", mistakes::first_only)
        .mistake("stops-at-missing", "it stops at the first merge that the word does not have; later merges may still apply", mistakes::stops_at_missing)
        .mistake("advances-one", "after a join the scan goes on at the second half of the pair, which then stands in the word twice", mistakes::advances_one)
        .mistake("drops-next", "the symbol behind a joined pair is lost", mistakes::drops_next)
        .mistake("replaces-text", "the join replaces text in the space-joined word: joining a·b also joins the tail of xa with b, across the boundary of a symbol", mistakes::replaces_text)
        .mistake("longest-match", "the longest known symbol is taken at every place, from left to right, as WordPiece does; BPE replays merges, and a longer symbol may never come about", mistakes::longest)
        .mistake("no-end", "the word has no end symbol", mistakes::no_end)
        .mistake("end-last", "the end symbol is put behind the result, so no merge can use it", mistakes::end_last)
        .mistake("end-in-pieces", "the end is spelled as the four characters < / w >; it is one symbol", mistakes::end_in_pieces)
        .mistake("empty-is-nothing", "the empty word gives nothing; it is the end symbol alone", mistakes::empty_is_nothing)
        .mistake("bytes", "the word is cut into bytes, which breaks letters beyond ASCII; the symbols are characters", mistakes::bytes)
        .convention("end-glued", "the end is glued to the last letter, as subword-nmt (since 0.2) and tokenizers' end_of_word_suffix do; asked for is an end symbol of its own", mistakes::end_glued)
        .convention("unknown-dropped", "characters that no merge knows disappear, as in tokenizers' BPE without an unk_token; asked for is to let them through", mistakes::unknown_dropped)
        .convention("unknown-replaced", "characters that no merge knows become <unk>, as in tokenizers' BPE with that unk_token; asked for is to let them through", mistakes::unknown_replaced)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    let learned = [("b", "c"), ("a", "b"), ("ab", "ab"), ("d", "</w>"), ("e", "s"), ("es", "t"), ("est", "</w>")];
    problem
        .case("rank before position", |attempt, case| judged(attempt, case, &[("b", "c"), ("a", "b")], &["abc"]))
        .case("words of the statement", move |attempt, case| {
            judged(attempt, case, &learned, &["newest", "aab", "dd", "ababc", "abab"])
        })
        .case("one letter over and over", |attempt, case| {
            let runs: Vec<String> = (1..10).map(|n| "a".repeat(n)).collect();
            let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
            judged(attempt, case, &[("a", "a"), ("aa", "aa"), ("aa", "a"), ("a", "</w>")], &runs)
        })
        .case("a boundary inside a word", |attempt, case| {
            judged(attempt, case, &[("x", "a"), ("a", "b"), ("b", "</w>")], &["xab", "xabab", "abxa", "xxabb"])
        })
        .case("a longer symbol that never comes about", |attempt, case| {
            judged(
                attempt,
                case,
                &[("u", "n"), ("n", "d"), ("o", "nd"), ("un", "d")],
                &["und", "ond", "ound", "undond"],
            )
        })
        .case("the end takes part", |attempt, case| {
            judged(
                attempt,
                case,
                &[("s", "</w>"), ("e", "s"), ("es", "</w>"), ("t", "s</w>")],
                &["ses", "es", "test", "tests"],
            )
        })
        .case("rare beats frequent", |attempt, case| {
            judged(attempt, case, &[("c", "a"), ("a", "b"), ("b", "a")], &["cabab", "babab", "bcabca"])
        })
        .case("merges that the word does not have", |attempt, case| {
            judged(
                attempt,
                case,
                &[("q", "u"), ("l", "o"), ("z", "z"), ("lo", "w"), ("low", "</w>")],
                &["low", "slow", "lower"],
            )
        })
        .case("characters that no merge knows", |attempt, case| {
            judged(attempt, case, &[("a", "b"), ("ab", "</w>")], &["a?b", "ab!", "?", "aab"])
        })
        .case("letters that are not ASCII", |attempt, case| {
            judged(
                attempt,
                case,
                &[("ï", "v"), ("日", "本"), ("ïv", "e"), ("本", "語")],
                &["naïve", "日本語", "本日本", "🙂é"],
            )
        })
        .case("the empty word", |attempt, case| judged(attempt, case, &[("a", "b"), ("b", "</w>")], &["", "b"]))
        .case("no merges", |attempt, case| judged(attempt, case, &[], &["low", ""]))
        .case("made-up merges and words", |attempt, case| {
            for round in 1..=4 {
                let merges = made_up(case, "abc", 24);
                case.given(&format!("merges of round {round}"), &merges);
                for at in 0..10 {
                    let length = 3 + at;
                    let word = letters(case, "abcabcabcd", length);
                    let name = case.given(&format!("round {round}, word {at}"), word.clone());
                    case.observe(&format!("round {round}, {name}"), Value::text(&attempt(&word, &merges)));
                }
            }
            Ok(())
        })
        .case("a word of 250 letters", |attempt, case| long(attempt, case, 250))
        .cost("a word of 4000 letters", |attempt, case| long(attempt, case, 4000))
}

fn judged(attempt: &Attempt, case: &mut Case, merges: &[(&str, &str)], words: &[&str]) -> Result<()> {
    let merges: Vec<(String, String)> = merges.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    case.given("merges", &merges);
    for word in case.given("words", words) {
        case.observe(&format!("symbols of {word:?}"), Value::text(&attempt(word, &merges)));
    }
    Ok(())
}

fn long(attempt: &Attempt, case: &mut Case, length: usize) -> Result<()> {
    let (merges, word) = (made_up(case, "abcd", 60), letters(case, "abcd", length));
    case.given("merges", &merges);
    case.given("word", &word);
    case.observe("symbols", Value::text(&attempt(&word, &merges)));
    Ok(())
}

fn letters(case: &mut Case, alphabet: &str, length: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    (0..length).map(|_| alphabet[case.int(0..alphabet.len() as i64) as usize]).collect()
}

/// Merges of short symbols as a trainer leaves them: every part is known before, and no text is made twice.
fn made_up(case: &mut Case, alphabet: &str, count: usize) -> Vec<(String, String)> {
    let mut symbols: Vec<String> = alphabet.chars().map(String::from).chain(["</w>".to_owned()]).collect();
    let (mut made, mut merges): (HashSet<String>, Vec<_>) = (symbols.iter().cloned().collect(), Vec::new());
    while merges.len() < count {
        let mut any = || symbols[case.int(0..symbols.len() as i64) as usize].clone();
        let (a, b) = (any(), any());
        let new = format!("{a}{b}");
        if !a.ends_with('>') && new.trim_end_matches("</w>").len() <= 5 && made.insert(new.clone()) {
            symbols.push(new);
            merges.push((a, b));
        }
    }
    merges
}
