//! What goes wrong at speed in a vocabulary.

use super::{Attempt, Vocab, reference};
use std::collections::BTreeSet;

/// A vocabulary in which every token of the list takes its place as its id; a later one takes the name over.
fn by_place(tokens: Vec<&str>, unk: &str) -> Vocab {
    let mut vocab = Vocab::default();
    for (id, token) in tokens.into_iter().enumerate() {
        vocab.ids.insert(token.to_owned(), id as u32);
        vocab.tokens.push(token.to_owned());
    }
    vocab.unk = vocab.ids.get(unk).copied().unwrap_or(vocab.tokens.len() as u32);
    vocab
}

/// The tokens with `unk` behind them where it is missing.
fn completed<'a>(mut tokens: Vec<&'a str>, unk: &'a str) -> Vec<&'a str> {
    if !tokens.contains(&unk) {
        tokens.push(unk);
    }
    tokens
}

fn distinct<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let first = |at: usize| !tokens[..at].contains(&tokens[at]);
    (0..tokens.len()).filter(|&at| first(at)).map(|at| tokens[at]).collect()
}

macro_rules! builders {
    ($($name:ident: |$tokens:ident, $unk:ident| $body:expr;)+) => {
        $(pub const fn $name() -> Attempt {
            fn build($tokens: &[&str], $unk: &str) -> Vocab {
                $body
            }
            Attempt { build, encode: reference::encode, decode: reference::decode }
        })+
    };
}

builders! {
    places: |tokens, unk| by_place(completed(tokens.to_vec(), unk), unk);
    // Places as ids, the number of distinct tokens as that of `unk`, and the map turned round: an id without a token has the
    // empty name, and of two tokens with the same id the later one has it.
    collision: |tokens, unk| {
        let mut vocab = by_place(tokens.to_vec(), unk);
        let names = distinct(tokens);
        vocab.unk = *vocab.ids.entry(unk.to_owned()).or_insert(names.len() as u32);
        vocab.tokens = vec![String::new(); tokens.len().max(vocab.unk as usize + 1)];
        for name in names.into_iter().chain([unk]) {
            vocab.tokens[vocab.ids[name] as usize] = name.to_owned();
        }
        vocab
    };
    unk_counted: |tokens, unk| {
        let mut vocab = by_place(tokens.to_vec(), unk);
        let distinct = vocab.ids.len() as u32;
        vocab.unk = *vocab.ids.entry(unk.to_owned()).or_insert_with(|| {
            vocab.tokens.push(unk.to_owned());
            distinct
        });
        vocab
    };
    holes: |tokens, unk| {
        let mut vocab = by_place(completed(tokens.to_vec(), unk), unk);
        for (id, token) in vocab.tokens.iter().enumerate().rev() {
            vocab.ids.insert(token.clone(), id as u32);
        }
        vocab.unk = vocab.ids[unk];
        vocab
    };
    last_occurrence: |tokens, unk| {
        let mut reversed = completed(tokens.to_vec(), unk);
        reversed.reverse();
        let mut tokens = distinct(&reversed);
        tokens.reverse();
        by_place(tokens, unk)
    };
    neighbours_only: |tokens, unk| {
        let mut tokens = tokens.to_vec();
        tokens.dedup();
        by_place(completed(tokens, unk), unk)
    };
    sorted: |tokens, unk| {
        let tokens: BTreeSet<&str> = tokens.iter().copied().collect();
        by_place(completed(tokens.into_iter().collect(), unk), unk)
    };
    unk_always_appended: |tokens, unk| by_place([distinct(tokens), vec![unk]].concat(), unk);
    unk_moved: |tokens, unk| {
        let mut tokens = distinct(tokens);
        tokens.retain(|token| *token != unk);
        by_place(completed(tokens, unk), unk)
    };
    unk_first: |tokens, unk| {
        let mut tokens = distinct(tokens);
        if !tokens.contains(&unk) {
            tokens.insert(0, unk);
        }
        by_place(tokens, unk)
    };
    unk_not_added: |tokens, unk| by_place(distinct(tokens), unk);
    unk_hardcoded: |tokens, _unk| reference::build(tokens, "<unk>");
    unknown_to_zero: |tokens, unk| Vocab { unk: 0, ..reference::build(tokens, unk) };
    unknown_to_last: |tokens, unk| {
        let vocab = reference::build(tokens, unk);
        Vocab { unk: vocab.tokens.len() as u32 - 1, ..vocab }
    };
    empty_dropped: |tokens, unk| {
        let tokens: Vec<&str> = tokens.iter().copied().filter(|token| !token.is_empty()).collect();
        reference::build(&tokens, unk)
    };
    trimmed: |tokens, unk| {
        let tokens: Vec<&str> = tokens.iter().map(|token| token.trim()).collect();
        reference::build(&tokens, unk)
    };
}

/// Ids from 1 on.
pub const fn from_one() -> Attempt {
    fn encode(vocab: &Vocab, tokens: &[&str]) -> Vec<u32> {
        reference::encode(vocab, tokens).into_iter().map(|id| id + 1).collect()
    }
    fn decode(vocab: &Vocab, ids: &[u32]) -> Option<Vec<String>> {
        let ids: Option<Vec<u32>> = ids.iter().map(|id| id.checked_sub(1)).collect();
        reference::decode(vocab, &ids?)
    }
    Attempt { build: reference::build, encode, decode }
}

/// Tokens that are not in the vocabulary have no id.
pub const fn unknown_dropped() -> Attempt {
    fn encode(vocab: &Vocab, tokens: &[&str]) -> Vec<u32> {
        tokens.iter().filter_map(|token| vocab.ids.get(*token).copied()).collect()
    }
    Attempt { build: reference::build, encode, decode: reference::decode }
}

macro_rules! decoders {
    ($($name:ident: |$vocab:ident, $ids:ident| $body:expr;)+) => {
        $(pub const fn $name() -> Attempt {
            fn decode($vocab: &Vocab, $ids: &[u32]) -> Option<Vec<String>> {
                Some($body)
            }
            Attempt { build: reference::build, encode: reference::encode, decode }
        })+
    };
}

decoders! {
    panics: |vocab, ids| ids.iter().map(|&id| vocab.tokens[id as usize].clone()).collect();
    skips: |vocab, ids| ids.iter().filter_map(|&id| vocab.tokens.get(id as usize).cloned()).collect();
    out_of_range_is_unk: |vocab, ids| {
        let unk = &vocab.tokens[vocab.unk as usize];
        ids.iter().map(|&id| vocab.tokens.get(id as usize).unwrap_or(unk).clone()).collect()
    };
    skips_unk: |vocab, ids| {
        let kept: Vec<u32> = ids.iter().copied().filter(|&id| id != vocab.unk).collect();
        reference::decode(vocab, &kept)?
    };
}
