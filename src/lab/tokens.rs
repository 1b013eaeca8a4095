//! From text to tokens and back, for byte-level vocabularies.

use super::view::Vocabulary;
use std::sync::Arc;
use tokenizers::Tokenizer;
use unicode_width::UnicodeWidthChar;

/// A tokenizer, and the bytes of each of its tokens.
pub struct Tokens {
    tokenizer: Tokenizer,
    bytes: Vec<Vec<u8>>,
    vocabulary: Arc<Vocabulary>,
}

impl Tokens {
    /// Reads a `tokenizer.json` with a byte-level vocabulary. Fails with a sentence.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let tokenizer =
            Tokenizer::from_bytes(json).map_err(|error| format!("the tokenizer cannot be read: {error}"))?;
        let added = tokenizer.get_added_tokens_decoder();
        let mut bytes = Vec::with_capacity(tokenizer.get_vocab_size(true));
        for id in 0..tokenizer.get_vocab_size(true) as u32 {
            let piece = tokenizer.id_to_token(id).ok_or_else(|| format!("the tokenizer has no token {id}"))?;
            // Tokens that were added by name stand for their own text, not for bytes in disguise.
            bytes.push(if added.contains_key(&id) { piece.into_bytes() } else { bytes_of(&piece)? });
        }
        let vocabulary = Arc::new(Vocabulary {
            text: bytes.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect(),
            visible: bytes.iter().map(|bytes| visible(bytes)).collect(),
        });
        Ok(Self { tokenizer, bytes, vocabulary })
    }

    /// The texts of all tokens.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The tokens of a text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoding = self.tokenizer.encode(text, false);
        encoding.map(|e| e.get_ids().to_vec()).map_err(|error| format!("the text cannot be tokenized: {error}"))
    }

    /// The text of tokens. Bytes that are no whole character become U+FFFD; ids beyond the vocabulary are nothing.
    pub fn decode(&self, ids: &[u32]) -> String {
        String::from_utf8_lossy(&ids.iter().flat_map(|&id| self.bytes_of(id)).copied().collect::<Vec<u8>>())
            .into_owned()
    }

    /// A decode that goes on token by token.
    pub fn stream(&self) -> Stream<'_> {
        Stream { tokens: self, held: Vec::new() }
    }

    fn bytes_of(&self, id: u32) -> &[u8] {
        self.bytes.get(id as usize).map_or(&[], Vec::as_slice)
    }
}

/// Text that grows by tokens and never shows half a character: bytes of an unfinished one wait for the next token.
pub struct Stream<'a> {
    tokens: &'a Tokens,
    held: Vec<u8>,
}

impl Stream<'_> {
    /// What this token adds. Bytes that can never become a character are one U+FFFD for each broken sequence.
    pub fn push(&mut self, id: u32) -> String {
        self.held.extend(self.tokens.bytes_of(id));
        let (mut text, mut rest) = (String::new(), 0);
        let mut chunks = self.held.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            // Only at the very end may a sequence still become whole, and only if it began rightly.
            match chunk.invalid() {
                [] => {}
                tail if chunks.peek().is_none() && may_go_on(tail) => rest = tail.len(),
                _ => text.push('\u{FFFD}'),
            }
        }
        self.held.drain(..self.held.len() - rest);
        text
    }

    /// What is left when no token follows: an unfinished character is U+FFFD.
    pub fn finish(self) -> String {
        String::from_utf8_lossy(&self.held).into_owned()
    }
}

/// Whether more bytes could make these a character.
fn may_go_on(tail: &[u8]) -> bool {
    std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none())
}

/// The bytes that a byte-level piece stands for (GPT-2, Radford et al. 2019: printable bytes stand for themselves, the
/// others for the characters from U+0100 on, in order).
fn bytes_of(piece: &str) -> Result<Vec<u8>, String> {
    let printable = |b: u32| (0x21..=0x7e).contains(&b) || (0xa1..=0xac).contains(&b) || (0xae..=0xff).contains(&b);
    let byte = |c: char| match c as u32 {
        c if c < 256 => printable(c).then_some(c as u8),
        c => (0..256).filter(|b| !printable(*b)).nth(c as usize - 256).map(|b| b as u8),
    };
    let bytes: Option<Vec<u8>> = piece.chars().map(byte).collect();
    bytes.ok_or_else(|| format!("the tokenizer is not byte-level: \"{piece}\" stands for no bytes"))
}

/// Bytes so that they can be seen in a table.
fn visible(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| match c {
            ' ' => text.push('␣'),
            '\n' => text.push('⏎'),
            '\t' => text.push('⇥'),
            c if c.is_ascii_control() => text.push_str(&format!("<0x{:02X}>", c as u32)),
            // What has no width of its own (combining marks, joiners, controls) would vanish or cling to its neighbour.
            c if c.width().unwrap_or(0) == 0 => text.push_str(&format!("<U+{:04X}>", c as u32)),
            c if c.is_whitespace() => text.push_str(&format!("<U+{:04X}>", c as u32)),
            c => text.push(c),
        });
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("<0x{byte:02X}>")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_bytes() {
        assert_eq!(bytes_of("Ġthe"), Ok(b" the".to_vec()));
        assert_eq!(bytes_of("Ċ"), Ok(b"\n".to_vec()));
        assert_eq!(bytes_of("âĢľ"), Ok("“".as_bytes().to_vec()));
        assert!(bytes_of("▁the").is_err_and(|reason| reason.contains("byte-level")));
    }

    #[test]
    fn nothing_is_invisible() {
        for (bytes, seen) in [
            (" a\n".as_bytes(), "␣a⏎"),
            (b"\t\x07", "⇥<0x07>"),
            (b"\xe2\x80", "<0xE2><0x80>"),
            (b"x\x80", "x<0x80>"),
            ("e\u{301}\u{200b}\u{a0}".as_bytes(), "e<U+0301><U+200B><U+00A0>"),
        ] {
            assert_eq!(visible(bytes), seen);
        }
    }
}
