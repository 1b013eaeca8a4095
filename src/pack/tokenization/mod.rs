//! Tokenizers.

use super::Entry;

/// The topic's problems.
pub static PROBLEMS: [Entry; 0] = [];
