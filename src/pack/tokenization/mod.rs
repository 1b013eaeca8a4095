//! Tokenizers.

pub mod bpe_train;
pub mod byte_level;
pub mod incremental_detok;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 3] = [
    entry!(Tokenization, "tokenization", "bpe-train", bpe_train),
    entry!(Tokenization, "tokenization", "byte-level", byte_level),
    entry!(Tokenization, "tokenization", "incremental-detok", incremental_detok),
];
