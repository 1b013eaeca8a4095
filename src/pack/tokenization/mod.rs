//! Tokenizers.

pub mod bpe_encode;
pub mod bpe_train;
pub mod byte_level;
pub mod pretok;
pub mod unigram_viterbi;
pub mod vocab;
pub mod wordpiece_best_merge;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 7] = [
    entry!(Tokenization, "tokenization", "bpe-encode", bpe_encode),
    entry!(Tokenization, "tokenization", "bpe-train", bpe_train),
    entry!(Tokenization, "tokenization", "byte-level", byte_level),
    entry!(Tokenization, "tokenization", "pretok", pretok),
    entry!(Tokenization, "tokenization", "unigram-viterbi", unigram_viterbi),
    entry!(Tokenization, "tokenization", "vocab", vocab),
    entry!(Tokenization, "tokenization", "wordpiece-best-merge", wordpiece_best_merge),
];
