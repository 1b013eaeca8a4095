//! Tokens as text. A character whose bytes are spread over several tokens appears with the last of them.

use crate::lab::view::Vocabulary;

/// What each of the tokens adds to the text.
pub(super) fn texts(tokens: impl Iterator<Item = u32>, words: &Vocabulary) -> Vec<String> {
    let mut open: Vec<u8> = Vec::new();
    let mut out = Vec::new();
    for id in tokens {
        let text = words.text.get(id as usize).map_or("", String::as_str);
        if open.is_empty() && !text.contains('\u{FFFD}') {
            out.push(text.to_owned());
            continue;
        }
        match bytes(visible(id, words), text) {
            Some(bytes) => open.extend(bytes),
            None => open.extend(text.as_bytes()),
        }
        out.push(whole(&mut open));
    }
    out
}

/// A token so that it can be seen.
pub(super) fn visible(id: u32, words: &Vocabulary) -> &str {
    words.visible.get(id as usize).map_or("?", String::as_str)
}

/// The bytes behind a text that is no whole character: the visible form spells them, as `<0xE2>`.
fn bytes(visible: &str, text: &str) -> Option<Vec<u8>> {
    if !text.contains('\u{FFFD}') {
        return None;
    }
    let mut out = Vec::new();
    let mut rest = visible;
    while let Some(c) = rest.chars().next() {
        if let Some(byte) = rest.strip_prefix("<0x").and_then(|hex| u8::from_str_radix(hex.get(..2)?, 16).ok())
            && rest.as_bytes().get(5) == Some(&b'>')
        {
            out.push(byte);
            rest = &rest[6..];
            continue;
        }
        match c {
            '␣' => out.push(b' '),
            '⏎' => out.push(b'\n'),
            c => out.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        rest = &rest[c.len_utf8()..];
    }
    Some(out)
}

/// Takes what is whole out of `open`. Bytes that can never become a character are U+FFFD.
fn whole(open: &mut Vec<u8>) -> String {
    let mut out = String::new();
    loop {
        match std::str::from_utf8(open) {
            Ok(text) => {
                out.push_str(text);
                open.clear();
                return out;
            }
            Err(error) => {
                let good = error.valid_up_to();
                out.push_str(&String::from_utf8_lossy(&open[..good]));
                let Some(bad) = error.error_len() else {
                    open.drain(..good);
                    return out;
                };
                out.push('\u{FFFD}');
                open.drain(..good + bad);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Vocabulary {
        let pairs = [("a", "a"), ("\u{FFFD}", "<0xC3>"), ("\u{FFFD}", "<0xA9>"), (" \u{FFFD}", "␣<0xE2>"), ("é", "é")];
        Vocabulary {
            text: pairs.map(|(text, _)| text.to_owned()).to_vec(),
            visible: pairs.map(|(_, visible)| visible.to_owned()).to_vec(),
        }
    }

    #[test]
    fn a_character_comes_with_its_last_byte() {
        assert_eq!(texts([0, 1, 2, 0].into_iter(), &words()), ["a", "", "é", "a"]);
        assert_eq!(texts([4, 1].into_iter(), &words()), ["é", ""]);
        assert_eq!(texts([3, 0].into_iter(), &words()), [" ", "\u{FFFD}a"]);
        assert_eq!(texts([2, 9].into_iter(), &words()), ["\u{FFFD}", ""]);
    }
}
