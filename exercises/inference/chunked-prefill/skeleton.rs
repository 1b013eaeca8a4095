//! Chunked prefill: what a step of so many tokens does.

use logitlings::pack::inference::chunked_prefill::{Request, Work};

/// What to feed in this step: decodes first, then pieces of prompts, at most `budget` tokens together.
pub fn plan_step(requests: &[Request], budget: usize) -> Vec<Work> {
    let _ = (requests, budget);
    todo!("one token for each that is decoding, the rest for prompts")
}

/// `tokens` rows of `start + tokens` columns: true where the query may look.
pub fn chunk_mask(start: usize, tokens: usize) -> Vec<Vec<bool>> {
    let _ = (start, tokens);
    todo!("causal, and aligned with the end of the cache")
}

logitlings::attempt!(inference::chunked_prefill, { plan_step, chunk_mask });
