//! The pre-tokenizer of BERT (Devlin et al. 2019, `BasicTokenizer`), without its cleaning and its accents.

use super::unicode_punctuation;

/// Words and punctuation characters in lower case.
pub fn pretok(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    // One capital can become two characters: İ is i and a combining dot.
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_whitespace() {
            in_word = false;
            continue;
        }
        // In ASCII the symbols count as well: $ + < = > ^ ` | ~ are in no category P.
        let alone = c.is_ascii_punctuation() || unicode_punctuation(c);
        match tokens.last_mut() {
            Some(word) if in_word && !alone => word.push(c),
            _ => tokens.push(c.to_string()),
        }
        in_word = !alone;
    }
    tokens
}
