//! Two unfinished functions: sample_next_token and generate.

use candle_core::{Result, Tensor};
use logitlings::pack::decoding::decode_notebook::{Decoder, GenerationConfig};

/// logits (B, V) → one token id a row. Temperature 0 is the argmax and draws nothing; `top_k` 0 and `top_p` 1 are off.
/// Otherwise `uniform()` is called once a row, in the rows' order, and returns a number in [0, 1).
pub fn sample_next_token(
    logits: &Tensor,
    temperature: f64,
    top_k: usize,
    top_p: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Vec<u32>> {
    let _ = (logits, temperature, top_k, top_p, uniform);
    todo!("temperature, top-k, top-p, then the uniform against the cumulative distribution")
}

/// input_ids and attention_mask (B, T), padded on the left → (B, T + generated), u32.
///
/// `model.feed(ids (B, N), positions (B, N), mask (B, P + N))` runs N tokens a row behind the P fed before and returns
/// their logits (B, N, V). The cache is inside the model; `model.reset()` empties it, `model.context()` is the most that
/// a row can hold. `config` holds max_new_tokens, eos, pad, temperature, top_k and top_p.
pub fn generate(
    model: &mut dyn Decoder,
    input_ids: &Tensor,
    attention_mask: &Tensor,
    config: &GenerationConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Tensor> {
    let _ = (model, input_ids, attention_mask, config, uniform);
    todo!("prefill, then one token a step: positions, mask, sampling, EOS and padding, the end")
}

logitlings::attempt!(decoding::decode_notebook, { sample_next_token, generate });
