//! A vocabulary whose ids are dense and unique, as torchtext's and Hugging Face's are.

use super::Vocab;

/// Ids in order of first sight; `unk` comes last unless it has been seen.
pub fn build(tokens: &[&str], unk: &str) -> Vocab {
    let mut vocab = Vocab::default();
    for token in tokens.iter().chain([&unk]) {
        // The next id is the number of tokens so far, not the place in the list: a duplicate must not use one up.
        let next = vocab.tokens.len() as u32;
        vocab.ids.entry((*token).to_owned()).or_insert_with(|| {
            vocab.tokens.push((*token).to_owned());
            next
        });
    }
    vocab.unk = vocab.ids[unk];
    vocab
}

/// Every token's id, or that of the unknown one.
pub fn encode(vocab: &Vocab, tokens: &[&str]) -> Vec<u32> {
    tokens.iter().map(|token| vocab.ids.get(*token).copied().unwrap_or(vocab.unk)).collect()
}

/// Every id's token; none if one of them is out of range.
pub fn decode(vocab: &Vocab, ids: &[u32]) -> Option<Vec<String>> {
    ids.iter().map(|&id| vocab.tokens.get(id as usize).cloned()).collect()
}
