//! Serving: the cache's memory, the scheduler's steps, smaller weights.

use super::Entry;

/// The topic's problems.
pub static PROBLEMS: [Entry; 0] = [];
