//! Streaming detokenisation: what is held back is only ever the beginning of one character.

use super::Detokenizer;

/// A stream at its start.
pub fn incremental_detok() -> Box<dyn Detokenizer> {
    Box::new(Stream::default())
}

#[derive(Default)]
struct Stream {
    /// The first bytes of a character whose others have not come; at most three.
    held: Vec<u8>,
    /// Some text has come out, so the tokenizer's own space is behind us.
    begun: bool,
}

impl Detokenizer for Stream {
    fn push(&mut self, token: &[u8]) -> String {
        self.held.extend_from_slice(token);
        let settled = self.held.len() - unfinished(&self.held);
        let settled: Vec<u8> = self.held.drain(..settled).collect();
        self.emit(&settled)
    }

    fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held);
        self.emit(&rest)
    }
}

impl Stream {
    /// The text of these bytes, without the one space that may stand at the very start of the stream.
    fn emit(&mut self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        let at_start = !self.begun;
        self.begun |= !text.is_empty();
        let own = text.strip_prefix(' ').filter(|_| at_start);
        own.unwrap_or(&text).to_owned()
    }
}

/// How many bytes at the end are the beginning of a character that may still be completed.
fn unfinished(bytes: &[u8]) -> usize {
    // What is not UTF-8 comes at the end of a chunk. It may be completed where the error has no length.
    let tail = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    match str::from_utf8(tail) {
        Err(error) if error.error_len().is_none() => tail.len(),
        _ => 0,
    }
}
