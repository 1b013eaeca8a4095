//! The terminal's clipboard, through OSC 52: the terminal writes it, also over ssh, if its owner allows that.

use std::io::{self, Write};

/// Terminals drop longer sequences, some with everything after them.
const MOST: usize = 74_000;

/// Asks the terminal to put `text` into its clipboard.
pub(super) fn copy(out: &mut impl Write, text: &str) -> io::Result<()> {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    write!(out, "\x1b]52;c;{}\x07", base64(&text.as_bytes()[..end]))?;
    out.flush()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let at = (bits >> (18 - 6 * digit)) as usize & 63;
            out.push(if digit <= group.len() { DIGITS[at] as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_the_standard_has_it() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (text, encoded) in pairs {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let mut out = Vec::new();
        copy(&mut out, &"é".repeat(MOST)).expect("memory takes it");
        assert!(out.starts_with(b"\x1b]52;c;") && out.ends_with(b"\x07"));
        assert!(out.len() < 100_000);
    }
}
