//! What goes wrong at speed in the byte-to-character table.

use super::{Attempt, reference};

fn shifted(byte: u32) -> bool {
    !matches!(byte, 33..=126 | 161..=172 | 174..=255)
}

/// A table from a rule on (byte, how many bytes were shifted before it).
fn table(rule: fn(u32, u32) -> (u32, bool)) -> Vec<char> {
    let mut before = 0;
    let place = |byte: u32| {
        let (code, counts) = rule(byte, before);
        before += u32::from(counts);
        char::from_u32(code).unwrap_or('?')
    };
    (0..256).map(place).collect()
}

fn encode_with(table: &[char], text: &str) -> String {
    text.bytes().map(|byte| table[usize::from(byte)]).collect()
}

fn decode_with(table: &[char], text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| table.iter().position(|other| *other == c).map(|byte| byte as u8)).collect()
}

macro_rules! tables {
    ($($name:ident: $rule:expr;)+) => {
        $(pub const fn $name() -> Attempt {
            fn encode(text: &str) -> String {
                encode_with(&table($rule), text)
            }
            fn decode(text: &str) -> Option<Vec<u8>> {
                decode_with(&table($rule), text)
            }
            Attempt { encode, decode }
        })+
    };
}

tables! {
    identity: |byte, _| (byte, false);
    soft_hyphen: |byte, n| if shifted(byte) && byte != 173 { (256 + n, true) } else { (byte, false) };
    by_byte: |byte, _| if shifted(byte) { (256 + byte, true) } else { (byte, false) };
    all_shifted: |byte, _| (256 + byte, true);
    only_space: |byte, _| if byte == 32 { (288, true) } else { (byte, false) };
    space_and_newline: |byte, _| match byte {
        32 => (288, true),
        10 => (266, true),
        _ => (byte, false),
    };
    exclusive_ranges: |byte, n| match byte {
        33..126 | 161..172 | 174..255 => (byte, false),
        _ => (256 + n, true),
    };
    from_257: |byte, n| if shifted(byte) { (257 + n, true) } else { (byte, false) };
}

/// The table is looked up with the character's code; what is beyond it stays as it is.
pub const fn per_character() -> Attempt {
    fn encode(text: &str) -> String {
        text.chars().map(|c| u8::try_from(u32::from(c)).map_or(c, byte_char)).collect()
    }
    Attempt { encode, decode: reference::decode }
}

/// Bytes of Latin-1, with a question mark for what it lacks.
pub const fn latin1() -> Attempt {
    fn encode(text: &str) -> String {
        text.chars().map(|c| byte_char(u8::try_from(u32::from(c)).unwrap_or(b'?'))).collect()
    }
    Attempt { encode, decode: reference::decode }
}

fn byte_char(byte: u8) -> char {
    table(|byte, n| if shifted(byte) { (256 + n, true) } else { (byte, false) })[usize::from(byte)]
}

/// Decoding gives the characters' own UTF-8 back.
pub const fn not_inverted() -> Attempt {
    fn decode(text: &str) -> Option<Vec<u8>> {
        Some(text.as_bytes().to_vec())
    }
    Attempt { encode: reference::encode, decode }
}

/// Decoding passes over what is not in the table.
pub const fn foreign_dropped() -> Attempt {
    fn decode(text: &str) -> Option<Vec<u8>> {
        Some(text.chars().filter_map(|c| reference::decode(&c.to_string())).flatten().collect())
    }
    Attempt { encode: reference::encode, decode }
}

/// Decoding hands text with a character that stands for no byte back as it is.
pub const fn foreign_kept() -> Attempt {
    fn decode(text: &str) -> Option<Vec<u8>> {
        Some(reference::decode(text).unwrap_or_else(|| text.as_bytes().to_vec()))
    }
    Attempt { encode: reference::encode, decode }
}

/// Decoding repairs bytes that are no UTF-8, and so loses them.
pub const fn repaired() -> Attempt {
    fn decode(text: &str) -> Option<Vec<u8>> {
        reference::decode(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned().into_bytes())
    }
    Attempt { encode: reference::encode, decode }
}
