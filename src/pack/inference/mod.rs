//! Serving: the cache's memory, the scheduler's steps, smaller weights.

pub mod int4_groupwise;
pub mod int8_matmul;
pub mod kv_memory;
pub mod lora_merge;
pub mod ring_buffer_kv;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 5] = [
    entry!(Inference, "inference", "int4-groupwise", int4_groupwise),
    entry!(Inference, "inference", "int8-matmul", int8_matmul),
    entry!(Inference, "inference", "kv-memory", kv_memory),
    entry!(Inference, "inference", "lora-merge", lora_merge),
    entry!(Inference, "inference", "ring-buffer-kv", ring_buffer_kv),
];
