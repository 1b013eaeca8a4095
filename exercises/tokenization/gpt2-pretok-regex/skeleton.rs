//! GPT-2's pre-tokenisation without a regular-expression engine.

use logitlings::pack::tokenization::gpt2_pretok_regex::is_letter;

/// The text in pieces, which joined are the text again. `is_letter` is `\p{L}`, `char::is_numeric` is `\p{N}` and
/// `char::is_whitespace` is `\s`.
pub fn gpt2_pretok(text: &str) -> Vec<String> {
    let _ = (text, is_letter('a'));
    todo!("find the first piece, cut it off, and again")
}

logitlings::attempt!(tokenization::gpt2_pretok_regex, gpt2_pretok);
