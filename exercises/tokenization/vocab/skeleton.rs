//! A vocabulary: tokens and their ids, with one token for whatever is not in it.

use logitlings::pack::tokenization::vocab::Vocab;

/// The vocabulary of a list of tokens, in which tokens may occur twice and `unk` may be missing.
pub fn build(tokens: &[&str], unk: &str) -> Vocab {
    let _ = (tokens, unk);
    todo!("give every token an id")
}

/// The id of each token; that of `unk` for a token that is not in the vocabulary.
pub fn encode(vocab: &Vocab, tokens: &[&str]) -> Vec<u32> {
    let _ = (vocab, tokens);
    todo!("look every token up")
}

/// The token of each id; `None` if one of them is no id of the vocabulary.
pub fn decode(vocab: &Vocab, ids: &[u32]) -> Option<Vec<String>> {
    let _ = (vocab, ids);
    todo!("the way back")
}

logitlings::attempt!(tokenization::vocab, { build, encode, decode });
