//! Mixture of experts.

pub mod moe_topk;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Moe, "moe", "moe-topk", moe_topk)];
