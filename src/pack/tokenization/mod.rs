//! Tokenizers.

pub mod bpe_encode;
pub mod bpe_train;
pub mod byte_level;
pub mod char_coverage;
pub mod gpt2_pretok_regex;
pub mod incremental_detok;
pub mod pad_collate;
pub mod pretok;
pub mod unigram_viterbi;
pub mod vocab;
pub mod wordpiece_best_merge;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 11] = [
    entry!(Tokenization, "tokenization", "bpe-encode", bpe_encode),
    entry!(Tokenization, "tokenization", "bpe-train", bpe_train),
    entry!(Tokenization, "tokenization", "byte-level", byte_level),
    entry!(Tokenization, "tokenization", "char-coverage", char_coverage),
    entry!(Tokenization, "tokenization", "gpt2-pretok-regex", gpt2_pretok_regex),
    entry!(Tokenization, "tokenization", "incremental-detok", incremental_detok),
    entry!(Tokenization, "tokenization", "pad-collate", pad_collate),
    entry!(Tokenization, "tokenization", "pretok", pretok),
    entry!(Tokenization, "tokenization", "unigram-viterbi", unigram_viterbi),
    entry!(Tokenization, "tokenization", "vocab", vocab),
    entry!(Tokenization, "tokenization", "wordpiece-best-merge", wordpiece_best_merge),
];
