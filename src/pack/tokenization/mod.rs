//! Tokenizers.

pub mod bpe_encode;
pub mod bpe_train;
pub mod byte_level;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 3] = [
    entry!(Tokenization, "tokenization", "bpe-encode", bpe_encode),
    entry!(Tokenization, "tokenization", "bpe-train", bpe_train),
    entry!(Tokenization, "tokenization", "byte-level", byte_level),
];
