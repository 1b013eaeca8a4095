//! Decoding.

pub mod kv_cache_attn;
pub mod speculative_step;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 2] = [
    entry!(Decoding, "decoding", "kv-cache-attn", kv_cache_attn),
    entry!(Decoding, "decoding", "speculative-step", speculative_step),
];
