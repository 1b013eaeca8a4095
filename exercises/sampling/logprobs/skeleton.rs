//! Log-probabilities as an API returns them.

use logitlings::pack::sampling::logprobs::TokenLogprobs;

/// V logits and a token → its log-probability, its rank from 1, and the `top` most probable ids; the token itself is added
/// at the end if it is not among them.
pub fn token_logprobs(logits: &[f32], token: u32, top: usize) -> TokenLogprobs {
    let _ = (logits, token, top);
    todo!("log-softmax, order of ids, rank, list")
}

/// P rows of V logits, where row t was computed after reading tokens 0 … t, and the P tokens → one entry for each token.
pub fn prompt_logprobs(logits: &[Vec<f32>], prompt: &[u32], top: usize) -> Vec<Option<TokenLogprobs>> {
    let _ = (logits, prompt, top);
    todo!("find the row that scores each token")
}

logitlings::attempt!(sampling::logprobs, { token_logprobs, prompt_logprobs });
