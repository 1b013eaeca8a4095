//! Streaming detokenisation: the bytes of one token at a time become text.

use logitlings::pack::tokenization::incremental_detok::Detokenizer;

/// What has to be remembered between two tokens.
struct Stream {}

impl Detokenizer for Stream {
    /// The text that this token settles. What it leaves unfinished waits for the next one.
    fn push(&mut self, token: &[u8]) -> String {
        let _ = token;
        todo!("give out what is certain, keep the bytes of a character that is not complete")
    }

    /// The text that is left when no more tokens come; called once, last.
    fn finish(&mut self) -> String {
        todo!("give out what is left")
    }
}

/// A stream at its start.
pub fn incremental_detok() -> Box<dyn Detokenizer> {
    Box::new(Stream {})
}

logitlings::attempt!(tokenization::incremental_detok, incremental_detok);
