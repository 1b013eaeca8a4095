//! Decoding.

pub mod kv_cache_attn;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Decoding, "decoding", "kv-cache-attn", kv_cache_attn)];
