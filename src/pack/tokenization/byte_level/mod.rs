//! GPT-2's byte-to-character table. Witness: transformers' bytes_to_unicode.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value};
use std::process::ExitCode;

/// The two directions of the map.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Text → one character for each of its UTF-8 bytes.
    pub encode: fn(&str) -> String,
    /// Characters → the bytes that they stand for; none if one stands for no byte.
    pub decode: fn(&str) -> Option<Vec<u8>>,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { encode: reference::encode, decode: reference::decode };
    Problem::new("byte-level", reference)
        .mistake("identity", "every byte keeps its own code: spaces, newlines and control bytes stay unprintable, which the table exists to avoid", mistakes::identity())
        .mistake("soft-hyphen", "byte 173, the soft hyphen, is not shifted although it cannot be seen", mistakes::soft_hyphen())
        .mistake("by-byte", "a shifted byte b becomes 256 + b; the shifted bytes are numbered one after another, whatever their value", mistakes::by_byte())
        .mistake("all-shifted", "every byte is shifted, the printable ones too, so plain English becomes unreadable", mistakes::all_shifted())
        .mistake("only-space", "only the space is shifted", mistakes::only_space())
        .mistake("space-and-newline", "only the space and the newline are replaced; every byte that cannot be seen needs a character of its own", mistakes::space_and_newline())
        .mistake("exclusive-ranges", "the ranges end one byte early (`33..126` leaves 126 out): ~, ¬ and ÿ are shifted, and every shifted byte behind them is one off", mistakes::exclusive_ranges())
        .mistake("from-257", "the shifted bytes begin at 257; the first of them, byte 0, is 256", mistakes::from_257())
        .mistake("per-character", "the table is looked up by character and not by UTF-8 byte, so é stays one character and 日 is not mapped at all", mistakes::per_character())
        .mistake("latin1", "the text is turned into Latin-1 instead of UTF-8: what Latin-1 lacks is lost", mistakes::latin1())
        .mistake("not-inverted", "decoding gives back the bytes of the characters themselves, not the bytes that they stand for", mistakes::not_inverted())
        .mistake("foreign-dropped", "decoding passes over characters that stand for no byte instead of refusing them", mistakes::foreign_dropped())
        .convention("foreign-kept", "text with a character that stands for no byte comes back as it is, as tokenizers' ByteLevel decoder does it; asked for is to refuse it", mistakes::foreign_kept())
        .mistake("repaired", "decoding repairs bytes that are no UTF-8: a single token may well end inside a character, and its bytes must survive", mistakes::repaired())
        .case("a greeting", |attempt, case| encoded(attempt, case, "Hello, world!"))
        .case("spaces, tabs and newlines", |attempt, case| encoded(attempt, case, " a  b\t\n\r\n"))
        .case("letters beyond ASCII", |attempt, case| encoded(attempt, case, "é ñ ß Ā 日本 🙂"))
        .case("a soft hyphen and a no-break space", |attempt, case| encoded(attempt, case, "co\u{ad}op 10\u{a0}km \u{7f}"))
        .case("nothing", |attempt, case| encoded(attempt, case, ""))
        .case("every ASCII byte", |attempt, case| {
            let all: String = (0u8..128).map(char::from).collect();
            encoded(attempt, case, &all)
        })
        .case("there and back", |attempt, case| {
            let text = case.given("text", "Zwölf Boxkämpfer jagen 日本語 🙂\n\t\u{ad}");
            case.observe("decoded", bytes((attempt.decode)(&(attempt.encode)(text))));
            Ok(())
        })
        .case("any text there and back", |attempt, case| {
            let planes = [0..0x80, 0x80..0x800, 0x800..0xd800, 0xe000..0x1_0000, 0x1_0000..0x11_0000];
            let code = |at: usize, case: &mut Case| case.int(planes[at % planes.len()].clone()) as u32;
            let text: String = (0..60).filter_map(|at| char::from_u32(code(at, case))).collect();
            let encoded = (attempt.encode)(case.given("text", &text));
            case.observe("encoded", Value::text(&[&encoded]));
            case.observe("decoded", bytes((attempt.decode)(&encoded)));
            Ok(())
        })
        .case("every character of the table", |attempt, case| {
            // Bytes 0xc0, 0xc1 and 0xf5 to 0xff occur in no UTF-8 text; tokens hold whatever was trained.
            let all = case.given("text", (0..324).filter_map(char::from_u32).filter(|c| reference::decode(&c.to_string()).is_some()).collect::<String>());
            case.observe("decoded", bytes((attempt.decode)(&all)));
            Ok(())
        })
        .case("half a character", |attempt, case| {
            let text = case.given("text", "æĹ");
            case.observe("decoded", bytes((attempt.decode)(text)));
            Ok(())
        })
        .case("a character that stands for nothing", |attempt, case| {
            for text in ["a日b", "a b", "\u{144}"] {
                case.given("text", text);
                case.observe(&format!("{text:?} decoded"), bytes((attempt.decode)(text)));
            }
            Ok(())
        })
        .cost("half a megabyte there and back", |attempt, case| {
            let text = "All work and no play 日本 ".repeat(17_000);
            let encoded = (attempt.encode)(&text);
            let decoded = (attempt.decode)(&encoded);
            case.observe("there and back", Value::Flag(decoded.as_deref() == Some(text.as_bytes())));
            Ok(())
        })
        .golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/byte-level.json")), |attempt, fixture| {
            for entry in fixture.entries("texts")? {
                let (text, want) = (entry[0].as_str().ok_or("text")?, entry[1].as_str().ok_or("text")?);
                fixture.expect("encoded", Value::text(&[want]), Value::text(&[(attempt.encode)(text)]));
            }
            for (byte, want) in fixture.entries("table")?.iter().enumerate() {
                let want = want.as_str().ok_or("character")?;
                fixture.expect("decoded", bytes(Some(vec![byte as u8])), bytes((attempt.decode)(want)));
            }
            Ok(())
        })
}

fn encoded(attempt: &Attempt, case: &mut Case, text: &str) -> Result<()> {
    case.given("text", text);
    case.observe("encoded", Value::text(&[(attempt.encode)(text)]));
    Ok(())
}

fn bytes(decoded: Option<Vec<u8>>) -> Value {
    match decoded {
        Some(bytes) => Value::ints(&bytes),
        None => Value::text(&["refused"]),
    }
}

/// What the verdict calls tokenizers' convention is what tokenizers does.
#[cfg(test)]
#[test]
fn the_foreign_convention_is_that_of_tokenizers() -> Result<()> {
    let fixture =
        judge::Golden::new(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/byte-level.json")))?;
    for entry in fixture.entries("foreign")? {
        let (text, theirs) = (entry[0].as_str().ok_or("text")?, entry[1].as_str().ok_or("text")?);
        assert_eq!((mistakes::foreign_kept().decode)(text).as_deref(), Some(theirs.as_bytes()), "{text}");
        assert_eq!(reference::decode(text), None);
    }
    Ok(())
}
