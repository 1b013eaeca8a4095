//! Byte-pair encoding: cut a word into the symbols that the merges know.

/// A word and the merges in the order in which they were learned → the word's symbols, the last of which ends in `</w>`.
pub fn bpe_encode(word: &str, merges: &[(String, String)]) -> Vec<String> {
    let _ = (word, merges);
    todo!("find the pair that was learned first, join it, and again")
}

logitlings::attempt!(tokenization::bpe_encode, bpe_encode);
