//! A vocabulary with an unknown token. Witness: ids that tokenizers gives to added tokens.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value};
use std::collections::HashMap;
use std::process::ExitCode;

/// What `build` makes and the other two use. How the fields are filled is the attempt's own affair.
#[derive(Clone, Debug, Default)]
pub struct Vocab {
    /// The id of each token.
    pub ids: HashMap<String, u32>,
    /// The token of each id.
    pub tokens: Vec<String>,
    /// The id of the token that stands for all unknown ones.
    pub unk: u32,
}

/// The three functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// A list of tokens, the name of the unknown one → their vocabulary.
    pub build: fn(&[&str], &str) -> Vocab,
    /// Tokens → ids.
    pub encode: fn(&Vocab, &[&str]) -> Vec<u32>,
    /// Ids → tokens; none if one of them is no id.
    pub decode: fn(&Vocab, &[u32]) -> Option<Vec<String>>,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { build: reference::build, encode: reference::encode, decode: reference::decode };
    cases(known(Problem::new("vocab", reference))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/vocab.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let list = |name: &str| -> Result<Vec<String>> {
                    Ok(serde_json::from_value(entry[name].clone()).map_err(|e| e.to_string())?)
                };
                let (tokens, texts, by_id) = (list("tokens")?, list("texts")?, list("by_id")?);
                let vocab = (attempt.build)(&views(&tokens), entry["unk"].as_str().ok_or("unk")?);
                let ids: Vec<u32> = (0..by_id.len() as u32).collect();
                let decoded = |ids: &[u32]| Value::text(&(attempt.decode)(&vocab, ids).unwrap_or_default());
                fixture.expect("token of every id", Value::text(&by_id), decoded(&ids));
                fixture.expect("one id more", decoded(&[]), decoded(&[by_id.len() as u32]));
                let encoded = Value::ints(&(attempt.encode)(&vocab, &views(&texts)));
                fixture.expect("encoded", Value::ints(&judge::golden::ints(&entry["ids"])?), encoded);
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("collision", "ids are places in the list, and unk gets the number of distinct tokens: after a duplicate the last token and unk share an id, and decoding turns one into the other", mistakes::collision())
        .mistake("unk-counted", "ids are places in the list, but that of unk is the number of distinct tokens: after a duplicate another token has it already", mistakes::unk_counted())
        .mistake("places", "ids are places in the list, and a duplicate takes the later one over: two ids stand for one token", mistakes::places())
        .mistake("holes", "a duplicate keeps its first id but uses up another, so that two ids stand for one token", mistakes::holes())
        .mistake("last-occurrence", "a token that occurs twice gets its id at the last occurrence; the first one counts", mistakes::last_occurrence())
        .mistake("neighbours-only", "only duplicates that stand side by side are removed (`Vec::dedup`)", mistakes::neighbours_only())
        .mistake("sorted", "the ids follow the alphabet; they follow the list", mistakes::sorted())
        .mistake("unk-always-appended", "unk is appended although the list has it, so that it stands in the vocabulary twice", mistakes::unk_always_appended())
        .mistake("unk-moved", "unk is put last although the list gives it a place", mistakes::unk_moved())
        .mistake("unk-not-added", "unk is not added where the list lacks it: unknown tokens get an id that stands for nothing", mistakes::unk_not_added())
        .mistake("unk-hardcoded", "the unknown token is always \"<unk>\", whatever name was given", mistakes::unk_hardcoded())
        .mistake("unknown-to-zero", "unknown tokens become id 0, which is some ordinary token", mistakes::unknown_to_zero())
        .mistake("unknown-to-last", "unknown tokens become the last id, which is unk's only if it was appended", mistakes::unknown_to_last())
        .mistake("unknown-dropped", "unknown tokens have no id: the result is shorter than the input", mistakes::unknown_dropped())
        .mistake("trimmed", "spaces around a token are taken off; they belong to it", mistakes::trimmed())
        .mistake("panics", "decoding panics at an id that does not exist", mistakes::panics())
        .mistake("skips", "decoding passes over ids that do not exist instead of refusing them", mistakes::skips())
        .mistake("out-of-range-is-unk", "decoding gives unk for ids that do not exist; they are an error, not a token", mistakes::out_of_range_is_unk())
        .convention("unk-first", "unk gets id 0 where the list lacks it, as in SentencePiece, whose special tokens come first; asked for is to append it", mistakes::unk_first())
        .convention("from-one", "ids begin at 1, as in Keras's Tokenizer, which keeps 0 for padding; asked for is 0", mistakes::from_one())
        .convention("empty-dropped", "the empty token gets no id, as in tokenizers' add_tokens; asked for is to treat it like any other", mistakes::empty_dropped())
        .convention("skips-unk", "decoding leaves unk out, as Hugging Face's skip_special_tokens does; asked for is a token for each id", mistakes::skips_unk())
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("a and b", |attempt, case| judged(attempt, case, &["a", "b"], "<unk>", &["a", "c", "b"]))
        .case("unk is in the list", |attempt, case| {
            judged(attempt, case, &["<unk>", "x"], "<unk>", &["x", "y", "<unk>"])
        })
        .case("unk in the middle of the list", |attempt, case| {
            judged(attempt, case, &["the", "cat", "<unk>", "sat"], "<unk>", &["the", "dog", "sat"])
        })
        .case("a duplicate", |attempt, case| judged(attempt, case, &["a", "a", "b"], "<unk>", &["a", "b", "zzz"]))
        .case("duplicates apart", |attempt, case| {
            judged(attempt, case, &["c", "a", "c", "b", "a", "d", "c"], "<unk>", &["d", "c", "b", "a", "e"])
        })
        .case("unk is in the list twice", |attempt, case| {
            judged(attempt, case, &["x", "<unk>", "<unk>", "y", "<unk>", "z"], "<unk>", &["z", "y", "q", "x"])
        })
        .case("another name for unk", |attempt, case| {
            judged(attempt, case, &["<unk>", "b", "a"], "[UNK]", &["a", "<unk>", "[UNK]", "c", "b"])
        })
        .case("only unknown tokens", |attempt, case| judged(attempt, case, &[], "<unk>", &["x", "y", "x"]))
        .case("the empty token", |attempt, case| {
            judged(attempt, case, &["b", "", "a", ""], "<unk>", &["", "a", "x", "b"])
        })
        .case("the empty token is unk", |attempt, case| judged(attempt, case, &["b", "a"], "", &["", "a", "x"]))
        .case("spaces, case and other letters", |attempt, case| {
            judged(
                attempt,
                case,
                &["a", " a", "A", "a ", "é", "日本", "▁a"],
                "<unk>",
                &[" a", "A", "a", "日本", "É", "e", "a ", "\ta"],
            )
        })
        .case("nothing to encode or decode", |attempt, case| judged(attempt, case, &["a"], "<unk>", &[]))
        .case("ids that do not exist", |attempt, case| {
            let vocab = (attempt.build)(case.given("tokens", &["b", "a", "b"]), case.given("unk", "<unk>"));
            for ids in [&[3][..], &[0, 1, 2, 3], &[7, 0], &[u32::MAX], &[2, 1, 0]] {
                case.given("ids", ids);
                case.observe(&format!("{ids:?} decoded"), tokens_of((attempt.decode)(&vocab, ids)));
            }
            Ok(())
        })
        .case("two hundred tokens", |attempt, case| {
            let tokens = made_up(case, 200);
            let texts = made_up(case, 60);
            judged(attempt, case, &views(&tokens), "t7", &views(&texts))
        })
        .cost("10 000 tokens, 30 000 to encode and back", |attempt, case| {
            let (tokens, texts) = (made_up(case, 10_000), made_up(case, 30_000));
            let vocab = (attempt.build)(&views(&tokens), "<unk>");
            let ids = (attempt.encode)(&vocab, &views(&texts));
            case.observe("decoded", tokens_of((attempt.decode)(&vocab, &ids)));
            Ok(())
        })
}

fn judged(attempt: &Attempt, case: &mut Case, tokens: &[&str], unk: &str, texts: &[&str]) -> Result<()> {
    let vocab = (attempt.build)(case.given("tokens", tokens), case.given("unk", unk));
    let ids = (attempt.encode)(&vocab, case.given("to encode", texts));
    case.observe("encoded", Value::ints(&ids));
    case.observe("encoded and decoded", tokens_of((attempt.decode)(&vocab, &ids)));
    case.observe("the tokens encoded", Value::ints(&(attempt.encode)(&vocab, tokens)));
    // Two more than the list can need; ids that are refused are left out.
    let name = |id: u32| Some(format!("{id}: {}", (attempt.decode)(&vocab, &[id])?.join(" and ")));
    let names: Vec<String> = (0..tokens.len() as u32 + 3).filter_map(name).collect();
    case.observe("token of every id", Value::text(&names));
    Ok(())
}

fn tokens_of(decoded: Option<Vec<String>>) -> Value {
    match decoded {
        Some(tokens) => Value::text(&tokens),
        None => Value::text(&["none: refused"]),
    }
}

fn views(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Tokens of which a good part occurs twice.
fn made_up(case: &mut Case, count: usize) -> Vec<String> {
    (0..count).map(|_| format!("t{}", case.int(0..count as i64))).collect()
}
