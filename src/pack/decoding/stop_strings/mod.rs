//! Stop strings across tokens. Witnesses: transformers' StopStringCriteria for where it ends, brute force for what is held.

mod cases;
mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Problem};
use std::process::ExitCode;

/// Text of the next token, stop strings, prompt, what sends text → which stop string ended it.
pub type Attempt = fn(&mut dyn FnMut() -> Option<String>, &[String], &str, &mut dyn FnMut(&str)) -> Option<usize>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    cases::all(held(found(Problem::new("stop-strings", reference::stop_strings as Attempt))))
}

/// Mistakes in where the generation ends.
fn found(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("whole-tokens", "a stop is recognised only where it begins and ends with a token, as comparing token ids does: \"lo w\" in \"hello\", \" world\" is missed; the text decides", mistakes::whole_tokens)
        .mistake("last-token-only", "a stop is looked for in the newest token's text alone; it may span tokens", mistakes::last_token_only)
        .mistake("ends-with-only", "a stop is looked for at the very end of the text; the token that completes it may go on behind it", mistakes::ends_with_only)
        .mistake("starts-again", "a pointer into the stop goes back to its start when a letter does not fit: \"aab\" in \"aaab\" is missed, since the second a is the beginning of another match", mistakes::starts_again)
        .mistake("last-occurrence", "the text is cut at the last occurrence; it ends at the first", mistakes::last_occurrence)
        .mistake("prompt-searched", "stops are looked for in the prompt as well, so a prompt that holds one ends the generation at once", mistakes::prompt_searched)
        .mistake("rest-of-token-sent", "what the last token holds behind the stop is sent", mistakes::rest_of_token_sent)
        .mistake("token-lost", "what stands before the stop in the text that was held back, or in the last token, is lost", mistakes::token_lost)
        .mistake("goes-on", "tokens are still asked for after the stop: generation goes on for nothing", mistakes::goes_on)
        .mistake("empty-token-ends", "a token without text (a special token, or half a letter) is taken for the end", mistakes::empty_token_ends)
        .convention("first-listed", "of several stops in the text the one that is listed first wins, as in vLLM; asked for is the one that begins first", mistakes::first_listed)
        .convention("begins-in-prompt", "a stop that begins in the prompt counts once its end is generated, as in transformers; asked for is generated text alone", mistakes::begins_in_prompt)
        .convention("stop-included", "the stop itself is sent, as transformers does, and vLLM with include_stop_str_in_output; asked for is what stands before it", mistakes::stop_included)
}

/// Mistakes in what is held back.
fn held(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("partial-sent", "nothing is held back: the beginning of a stop is sent before its end arrives, and cannot be taken back", mistakes::partial_sent)
        .mistake("shortest-held", "the shortest end that may begin a stop is held back; with \"abab\" and \"…aba\" that is a, and ab is sent although it may belong to it", mistakes::shortest_held)
        .mistake("one-too-short", "a beginning that lacks one letter of the stop is not held back", mistakes::one_too_short)
        .mistake("first-stop-held", "only the beginning of the first stop is held back", mistakes::first_stop_held)
        .mistake("held-from-last-token", "only the newest token is looked at for the beginning of a stop; it may have begun tokens ago", mistakes::held_from_last_token)
        .mistake("all-or-nothing", "once the text may end in the beginning of a stop, all unsent text is held back; what stands before that beginning can go", mistakes::all_or_nothing)
        .mistake("not-streamed", "nothing is sent before the end", mistakes::not_streamed)
        .mistake("never-flushed", "what is held back when the generation ends is lost: no stop came of it, so it is text", mistakes::never_flushed)
        .mistake("cut-inside-letters", "the text is cut at a byte inside a letter, which panics on anything but ASCII", mistakes::cut_inside_letters)
        .convention("fixed-hold", "the length of the longest stop less one is always held back, as vLLM does; asked for is only what may be the beginning of a stop", mistakes::fixed_hold)
}
