//! Serving: the cache's memory, the scheduler's steps, smaller weights.

pub mod chunked_prefill;
pub mod continuous_batching;
pub mod paged_block_table;
pub mod prefix_block_hash;
pub mod radix_cache;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 5] = [
    entry!(Inference, "inference", "chunked-prefill", chunked_prefill),
    entry!(Inference, "inference", "continuous-batching", continuous_batching),
    entry!(Inference, "inference", "paged-block-table", paged_block_table),
    entry!(Inference, "inference", "prefix-block-hash", prefix_block_hash),
    entry!(Inference, "inference", "radix-cache", radix_cache),
];
