//! Attention.

pub mod sdpa;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Attention, "attention", "sdpa", sdpa)];
