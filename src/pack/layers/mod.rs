//! Layers.

pub mod rmsnorm;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Layers, "layers", "rmsnorm", rmsnorm)];
