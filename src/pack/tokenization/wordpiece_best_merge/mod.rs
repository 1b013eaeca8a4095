//! WordPiece's choice of the next merge. Witnesses: the formula of Hugging Face's course in floats and once more in exact
//! fractions; for the other convention tokenizers' WordPieceTrainer.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value};
use std::process::ExitCode;

/// Words as lists of symbols, with their counts → the pair to merge and its score.
pub type Attempt = fn(&[(Vec<String>, u64)]) -> Option<(String, String, f64)>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("wordpiece-best-merge", reference::best_merge as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wordpiece-best-merge.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let words: Vec<(Vec<String>, u64)> =
                    serde_json::from_value(entry["words"].clone()).map_err(|e| e.to_string())?;
                let (a, b, score): (String, String, f64) =
                    serde_json::from_value(entry["best"].clone()).map_err(|e| e.to_string())?;
                let got = attempt(&words).ok_or("a pair is expected")?;
                fixture.expect("pair", Value::text(&[a, b]), Value::text(&[got.0, got.1]));
                fixture.expect("score", Value::scalar(score), Value::scalar(got.2));
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .convention("raw-frequency", "the most frequent pair is merged, which is BPE's rule, and also what Hugging Face's WordPieceTrainer does under its name; asked for is the count divided by those of both symbols", mistakes::raw_frequency)
        .mistake("divides-by-first", "the pair's count is divided by the first symbol's count only: that is how often b follows a, and it favours any b that is common", mistakes::divides_by_first)
        .mistake("divides-by-second", "the pair's count is divided by the second symbol's count only", mistakes::divides_by_second)
        .mistake("divides-by-sum", "the counts of the two symbols are added; they are to be multiplied", mistakes::divides_by_sum)
        .mistake("divides-by-smaller", "the pair's count is divided by the smaller of the two counts; it is their product", mistakes::divides_by_smaller)
        .mistake("square-root", "the pair's count is divided by the root of the product; without the root a rare pair weighs more", mistakes::square_root)
        .mistake("symbols-unweighted", "the symbols are counted once for each place, without the words' counts, and the pairs with them", mistakes::symbols_unweighted)
        .mistake("pairs-unweighted", "the pairs are counted once for each place, without the words' counts, and the symbols with them", mistakes::pairs_unweighted)
        .mistake("counts-ignored", "every word counts once, however often it occurs", mistakes::counts_ignored)
        .mistake("once-a-word", "a symbol or a pair that stands in a word twice is counted once", mistakes::once_a_word)
        .mistake("sides-of-pairs", "the counts of a as a left half and of b as a right half are used; asked for are all occurrences of the symbols, also at the other end of a word", mistakes::sides_of_pairs)
        .mistake("lone-symbols-skipped", "words of one symbol are passed over: they have no pair, but their symbol counts", mistakes::lone_symbols_skipped)
        .mistake("without-overlap", "q q q is counted as one pair q·q; adjacent pairs are counted, and there are two", mistakes::without_overlap)
        .mistake("minimum", "the pair with the smallest score is taken", mistakes::minimum)
        .mistake("ties-last", "of equal scores the last one met is taken; asked for is the first (`max_by` returns the last of equals)", mistakes::ties_last)
        .mistake("ties-by-text", "of equal scores the first in alphabetical order is taken, as a walk over a BTreeMap does; asked for is the first one met", mistakes::ties_by_text)
        .mistake("whole-numbers", "the division is one of whole numbers, so that nearly every score is 0", mistakes::whole_numbers)
        .mistake("product-overflows", "the product of two counts overflows 64 bits; convert to f64 before you multiply", mistakes::product_overflows)
        .mistake("product-in-32-bits", "the counts are multiplied as u32, which overflows from 65 536 times 65 536 on", mistakes::product_in_32_bits)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("low and lower", |attempt, case| judged(attempt, case, &[("l o w </w>", 5), ("l o w e r </w>", 2)]))
        .case("hug, pug, pun, bun, hugs", |attempt, case| {
            let words =
                [("h ##u ##g", 10), ("p ##u ##g", 5), ("p ##u ##n", 12), ("b ##u ##n", 4), ("h ##u ##g ##s", 5)];
            judged(attempt, case, &words)
        })
        .case("a symbol beside itself", |attempt, case| {
            judged(attempt, case, &[("q q q", 4), ("q r", 3), ("s q q r", 2), ("s", 1)])
        })
        .case("a run decides", |attempt, case| judged(attempt, case, &[("r s", 1), ("q q q", 1), ("r", 1), ("s", 2)]))
        .case("words of one symbol", |attempt, case| {
            judged(attempt, case, &[("a", 7), ("a b", 2), ("b", 1), ("c d", 3), ("d c e", 1), ("d", 2)])
        })
        .case("a symbol at the other end of words", |attempt, case| {
            judged(attempt, case, &[("x y", 4), ("z x", 9), ("y w", 8), ("u v", 5), ("v t u", 3)])
        })
        .case("the words' counts decide", |attempt, case| {
            judged(
                attempt,
                case,
                &[("a b", 40), ("a c", 2), ("d b", 3), ("e f", 6), ("e g", 5), ("h f", 4), ("a b b a", 1)],
            )
        })
        .case("the same pair twice in a word", |attempt, case| {
            judged(attempt, case, &[("a b a b c", 3), ("c d", 2), ("d a", 1), ("d e d e e", 2)])
        })
        .case("equal scores", |attempt, case| {
            judged(attempt, case, &[("z y", 2), ("m n", 2), ("b a", 2), ("y y y m b", 1), ("z n a", 1)])
        })
        .case("equal scores from other counts", |attempt, case| {
            // 2/(2·4), 4/(4·4) and 1/(1·4): one quarter each, exact in every float.
            judged(
                attempt,
                case,
                &[("t s", 2), ("s", 2), ("f g", 4), ("c d", 1), ("d", 3), ("a b", 4), ("a b", 4), ("b", 24)],
            )
        })
        .case("the whole corpus is one pair", |attempt, case| judged(attempt, case, &[("b a", 1)]))
        .case("no two symbols are neighbours", |attempt, case| judged(attempt, case, &[("a", 3), ("b", 1)]))
        .case("no words", |attempt, case| judged(attempt, case, &[]))
        .case("a word without symbols, a word listed twice", |attempt, case| {
            judged(attempt, case, &[("", 5), ("a b", 1), ("c d c", 2), ("a b", 1), ("b a", 1)])
        })
        .case("symbols of several letters", |attempt, case| {
            judged(attempt, case, &[("un ##able", 3), ("una ##ble", 2), ("un ##do", 7), ("日 ##本", 4), ("日 ##光", 2)])
        })
        .case("counts of six digits", |attempt, case| {
            judged(
                attempt,
                case,
                &[("a b", 90_000), ("a c", 70_000), ("d b", 65_537), ("d e", 131_072), ("e c", 80_001)],
            )
        })
        .case("counts of ten digits", |attempt, case| {
            let words = [
                ("a b", 5_000_000_000),
                ("a c", 4_000_000_000),
                ("d c", 1_500_000_000),
                ("d e", 9_000_000_000),
                ("f e", 7_000_000_000),
            ];
            judged(attempt, case, &words)
        })
        .case("made-up words", |attempt, case| {
            for round in 1..=5 {
                let words = made_up(case, 12);
                case.given(&format!("words of round {round}"), &words);
                observe(case, &format!("round {round}: "), attempt(&words));
            }
            Ok(())
        })
        .cost("5000 words", |attempt, case| {
            let words = made_up(case, 5000);
            observe(case, "", attempt(&words));
            Ok(())
        })
}

fn observe(case: &mut Case, name: &str, best: Option<(String, String, f64)>) {
    let Some((a, b, score)) = best else {
        return case.observe(&format!("{name}pair"), Value::text(&["none"]));
    };
    case.observe(&format!("{name}pair"), Value::text(&[a, b]));
    case.observe(&format!("{name}score"), Value::scalar(score));
}

/// Words whose symbols are parted by spaces.
fn judged(attempt: &Attempt, case: &mut Case, words: &[(&str, u64)]) -> Result<()> {
    let symbols = |word: &str| word.split_whitespace().map(str::to_owned).collect();
    let words: Vec<(Vec<String>, u64)> = words.iter().map(|(word, count)| (symbols(word), *count)).collect();
    let best = attempt(case.given("words", &words));
    observe(case, "", best);
    Ok(())
}

/// Words of one to eight of sixteen symbols, some much more frequent than others.
fn made_up(case: &mut Case, count: usize) -> Vec<(Vec<String>, u64)> {
    let mut word = |_| {
        let symbols = (0..case.int(1..9)).map(|_| char::from(b'a' + (16.0 * case.uniform().powi(2)) as u8).to_string());
        (symbols.collect(), 0)
    };
    let words: Vec<(Vec<String>, u64)> = (0..count).map(&mut word).collect();
    words.into_iter().map(|(word, _)| (word, case.int(1..100) as u64)).collect()
}
