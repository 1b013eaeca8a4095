//! Tokenizers.

pub mod bpe_train;
pub mod byte_level;
pub mod char_coverage;
pub mod gpt2_pretok_regex;
pub mod incremental_detok;
pub mod pad_collate;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 6] = [
    entry!(Tokenization, "tokenization", "bpe-train", bpe_train),
    entry!(Tokenization, "tokenization", "byte-level", byte_level),
    entry!(Tokenization, "tokenization", "char-coverage", char_coverage),
    entry!(Tokenization, "tokenization", "gpt2-pretok-regex", gpt2_pretok_regex),
    entry!(Tokenization, "tokenization", "incremental-detok", incremental_detok),
    entry!(Tokenization, "tokenization", "pad-collate", pad_collate),
];
