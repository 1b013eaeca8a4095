//! Streaming detokenisation. Witnesses: tokenizers' `DecodeStream`, and what Python's UTF-8 decoder is certain of.

mod cases;
mod mistakes;
mod reference;

use crate::judge::{self, Problem};
use std::process::ExitCode;

/// Turns the tokens of one sequence into text, one after another.
pub trait Detokenizer {
    /// The text that this token settles, given the tokens before it.
    fn push(&mut self, token: &[u8]) -> String;

    /// The text that is left when no more tokens come. It is called once, last.
    fn finish(&mut self) -> String;
}

/// Makes a stream at its start.
pub type Attempt = fn() -> Box<dyn Detokenizer>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("incremental-detok", reference::incremental_detok as Attempt);
    cases::golden(cases::all(spaces(bytes(problem))))
}

fn bytes(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("token-alone", "each token is decoded alone: a character whose bytes lie in two tokens comes out as replacement marks", mistakes::token_alone)
        .mistake("bytes-as-chars", "each byte becomes a character of its own, which is Latin-1 and not UTF-8", mistakes::bytes_as_chars)
        .mistake("tail-dropped", "the unfinished bytes at the end of a token are thrown away instead of held", mistakes::tail_dropped)
        .mistake("end-dropped", "what is still held at the end is dropped, as tokenizers' DecodeStream does it, which has no end; the pieces are then not the whole decoding", mistakes::end_dropped)
        .mistake("all-or-nothing", "everything is held until all of it is valid UTF-8: complete characters wait for their unfinished neighbour, and one broken byte silences the rest of the stream", mistakes::all_or_nothing)
        .mistake("broken-waits", "bytes that can never become a character are held as if they were unfinished, and all that follows waits behind them (`Utf8Error::error_len` tells the two apart)", mistakes::broken_waits)
        .mistake("broken-dropped", "bytes that are no character vanish; each broken stretch is one U+FFFD", mistakes::broken_dropped)
        .mistake("mark-for-each-byte", "a broken beginning of a character gives one U+FFFD for each of its bytes; it is one for the whole beginning", mistakes::mark_for_each_byte)
        .mistake("mark-for-each-run", "broken stretches that follow one another share a single U+FFFD; each has its own", mistakes::mark_for_each_run)
        .mistake("one-wait", "an unfinished character is waited for during one token only; an emoji may take four", mistakes::one_wait)
        .mistake("lead-byte-trusted", "the first byte's promise of a length is waited for, although a byte has come that breaks the character: what follows is late, and the next characters are cut in the wrong places", mistakes::lead_byte_trusted)
        .convention("waits-on-marks", "all text is held while it ends in U+FFFD, as tokenizers' DecodeStream and transformers' TextStreamer do: complete characters wait for an unfinished neighbour, and a broken byte or a real U+FFFD waits for the next token. Asked for is to hold only what may still become a character", mistakes::waits_on_marks)
        .mistake("everything-kept", "all bytes are kept and decoded anew for every token: right text, but the memory grows with the stream and the work with its square", mistakes::everything_kept)
}

fn spaces(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("space-kept", "the space that the tokenizer put in front of the text is kept", mistakes::space_kept)
        .mistake("space-of-every-token", "every token loses its leading space, so the words run together; only the text as a whole has one too many", mistakes::space_of_every_token)
        .mistake("every-space-at-the-start", "all spaces at the start are dropped; the tokenizer added one, the others are the text's own", mistakes::every_space_at_the_start)
        .mistake("until-text-comes", "a space is taken off for each token until text has come out: a token that is a lone space was the start already, and the second space belongs to the text", mistakes::until_text_comes)
        .mistake("white-space-trimmed", "the start is trimmed of every white space, newlines and tabs among it; it is one space, U+0020", mistakes::white_space_trimmed)
        .mistake("first-token-only", "the leading space is looked for in the first token only, even if that one settled no text", mistakes::first_token_only)
}
