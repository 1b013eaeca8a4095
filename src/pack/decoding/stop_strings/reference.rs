//! Stop strings across tokens, with no more text held back than may turn out to be the beginning of one.

/// Sends the text of the tokens until a stop string is complete; returns which one it was. The prompt takes no part: it is
/// not generated, and the client has it.
pub fn stop_strings(
    next: &mut dyn FnMut() -> Option<String>,
    stops: &[String],
    _prompt: &str,
    emit: &mut dyn FnMut(&str),
) -> Option<usize> {
    // Everything sent is out of the question: a match that began there would have been held back.
    let mut held = String::new();
    while let Some(text) = next() {
        held.push_str(&text);
        if let Some((at, stop)) = first_match(&held, stops) {
            emit(&held[..at]);
            return Some(stop);
        }
        let sendable = held.len() - longest_beginning(&held, stops);
        emit(&held[..sendable]);
        held.drain(..sendable);
    }
    emit(&held);
    None
}

/// Where the first stop string begins, and which it is; of two that begin together the one that is listed first.
fn first_match(text: &str, stops: &[String]) -> Option<(usize, usize)> {
    let places = stops.iter().enumerate().filter_map(|(stop, string)| Some((text.find(string)?, stop)));
    places.min()
}

/// Length of the longest end of `text` that is the beginning of a stop string, but not all of it.
fn longest_beginning(text: &str, stops: &[String]) -> usize {
    let beginnings = stops.iter().flat_map(|stop| stop.char_indices().map(|(end, _)| &stop[..end]));
    beginnings.filter(|beginning| text.ends_with(beginning)).map(str::len).max().unwrap_or(0)
}
