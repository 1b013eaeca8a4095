//! The cases: streams of tokens, and a log of what was sent after each.

use super::Attempt;
use crate::judge::{Case, Error, Problem, Result, Value};
use serde_json::Value as Json;
use std::cell::RefCell;

/// What happened in one stream.
pub(super) struct Log {
    /// A line for each token that was asked for, and one for the end: what was sent before the next was asked for.
    pub sent: Vec<String>,
    /// How many tokens were asked for before the end.
    pub tokens: usize,
    /// Index of the stop string.
    pub stop: Option<usize>,
}

impl Log {
    fn stop(&self) -> Value {
        Value::text(&[self.stop.map_or("none".to_owned(), |index| format!("stop string {index}"))])
    }
}

pub(super) fn stream(attempt: &Attempt, prompt: &str, pieces: &[String], stops: &[String]) -> Log {
    let sent: RefCell<Vec<String>> = RefCell::default();
    let mut asked = 0;
    let mut next = || {
        // Asking again behind the end is nobody's loss.
        if asked <= pieces.len() {
            sent.borrow_mut().push(String::new());
        }
        asked += 1;
        pieces.get(asked - 1).cloned()
    };
    let mut emit = |text: &str| {
        let mut sent = sent.borrow_mut();
        // What is sent before any token stands with the first one.
        if sent.is_empty() {
            sent.push(String::new());
        }
        if let Some(line) = sent.last_mut() {
            line.push_str(text);
        }
    };
    let stop = attempt(&mut next, stops, prompt, &mut emit);
    Log { sent: sent.into_inner(), tokens: asked.min(pieces.len()), stop }
}

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

/// One stream; what was sent after each token is observed line by line.
fn judged(attempt: &Attempt, case: &mut Case, prompt: &str, pieces: &[&str], stops: &[&str]) -> Result<()> {
    case.given("prompt", prompt);
    case.given("tokens", pieces);
    case.given("stops", stops);
    let log = stream(attempt, prompt, &owned(pieces), &owned(stops));
    let after = |index: usize| pieces.get(index).map_or("the end".to_owned(), |piece| format!("{piece:?}"));
    let lines: Vec<String> =
        log.sent.iter().enumerate().map(|(index, text)| format!("after {}: {text:?}", after(index))).collect();
    case.observe("sent", Value::text(&lines));
    case.observe("tokens asked for", Value::ints(&[log.tokens]));
    case.observe("ended by", log.stop());
    Ok(())
}

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    golden(large(edges(several(problem))))
}

/// Where a stop is found, and which.
fn several(problem: Problem<Attempt>) -> Problem<Attempt> {
    let hello = ["he", "llo w", "or", "ld!"];
    problem
        .case("no stop, although it looks like one", move |attempt, case| judged(attempt, case, "", &hello, &["low"]))
        .case("a stop inside a token and behind it", move |attempt, case| judged(attempt, case, "", &hello, &["lo w"]))
        .case("a stop over two tokens", move |attempt, case| judged(attempt, case, "", &hello, &["orld"]))
        .case("a stop over all tokens", move |attempt, case| judged(attempt, case, "", &hello, &["hello world!"]))
        .case("a stop that is a token", |attempt, case| judged(attempt, case, "", &["yes", "</s>", "no"], &["</s>"]))
        .case("a stop inside one token", |attempt, case| judged(attempt, case, "", &["abcde", "f"], &["cd"]))
        .case("a stop twice in a token", |attempt, case| judged(attempt, case, "", &["x", "1;2;3", "4"], &[";"]))
        .case("the second of the stops begins first", |attempt, case| {
            judged(attempt, case, "", &["a ", "bee, a cat", " and"], &["cat", "bee"])
        })
        .case("two stops begin together", |attempt, case| {
            judged(attempt, case, "", &["12", "3456"], &["345", "34", "3456"])
        })
        .case("one stop waits, another comes", |attempt, case| {
            judged(attempt, case, "", &["end", "\n", "\nUs", "er:", "x"], &["\n\nUser:", "###", "Us"])
        })
        .case("letter by letter, a match inside a match", |attempt, case| {
            judged(attempt, case, "", &["a", "a", "a", "b", "a"], &["aab"])
        })
        .case("a stop in the prompt", |attempt, case| {
            judged(
                attempt,
                case,
                "User: hi\nBot: a\nUser: say so\nBot:",
                &[" so", "\n", "Us", "er", ": x"],
                &["\nUser:"],
            )
        })
        .case("a stop that would begin in the prompt", |attempt, case| {
            judged(attempt, case, "count: 1 2 #", &["##", " 3", " ##", "#"], &["###"])
        })
}

/// What is held back, and the ends of streams.
fn edges(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("held back, then sent after all", |attempt, case| {
            judged(attempt, case, "", &["Us", "e", "s: Us", "e", "ful"], &["User:", "Use!"])
        })
        .case("the longest beginning counts", |attempt, case| {
            judged(attempt, case, "", &["xab", "a", "ba", "c", "abab"], &["abab!", "bac!"])
        })
        .case("what stands before a beginning can go", |attempt, case| {
            judged(attempt, case, "", &["the end\n", "of it. STO", "NE", "\n"], &["STOP", "\n\n"])
        })
        .case("the end comes while text is held back", |attempt, case| {
            judged(attempt, case, "", &["good", "by"], &["bye"])
        })
        .case("the second stop's beginning", |attempt, case| {
            judged(attempt, case, "", &["1 |", ">", " 2"], &["STOP", "|>|"])
        })
        .case("one letter is missing", |attempt, case| {
            judged(attempt, case, "", &["en", "d", " en"], &["end.", "ends"])
        })
        .case("tokens without text", |attempt, case| {
            judged(attempt, case, "", &["", "a#", "", "#", "b", "##"], &["###"])
        })
        .case("no stops", |attempt, case| judged(attempt, case, "ab", &["a", "", "b"], &[]))
        .case("no tokens", |attempt, case| judged(attempt, case, "stop", &[], &["stop"]))
        .case("a stop of one letter", |attempt, case| judged(attempt, case, "", &["ab", "c.", "d"], &["."]))
        .case("the first letter is the stop", |attempt, case| judged(attempt, case, "", &["\nno", "x"], &["\n"]))
        .case("letters that are not ASCII", |attempt, case| {
            judged(attempt, case, "", &["Ça è ", "così. 日", "本", "の", "日本語", "だ"], &["日本語", "é!", "così è"])
        })
        .case("emoji, and the end while they wait", |attempt, case| {
            judged(attempt, case, "🦀", &["🦀🦀 ", "🦀", "🐍", "🦀"], &["🦀🦀🦀", "🦀🐢"])
        })
}

fn large(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("two hundred streams of a and b", |attempt, case| {
            case.given("streams", "up to 12 tokens of 0 to 3 letters, 1 to 3 stops of 1 to 6");
            for round in 0..200 {
                let mut word = |least: i64, most: i64| -> String {
                    let letters = case.int(least..most + 1);
                    (0..letters).map(|_| if case.int(0..2) == 0 { 'a' } else { 'b' }).collect()
                };
                let mut stops: Vec<String> = (0..1 + round % 3).map(|_| word(1 + round % 4, 6)).collect();
                stops.dedup();
                let pieces: Vec<String> = (0..12).map(|_| word(0, 3)).collect();
                let prompt = word(0, 5);
                let log = stream(attempt, &prompt, &pieces, &stops);
                let name = format!("stream {round}: prompt {prompt:?}, tokens {pieces:?}, stops {stops:?}");
                let ended = log.stop.map_or("by itself".to_owned(), |index| format!("by stop string {index}"));
                let lines = [log.sent, vec![format!("ended {ended} after {} tokens", log.tokens)]].concat();
                case.observe(&name, Value::text(&lines));
            }
            Ok(())
        })
        .cost("3000 tokens, 4 stops", |attempt, case| {
            let words = ["the ", "end", "\n", " of ", "it. ", "User", "\nUse", "###"];
            let pieces: Vec<String> = (0..3000).map(|_| words[case.int(0..8) as usize].to_owned()).collect();
            let log = stream(attempt, "", &pieces, &owned(&["\nUser:", "<|end|>", "#######!", "end.\n\n"]));
            case.observe("sent", Value::text(&log.sent));
            Ok(())
        })
}

fn golden(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/stop-strings.json"));
    problem.golden(fixture, |attempt, fixture| {
        let strings = |json: &Json| -> Result<Vec<String>> {
            serde_json::from_value(json.clone()).map_err(|e| Error::Message(e.to_string()))
        };
        for entry in fixture.entries("cases")? {
            let prompt = entry["prompt"].as_str().ok_or("golden fixture: no prompt")?;
            let number = |key: &str| entry[key].as_i64().ok_or(format!("golden fixture: no {key}"));
            let log = stream(attempt, prompt, &strings(&entry["pieces"])?, &strings(&entry["stops"])?);
            fixture.expect("sent", Value::text(&strings(&entry["sent"])?), Value::text(&log.sent));
            fixture.expect("tokens", Value::ints(&[number("tokens")?]), Value::ints(&[log.tokens]));
            let stop = log.stop.map_or(-1, |index| index as i64);
            fixture.expect("stop", Value::ints(&[number("stop")?]), Value::ints(&[stop]));
        }
        Ok(())
    })
}
