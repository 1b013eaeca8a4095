//! Positions.

pub mod rope;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Positions, "positions", "rope", rope)];
