//! Tokenizers.

pub mod bpe_train;
pub mod byte_level;
pub mod incremental_detok;
pub mod pad_collate;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 4] = [
    entry!(Tokenization, "tokenization", "bpe-train", bpe_train),
    entry!(Tokenization, "tokenization", "byte-level", byte_level),
    entry!(Tokenization, "tokenization", "incremental-detok", incremental_detok),
    entry!(Tokenization, "tokenization", "pad-collate", pad_collate),
];
