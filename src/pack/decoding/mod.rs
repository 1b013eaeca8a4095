//! Decoding.

pub mod decode_notebook;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 1] = [entry!(Decoding, "decoding", "decode-notebook", decode_notebook)];
