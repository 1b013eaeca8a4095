//! Unigram segmentation. Witness: tokenizers' Unigram model.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value};
use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

/// A text, the pieces with their log-probabilities → the pieces of the best segmentation.
pub type Attempt = fn(&str, &HashMap<String, f64>) -> Vec<String>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("unigram-viterbi", reference::segment as Attempt);
    cases(unknown(known(problem))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/unigram-viterbi.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let pieces: HashMap<String, f64> =
                    serde_json::from_value(entry["pieces"].clone()).map_err(|e| e.to_string())?;
                let texts: Vec<(String, Vec<String>)> =
                    serde_json::from_value(entry["texts"].clone()).map_err(|e| e.to_string())?;
                for (text, want) in texts {
                    fixture.expect(&text, Value::text(&want), Value::text(&attempt(&text, &pieces)));
                }
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("greedy-longest", "the longest piece is taken at every place, as WordPiece does; a shorter one may leave a better rest", mistakes::greedy_longest)
        .mistake("greedy-best", "the most probable piece is taken at every place, whatever it leaves for the rest", mistakes::greedy_best)
        .mistake("minimises", "the least probable segmentation is found; log-probabilities are maximised (or their negatives minimised)", mistakes::minimises)
        .mistake("fewest-pieces", "the segmentation with the fewest pieces is found; the probabilities decide", mistakes::fewest_pieces)
        .mistake("not-reversed", "the pieces come out last to first: the way back has to be turned round", mistakes::not_reversed)
        .mistake("keeps-last", "every candidate replaces the one before it, so the last one stays and not the best", mistakes::keeps_last)
        .mistake("ignores-prefix", "pieces are compared by their own log-probability alone; the best score of the text before them belongs to it", mistakes::ignores_prefix)
        .mistake("multiplies", "log-probabilities are multiplied; probabilities are multiplied, and their logarithms added", mistakes::multiplies)
        .mistake("adds-probabilities", "the probabilities (exp of the scores) are added; they are to be multiplied", mistakes::adds_probabilities)
        .mistake("ties-shortest", "of equally good segmentations the one with the shortest last piece is kept (`>=`); asked for is the longest", mistakes::ties_shortest)
        .mistake("ties-longest-first", "of equally good segmentations the one with the longest first piece is kept, as a search from the end does; asked for is the longest last piece", mistakes::ties_longest_first)
        .mistake("longest-left-out", "pieces of the maximal length are never tried: the range ends one early", mistakes::longest_left_out)
        .mistake("slices-bytes", "the text is cut at byte offsets: a character that is not ASCII has several, and cutting inside it panics", mistakes::slices_bytes)
}

fn unknown(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("unknown-loses-all", "one character that is no piece makes the whole result empty: the end cannot be reached; let it pass as unknown", mistakes::unknown_loses_all)
        .mistake("unknown-dropped", "unknown characters are left out of the result, whose pieces then no longer give the text", mistakes::unknown_dropped)
        .mistake("unknown-replaced", "unknown characters are written as <unk>; asked for are the characters", mistakes::unknown_replaced)
        .mistake("unknown-apart", "unknown characters in a row are pieces of their own; asked for is one piece, as SentencePiece and tokenizers make it", mistakes::unknown_apart)
        .mistake("unknown-only-when-stuck", "a character may be unknown only where no piece begins at all; it may wherever it is no piece by itself", mistakes::unknown_only_when_stuck)
        .mistake("unknown-costs-nothing", "an unknown character has the score 0, the probability 1: better than any piece", mistakes::unknown_costs_nothing)
        .mistake("unknown-at-minimum", "an unknown character is as probable as the rarest piece; it lies 10 below", mistakes::unknown_at_minimum)
        .mistake("unknown-costs-ten", "an unknown character has the score −10; asked for is 10 below the rarest piece, which may be rarer than that itself", mistakes::unknown_costs_ten)
}

const HUGS: [(&str, f64); 9] = [
    ("h", -4.0),
    ("u", -4.0),
    ("g", -4.0),
    ("hu", -2.0),
    ("ug", -2.5),
    ("hug", -5.0),
    ("s", -2.0),
    ("ugs", -2.25),
    ("gs", -1.0),
];
const ABC: [(&str, f64); 6] = [("a", -1.0), ("ab", -1.5), ("abc", -3.0), ("b", -2.0), ("c", -2.0), ("bc", -3.0)];

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("hugs", |attempt, case| judged(attempt, case, &HUGS, &["hugs"]))
        .case("more of the same pieces", |attempt, case| {
            judged(attempt, case, &HUGS, &["hughugs", "ugs", "sugh", "gshu", "huggugs"])
        })
        .case("a long piece that is not worth it", |attempt, case| {
            judged(attempt, case, &ABC, &["abc", "abcab", "bca", "cabba"])
        })
        .case("the longest piece leaves a bad rest", |attempt, case| {
            judged(
                attempt,
                case,
                &[("a", -5.0), ("aa", -1.0), ("aaa", -1.5), ("b", -9.0), ("ab", -2.0), ("aab", -8.5)],
                &["aaab", "aaaab", "aab", "aaaaaab"],
            )
        })
        .case("many probable pieces, or one improbable", |attempt, case| {
            judged(
                attempt,
                case,
                &[("x", -0.25), ("y", -0.5), ("xy", -1.0), ("yx", -0.5), ("xyxy", -6.0)],
                &["xyxy", "yxyx", "xxyyx"],
            )
        })
        .case("equally good", |attempt, case| {
            judged(
                attempt,
                case,
                &[("a", -1.0), ("b", -1.0), ("ab", -2.0), ("ba", -2.0), ("aba", -3.5)],
                &["ab", "aba", "abab", "babab"],
            )
        })
        .case("a whole text is one piece", |attempt, case| {
            judged(
                attempt,
                case,
                &[("a", -3.0), ("t", -3.0), ("e", -2.5), ("at", -4.0), ("ate", -5.0)],
                &["ate", "at", "a", "tea"],
            )
        })
        .case("nothing", |attempt, case| judged(attempt, case, &ABC, &["", "a"]))
        .case("a character that is unknown", |attempt, case| judged(attempt, case, &ABC, &["azb", "z", "zabc", "abz"]))
        .case("unknown characters in a row", |attempt, case| {
            judged(attempt, case, &ABC, &["azzb", "zzz", "azyxabzy", "zaz"])
        })
        .case("unknown, though a piece begins there", |attempt, case| {
            judged(attempt, case, &[("zb", -9.0), ("bc", -1.0), ("a", -1.0)], &["zbc", "azbc", "zb"])
        })
        .case("a piece or an unknown character", |attempt, case| {
            judged(
                attempt,
                case,
                &[("zb", -3.0), ("b", -0.5), ("zbc", -7.0), ("c", -4.0), ("bc", -1.0)],
                &["zb", "zbc", "zzb"],
            )
        })
        .case("better without an unknown character", |attempt, case| {
            judged(attempt, case, &[("zb", -4.0), ("c", -4.0), ("bc", -1.0)], &["zbc", "zbcbc"])
        })
        .case("improbable pieces all around", |attempt, case| {
            judged(attempt, case, &[("zb", -14.0), ("b", -2.0), ("c", -13.0), ("bc", -1.5)], &["zb", "zbc", "czbz"])
        })
        .case("no pieces at all", |attempt, case| judged(attempt, case, &[], &["ab", ""]))
        .case("letters that are not ASCII", |attempt, case| {
            judged(
                attempt,
                case,
                &[("日", -4.0), ("本", -4.5), ("日本", -5.0), ("語", -3.0), ("本語", -4.0), ("é", -2.0), ("aé", -2.5)],
                &["日本語", "aé", "日é本", "aaé🙂"],
            )
        })
        .case("word boundaries", |attempt, case| {
            let pieces = [
                ("▁", -3.0),
                ("▁the", -2.0),
                ("▁them", -4.5),
                ("▁then", -4.0),
                ("e", -3.5),
                ("m", -4.5),
                ("me", -3.75),
                ("n", -4.25),
                ("t", -3.875),
                ("h", -5.0),
            ];
            judged(attempt, case, &pieces, &["▁theme", "▁then▁the", "▁themethe"])
        })
        .case("made-up pieces", |attempt, case| {
            for round in 1..=4 {
                let pieces = made_up(case, 25);
                given(case, &format!("pieces of round {round}"), &pieces);
                for at in 0..6 {
                    let length = 4 + 3 * at;
                    let text = letters(case, "abcabcabcd", length);
                    case.given(&format!("round {round}, text {at}"), &text);
                    case.observe(&format!("round {round}, {text}"), Value::text(&attempt(&text, &pieces)));
                }
            }
            Ok(())
        })
        .cost("600 characters, 2000 pieces", |attempt, case| {
            let (pieces, text) = (made_up(case, 2000), letters(case, "abcabcabcabcd", 600));
            case.observe("pieces", Value::text(&attempt(&text, &pieces)));
            Ok(())
        })
}

/// Records the pieces in alphabetical order.
fn given(case: &mut Case, name: &str, pieces: &HashMap<String, f64>) {
    case.given(name, pieces.iter().map(|(piece, score)| (piece.as_str(), *score)).collect::<BTreeMap<&str, f64>>());
}

fn judged(attempt: &Attempt, case: &mut Case, pieces: &[(&str, f64)], texts: &[&str]) -> Result<()> {
    let pieces: HashMap<String, f64> = pieces.iter().map(|(piece, score)| ((*piece).to_owned(), *score)).collect();
    given(case, "pieces", &pieces);
    for text in case.given("texts", texts) {
        case.observe(&format!("pieces of {text:?}"), Value::text(&attempt(text, &pieces)));
    }
    Ok(())
}

fn letters(case: &mut Case, alphabet: &str, length: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    (0..length).map(|_| alphabet[case.int(0..alphabet.len() as i64) as usize]).collect()
}

/// Pieces of one to five letters a to c, the longer ones less probable. The same pieces in another order are always a tie, so
/// the scores are multiples of 1/64: no order of adding them can break it.
fn made_up(case: &mut Case, count: usize) -> HashMap<String, f64> {
    let mut pieces = HashMap::new();
    for _ in 0..count {
        let length = case.int(1..6) as usize;
        let score = -1.5 * (length as f64 + 0.5) * (0.5 + case.uniform());
        let score = (64.0 * score).floor() / 64.0;
        pieces.entry(letters(case, "abc", length)).or_insert(score);
    }
    pieces
}
