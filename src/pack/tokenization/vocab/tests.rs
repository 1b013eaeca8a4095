//! What must not be rejected.

use super::{Attempt, Vocab, problem};

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 10)
}

/// A vocabulary in the map alone; the list holds nothing but the name of `unk`. The fields are the attempt's own affair.
#[test]
fn only_the_functions_are_judged() {
    fn build(tokens: &[&str], unk: &str) -> Vocab {
        let mut vocab = Vocab { tokens: vec![unk.to_owned()], ..Vocab::default() };
        for token in tokens.iter().chain([&unk]) {
            let next = vocab.ids.len() as u32;
            vocab.ids.entry((*token).to_owned()).or_insert(next);
        }
        vocab
    }
    fn encode(vocab: &Vocab, tokens: &[&str]) -> Vec<u32> {
        let unk = vocab.ids[&vocab.tokens[0]];
        tokens.iter().map(|token| vocab.ids.get(*token).copied().unwrap_or(unk)).collect()
    }
    fn decode(vocab: &Vocab, ids: &[u32]) -> Option<Vec<String>> {
        let mut names: Vec<(&u32, &String)> = vocab.ids.iter().map(|(name, id)| (id, name)).collect();
        names.sort_unstable();
        let mut tokens = Vec::new();
        for id in ids {
            tokens.push(names[names.binary_search_by_key(&id, |(id, _)| *id).ok()?].1.clone());
        }
        Some(tokens)
    }
    assert_eq!(failed(Attempt { build, encode, decode }), [""; 0]);
}
