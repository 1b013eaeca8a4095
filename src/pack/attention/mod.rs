//! Attention.

pub mod causal_mask;
pub mod flash_attn;
pub mod gqa;
pub mod sdpa;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 4] = [
    entry!(Attention, "attention", "sdpa", sdpa),
    entry!(Attention, "attention", "causal-mask", causal_mask),
    entry!(Attention, "attention", "gqa", gqa),
    entry!(Attention, "attention", "flash-attn", flash_attn),
];
