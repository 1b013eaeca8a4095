//! Serving: the cache's memory, the scheduler's steps, smaller weights.

pub mod paged_block_table;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Inference, "inference", "paged-block-table", paged_block_table)];
