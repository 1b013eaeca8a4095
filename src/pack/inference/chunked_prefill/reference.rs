//! Chunked prefill with decodes first, Agrawal et al. 2024 (Sarathi-Serve).

use super::{Request, Work};

/// What to feed in a step of at most `budget` tokens.
pub fn plan_step(requests: &[Request], budget: usize) -> Vec<Work> {
    let decoding = |request: &Request| request.cached >= request.prompt;
    let all = || requests.iter().enumerate();
    let order = all().filter(|(_, request)| decoding(request)).chain(all().filter(|(_, request)| !decoding(request)));
    let (mut plan, mut left) = (Vec::new(), budget);
    for (index, request) in order {
        if left == 0 {
            break;
        }
        let missing = if decoding(request) { 1 } else { request.prompt - request.cached };
        let tokens = missing.min(left);
        // The logits of a piece that is cut short belong to a token that is known.
        plan.push(Work { request: index, start: request.cached, tokens, sample: tokens == missing });
        left -= tokens;
    }
    plan
}

/// The query at position p looks at positions 0 … p; the first row is position `start`.
pub fn chunk_mask(start: usize, tokens: usize) -> Vec<Vec<bool>> {
    (start..start + tokens).map(|query| (0..start + tokens).map(|key| key <= query).collect()).collect()
}
