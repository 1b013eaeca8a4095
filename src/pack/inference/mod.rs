//! Serving: the cache's memory, the scheduler's steps, smaller weights.

pub mod chunked_prefill;
pub mod continuous_batching;
pub mod int4_groupwise;
pub mod int8_matmul;
pub mod kv_memory;
pub mod lora_merge;
pub mod paged_block_table;
pub mod prefix_block_hash;
pub mod radix_cache;
pub mod ring_buffer_kv;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 10] = [
    entry!(Inference, "inference", "chunked-prefill", chunked_prefill),
    entry!(Inference, "inference", "continuous-batching", continuous_batching),
    entry!(Inference, "inference", "int4-groupwise", int4_groupwise),
    entry!(Inference, "inference", "int8-matmul", int8_matmul),
    entry!(Inference, "inference", "kv-memory", kv_memory),
    entry!(Inference, "inference", "lora-merge", lora_merge),
    entry!(Inference, "inference", "paged-block-table", paged_block_table),
    entry!(Inference, "inference", "prefix-block-hash", prefix_block_hash),
    entry!(Inference, "inference", "radix-cache", radix_cache),
    entry!(Inference, "inference", "ring-buffer-kv", ring_buffer_kv),
];
