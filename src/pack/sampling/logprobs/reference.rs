//! Log-probabilities as an API returns them: log-softmax of the raw logits, rank, the most probable alternatives.

use super::TokenLogprobs;
use std::cmp::Ordering;

/// V logits and a token → its log-probability, its rank from 1, and the `top` most probable ids, the token among them.
pub fn token_logprobs(logits: &[f32], token: u32, top: usize) -> TokenLogprobs {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let log_sum = logits.iter().map(|l| f64::from(l - max).exp()).sum::<f64>().ln();
    // Not the logarithm of the softmax, which is 0 for a token far below the best.
    let logprob = |id: u32| (f64::from(logits[id as usize] - max) - log_sum) as f32;

    let order = |a: &u32, b: &u32| falling(logits[*a as usize], logits[*b as usize]).then(a.cmp(b));
    let ids = 0..logits.len() as u32;
    let rank = 1 + ids.clone().filter(|id| order(id, &token).is_lt()).count();
    let mut listed: Vec<u32> = ids.collect();
    if top < listed.len() {
        listed.select_nth_unstable_by(top, order); // O(V), where a sort of all would be O(V log V)
        listed.truncate(top);
    }
    listed.sort_unstable_by(order);
    if rank > top {
        listed.push(token);
    }
    TokenLogprobs { logprob: logprob(token), rank, top: listed.into_iter().map(|id| (id, logprob(id))).collect() }
}

/// P rows of V logits, where row t was computed after reading tokens 0 … t, and the P tokens → one entry for each token.
pub fn prompt_logprobs(logits: &[Vec<f32>], prompt: &[u32], top: usize) -> Vec<Option<TokenLogprobs>> {
    let scored = logits.iter().zip(&prompt[1..]); // row t scores token t + 1; the last row scores what comes next
    std::iter::once(None).chain(scored.map(|(row, &token)| Some(token_logprobs(row, token, top)))).collect()
}

fn falling(a: f32, b: f32) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}
