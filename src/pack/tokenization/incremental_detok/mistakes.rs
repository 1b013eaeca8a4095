//! What goes wrong at speed in a streaming detokenizer: the right stream, with a switch for each of its parts.

use super::Detokenizer;
use std::mem::take;

const MARK: char = '\u{fffd}';

/// The parts, each of which can be got wrong on its own.
#[derive(Clone, Copy)]
struct Way {
    /// The text of what is settled after a token was appended to what is held.
    settle: fn(&mut Stream) -> String,
    /// The text of the bytes that are still held at the end.
    end: fn(&[u8]) -> String,
    /// The text without the tokenizer's own space.
    space: fn(&mut Stream, String) -> String,
}

struct Stream {
    way: Way,
    held: Vec<u8>,
    /// Bytes that were held before the newest token.
    waited: usize,
    /// Bytes of text given out, for those that keep everything.
    said: usize,
    begun: bool,
}

const RIGHT: Way = Way { settle: settled, end: lossy, space: one_space };

fn stream(way: Way) -> Box<dyn Detokenizer> {
    Box::new(Stream { way, held: Vec::new(), waited: 0, said: 0, begun: false })
}

impl Detokenizer for Stream {
    fn push(&mut self, token: &[u8]) -> String {
        self.waited = self.held.len();
        self.held.extend_from_slice(token);
        let text = (self.way.settle)(self);
        (self.way.space)(self, text)
    }

    fn finish(&mut self) -> String {
        let text = (self.way.end)(&self.held)[self.said..].to_owned();
        (self.way.space)(self, text)
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How many bytes at the end may still become a character.
fn open(bytes: &[u8]) -> usize {
    let tail = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    if str::from_utf8(tail).is_err_and(|error| error.error_len().is_none()) { tail.len() } else { 0 }
}

/// Takes the bytes before the last `keep` off what is held.
fn cut(held: &mut Vec<u8>, keep: usize) -> Vec<u8> {
    held.drain(..held.len() - keep).collect()
}

fn settled(stream: &mut Stream) -> String {
    let keep = open(&stream.held);
    lossy(&cut(&mut stream.held, keep))
}

fn one_space(stream: &mut Stream, text: String) -> String {
    let start = !stream.begun;
    stream.begun |= !text.is_empty();
    text.strip_prefix(' ').filter(|_| start).unwrap_or(&text).to_owned()
}

/// The text with `mark` for each stretch that is not UTF-8, given the stretch and the valid text before it.
fn marked(bytes: &[u8], mark: fn(&[u8], &str) -> String) -> String {
    bytes.utf8_chunks().fold(String::new(), |mut text, chunk| {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push_str(&mark(chunk.invalid(), chunk.valid()));
        }
        text
    })
}

fn without_marks(bytes: &[u8]) -> String {
    marked(bytes, |_, _| String::new())
}

fn mark_each_byte(bytes: &[u8]) -> String {
    marked(bytes, |broken, _| MARK.to_string().repeat(broken.len()))
}

fn mark_each_run(bytes: &[u8]) -> String {
    let text = marked(bytes, |_, valid| if valid.is_empty() { String::new() } else { MARK.to_string() });
    let broken_start = bytes.utf8_chunks().next().is_some_and(|chunk| chunk.valid().is_empty());
    if broken_start { format!("{MARK}{text}") } else { text }
}

/// How many bytes a character has according to its first one.
fn promised(first: u8) -> usize {
    match first.leading_ones() {
        ones @ 2..=4 => ones as usize,
        _ => 1,
    }
}

macro_rules! ways {
    ($($name:ident: $($field:ident = $value:expr),+;)+) => {
        $(pub fn $name() -> Box<dyn Detokenizer> {
            stream(Way { $($field: $value),+, ..RIGHT })
        })+
    };
}

ways! {
    token_alone: settle = |stream| lossy(&take(&mut stream.held));
    bytes_as_chars: settle = |stream| take(&mut stream.held).into_iter().map(char::from).collect();
    tail_dropped: settle = |stream| {
        let text = settled(stream);
        stream.held.clear();
        text
    };
    end_dropped: end = |_| String::new();
    all_or_nothing: settle = |stream| match str::from_utf8(&stream.held) {
        Ok(_) => lossy(&take(&mut stream.held)),
        Err(_) => String::new(),
    };
    broken_waits: settle = |stream| {
        let valid = str::from_utf8(&stream.held).map_or_else(|error| error.valid_up_to(), str::len);
        let keep = stream.held.len() - valid;
        lossy(&cut(&mut stream.held, keep))
    };
    broken_dropped: settle = |stream| {
        let keep = open(&stream.held);
        without_marks(&cut(&mut stream.held, keep))
    }, end = without_marks;
    mark_for_each_byte: settle = |stream| {
        let keep = open(&stream.held);
        mark_each_byte(&cut(&mut stream.held, keep))
    }, end = mark_each_byte;
    mark_for_each_run: settle = |stream| {
        let keep = open(&stream.held);
        mark_each_run(&cut(&mut stream.held, keep))
    }, end = mark_each_run;
    one_wait: settle = |stream| {
        let keep = if stream.waited > 0 { 0 } else { open(&stream.held) };
        lossy(&cut(&mut stream.held, keep))
    };
    lead_byte_trusted: settle = |stream| {
        let mut done = 0;
        while let Some(&first) = stream.held.get(done) {
            if done + promised(first) > stream.held.len() {
                break;
            }
            done += promised(first);
        }
        let keep = stream.held.len() - done;
        lossy(&cut(&mut stream.held, keep))
    };
    waits_on_marks: settle = |stream| {
        let waits = lossy(&stream.held).ends_with(MARK);
        if waits { String::new() } else { lossy(&take(&mut stream.held)) }
    };
    everything_kept: settle = |stream| {
        let settled = stream.held.len() - open(&stream.held);
        let text = lossy(&stream.held[..settled]);
        let said = std::mem::replace(&mut stream.said, text.len());
        text[said..].to_owned()
    };
    space_kept: space = |_, text| text;
    space_of_every_token: space = |_, text| text.strip_prefix(' ').unwrap_or(&text).to_owned();
    every_space_at_the_start: space = |stream, text| {
        let own = if stream.begun { text.as_str() } else { text.trim_start_matches(' ') };
        stream.begun |= !own.is_empty();
        own.to_owned()
    };
    until_text_comes: space = |stream, text| {
        let own = text.strip_prefix(' ').filter(|_| !stream.begun).unwrap_or(&text);
        stream.begun |= !own.is_empty();
        own.to_owned()
    };
    white_space_trimmed: space = |stream, text| {
        let start = !stream.begun;
        stream.begun |= !text.is_empty();
        if start { text.trim_start().to_owned() } else { text }
    };
    first_token_only: space = |stream, text| {
        let start = !std::mem::replace(&mut stream.begun, true);
        text.strip_prefix(' ').filter(|_| start).unwrap_or(&text).to_owned()
    };
}
