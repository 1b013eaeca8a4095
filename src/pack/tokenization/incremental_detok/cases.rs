//! The cases: tokens by hand, texts and garbage cut at random, and a long stream whose memory is measured.

use super::{Attempt, Detokenizer};
use crate::judge::{Case, Problem, Result, Value};

/// What a stream may keep at its peak, pieces included, while the long text of [`kept_small`] runs through it.
const KEPT: u64 = 8 << 10;

/// Letters of one to four bytes, spaces, a newline, and U+FFFD itself.
const TEXT: &str = "It's naïve — 日本語, नमस्ते!\n Ünï 🙂🎉 Ж\u{fffd}x  👩\u{200d}🚀 ";

/// Bytes among which broken sequences of every kind come about.
const TROUBLE: [u8; 14] = [b' ', b'a', 0x80, 0xbf, 0xc0, 0xc3, 0xa9, 0xe2, 0x82, 0xed, 0xa0, 0xf0, 0x9f, 0xff];

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    broken(cut(spaces(problem)))
        .case("whole texts, cut anywhere", |attempt, case| {
            for (round, longest) in [1, 2, 3, 7].into_iter().enumerate() {
                let tokens = pieces_of(case, TEXT.as_bytes(), longest);
                streamed(attempt, case, &format!("round {round}: "), &tokens);
            }
            Ok(())
        })
        .case("forty streams of garbage", |attempt, case| {
            for round in 0..40 {
                let length = case.int(1..30);
                let bytes: Vec<u8> = (0..length).map(|_| TROUBLE[case.int(0..14) as usize]).collect();
                let tokens = pieces_of(case, &bytes, 3);
                streamed(attempt, case, &format!("round {round}: "), &tokens);
            }
            Ok(())
        })
        .case("two streams in turns", |attempt, case| {
            let (left, right) =
                (pieces_of(case, TEXT.as_bytes(), 2), pieces_of(case, " ça, c'est 日本 🙂".as_bytes(), 1));
            let (left, right) = (case.given("tokens of the first", left), case.given("tokens of the second", right));
            let (mut first, mut second) = (attempt(), attempt());
            let mut said = [Vec::new(), Vec::new()];
            for at in 0..left.len().max(right.len()) {
                said[0].extend(left.get(at).map(|token| first.push(token)));
                said[1].extend(right.get(at).map(|token| second.push(token)));
            }
            said[0].push(first.finish());
            said[1].push(second.finish());
            case.observe("pieces of the first", Value::text(&said[0]));
            case.observe("pieces of the second", Value::text(&said[1]));
            Ok(())
        })
        .case("a long stream in little memory", kept_small)
        .cost("200 kB of text in small tokens", |attempt, case| {
            let text = TEXT.repeat(200_000 / TEXT.len());
            let tokens = pieces_of(case, text.as_bytes(), 7);
            let mut stream = attempt();
            let mut out: String = tokens.iter().map(|token| stream.push(token)).collect();
            out.push_str(&stream.finish());
            case.observe("the text comes out", Value::Flag(out == text));
            Ok(())
        })
}

/// Characters that lie in several tokens.
fn cut(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("日 in two tokens, by hand", |attempt, case| by_hand(attempt, case, &[b"\xe6", b"\x97\xa5", b"!"]))
        .case("an emoji in four tokens", |attempt, case| {
            by_hand(attempt, case, &[b"ok ", b"\xf0", b"\x9f", b"\x99", b"\x82", b"."])
        })
        .case("a token ends one character and begins the next", |attempt, case| {
            by_hand(attempt, case, &[b"\xe6\x97", b"\xa5\xe6\x9c", b"\xac\xe8", b"\xaa\x9e"])
        })
        .case("complete characters before an unfinished one", |attempt, case| {
            by_hand(attempt, case, &[b"caf\xc3", b"\xa9 \xe2\x82", b"\xac5"])
        })
        .case("it ends inside a character", |attempt, case| by_hand(attempt, case, &[b"so ", b"\xf0\x9f\x98"]))
        .case("no tokens", |attempt, case| by_hand(attempt, case, &[]))
}

/// The tokenizer's own space.
fn spaces(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("words", |attempt, case| by_hand(attempt, case, &[b" Hello", b",", b" wor", b"ld", b" ", b" again"]))
        .case("empty tokens first", |attempt, case| by_hand(attempt, case, &[b"", b"", b" Once", b"", b" upon"]))
        .case("a lone space first", |attempt, case| by_hand(attempt, case, &[b" ", b" indented", b" text"]))
        .case("two spaces first", |attempt, case| by_hand(attempt, case, &[b"  indented", b"  more"]))
        .case("a newline first", |attempt, case| by_hand(attempt, case, &[b"\n\t x", b" y"]))
        .case("a space and a newline first", |attempt, case| by_hand(attempt, case, &[b" \n", b" y"]))
        .case("no space first", |attempt, case| by_hand(attempt, case, &[b"a", b" b"]))
        .case("an unfinished character first", |attempt, case| by_hand(attempt, case, &[b"\xe6", b"\x97\xa5 x", b" y"]))
}

/// Bytes that are no UTF-8.
fn broken(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("a character that is broken off", |attempt, case| {
            by_hand(attempt, case, &[b"\xe6", b"!", b"\xe6\x97", b"ab", b"\xe6", b" c"])
        })
        .case("broken off by another", |attempt, case| {
            by_hand(attempt, case, &[b"\xe6\x97", b"\xe6\x97\xa5", b"\xf0\x9f", b"\xf0\x9f\x99\x82"])
        })
        .case("bytes that begin nothing", |attempt, case| {
            by_hand(attempt, case, &[b"\xff", b"a", b"\x80\xbf", b"b\xc0\xafc", b"\xfe\xff d"])
        })
        .case("surrogates and codes beyond the last", |attempt, case| {
            by_hand(attempt, case, &[b"\xed", b"\xa0", b"\x80", b"x", b"\xf4", b"\x90\x80\x80", b"y\xf0\x80"])
        })
        .case("the mark itself", |attempt, case| {
            by_hand(attempt, case, &[b"x\xef\xbf\xbd", b"\xef\xbf", b"\xbd", b"\xef\xbf\xbd", b"end"])
        })
        .case("a broken byte, then a space", |attempt, case| by_hand(attempt, case, &[b"\xff", b" a", b"\xc3", b" b"]))
}

/// The piece of every token, and what comes at the end.
fn run(stream: &mut dyn Detokenizer, tokens: &[Vec<u8>]) -> (Vec<String>, String) {
    (tokens.iter().map(|token| stream.push(token)).collect(), stream.finish())
}

fn by_hand(attempt: &Attempt, case: &mut Case, tokens: &[&[u8]]) -> Result<()> {
    let tokens: Vec<Vec<u8>> = tokens.iter().map(|token| token.to_vec()).collect();
    streamed(attempt, case, "", &tokens);
    Ok(())
}

fn streamed(attempt: &Attempt, case: &mut Case, name: &str, tokens: &[Vec<u8>]) {
    case.given(&format!("{name}tokens"), tokens);
    let (pieces, end) = run(&mut *attempt(), tokens);
    case.observe(&format!("{name}piece of each token"), Value::text(&pieces));
    case.observe(&format!("{name}piece at the end"), Value::text(&[end]));
}

/// The bytes cut into tokens of 1 to `longest`.
fn pieces_of(case: &mut Case, mut bytes: &[u8], longest: i64) -> Vec<Vec<u8>> {
    let mut tokens = Vec::new();
    while !bytes.is_empty() {
        let (token, rest) = bytes.split_at((case.int(1..longest + 1) as usize).min(bytes.len()));
        tokens.push(token.to_vec());
        bytes = rest;
    }
    tokens
}

/// Thirty kilobytes of text; a stream that remembers them cannot hide it.
fn kept_small(attempt: &Attempt, case: &mut Case) -> Result<()> {
    let text = TEXT.repeat(30_000 / TEXT.len());
    let tokens = pieces_of(case, text.as_bytes(), 5);
    case.given("text", "30 kB of letters of one to four bytes, in tokens of 1 to 5 bytes");
    let mut out = String::with_capacity(2 * text.len());
    case.within_memory("memory of the stream", KEPT, || {
        let mut stream = attempt();
        tokens.iter().for_each(|token| out.push_str(&stream.push(token)));
        out.push_str(&stream.finish());
    });
    case.observe("the text comes out", Value::Flag(out == text));
    Ok(())
}

pub(super) fn golden(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/incremental-detok.json"));
    problem.golden(fixture, |attempt, fixture| {
        for witness in ["python", "llama", "byte-level"] {
            for entry in fixture.entries(witness)? {
                let (tokens, want): (Vec<Vec<u8>>, Vec<String>) =
                    serde_json::from_value(entry).map_err(|e| format!("golden fixture: {e}"))?;
                let (mut pieces, end) = run(&mut *attempt(), &tokens);
                pieces.push(end);
                fixture.expect("pieces", Value::text(&want), Value::text(&pieces));
            }
        }
        Ok(())
    })
}

/// What the verdict calls DecodeStream's convention is what DecodeStream does.
#[cfg(test)]
#[test]
fn waiting_on_marks_is_what_decode_stream_does() -> Result<()> {
    use super::{mistakes, reference};
    let fixture = crate::judge::Golden::new(include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/golden/incremental-detok.json"
    )))?;
    for entry in fixture.entries("waits")? {
        let (tokens, theirs): (Vec<Vec<u8>>, Vec<String>) =
            serde_json::from_value(entry).map_err(|e| format!("golden fixture: {e}"))?;
        assert_eq!(run(&mut *mistakes::waits_on_marks(), &tokens).0, theirs);
        assert_ne!(run(&mut *reference::incremental_detok(), &tokens).0, theirs);
    }
    Ok(())
}
