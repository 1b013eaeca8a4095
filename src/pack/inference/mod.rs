//! Serving: the cache's memory, the scheduler's steps, smaller weights.

pub mod kv_memory;
pub mod lora_merge;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 2] = [
    entry!(Inference, "inference", "kv-memory", kv_memory),
    entry!(Inference, "inference", "lora-merge", lora_merge),
];
