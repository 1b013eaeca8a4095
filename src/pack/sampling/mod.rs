//! Sampling.

pub mod sample_token;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Sampling, "sampling", "sample-token", sample_token)];
