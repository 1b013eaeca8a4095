//! Stop strings in a stream of tokens: what may be sent, what must wait, and where it ends.

/// `next` gives the text of the next token, `None` at the end of the generation. `emit` sends text to the client, which
/// has `prompt` already. Returns which stop string ended the generation, `None` if it ended by itself.
pub fn stop_strings(
    next: &mut dyn FnMut() -> Option<String>,
    stops: &[String],
    prompt: &str,
    emit: &mut dyn FnMut(&str),
) -> Option<usize> {
    let _ = (next(), stops, prompt, emit);
    todo!("collect, look for a stop, send what cannot be the beginning of one, hold back the rest")
}

logitlings::attempt!(decoding::stop_strings, stop_strings);
