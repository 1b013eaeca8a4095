//! Serving: the cache's memory, the scheduler's steps, smaller weights.

pub mod kv_memory;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Inference, "inference", "kv-memory", kv_memory)];
