//! Sampling.

pub mod contrastive_search;
pub mod freq_presence_penalty;
pub mod grammar_mask;
pub mod logprobs;
pub mod min_p;
pub mod repetition_penalty;
pub mod sample_token;

use super::{Entry, entry};

/// The topic's problems.
pub static PROBLEMS: [Entry; 7] = [
    entry!(Sampling, "sampling", "contrastive-search", contrastive_search),
    entry!(Sampling, "sampling", "freq-presence-penalty", freq_presence_penalty),
    entry!(Sampling, "sampling", "grammar-mask", grammar_mask),
    entry!(Sampling, "sampling", "logprobs", logprobs),
    entry!(Sampling, "sampling", "min-p", min_p),
    entry!(Sampling, "sampling", "repetition-penalty", repetition_penalty),
    entry!(Sampling, "sampling", "sample-token", sample_token),
];
