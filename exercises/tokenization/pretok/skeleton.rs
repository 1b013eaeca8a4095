//! BERT's pre-tokenizer: lower case, words, and every punctuation character by itself.

use logitlings::pack::tokenization::pretok::unicode_punctuation;

/// A text → its words and punctuation characters in lower case.
pub fn pretok(text: &str) -> Vec<String> {
    let _ = (text, unicode_punctuation);
    todo!("walk over the characters: white space, punctuation, or part of a word")
}

logitlings::attempt!(tokenization::pretok, pretok);
