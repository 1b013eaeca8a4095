//! Decoding.

pub mod beam_search;
pub mod decode_notebook;
pub mod greedy_decode;
pub mod kv_cache_attn;
pub mod length_normalize;
pub mod speculative_step;
pub mod stop_strings;
pub mod tree_speculation;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 8] = [
    entry!(Decoding, "decoding", "beam-search", beam_search),
    entry!(Decoding, "decoding", "decode-notebook", decode_notebook),
    entry!(Decoding, "decoding", "greedy-decode", greedy_decode),
    entry!(Decoding, "decoding", "kv-cache-attn", kv_cache_attn),
    entry!(Decoding, "decoding", "length-normalize", length_normalize),
    entry!(Decoding, "decoding", "speculative-step", speculative_step),
    entry!(Decoding, "decoding", "stop-strings", stop_strings),
    entry!(Decoding, "decoding", "tree-speculation", tree_speculation),
];
