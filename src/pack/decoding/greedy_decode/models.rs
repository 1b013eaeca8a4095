//! The models that decoding is tried on, and the record of what they are fed.

use crate::judge::Result;
use crate::model::{CausalLm, Config, Gpt2};
use candle_core::{DType, Device, Tensor};

/// Two layers of four heads, width 32, 97 tokens, context 128; random weights (tests/golden/tiny_gpt2.py).
const WEIGHTS: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/tiny_gpt2.safetensors"));
const CONFIG: &str = r#"{"vocab_size": 97, "n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 4}"#;

/// T tokens → T rows of V logits.
pub(super) type Model = Box<dyn FnMut(&[u32]) -> Vec<Vec<f32>>>;

/// After token t comes `next[t]`; every other logit is smaller the further its id is from that, and all are below zero.
pub(super) fn table(next: &'static [u32]) -> Model {
    let row = move |&token: &u32| {
        let wanted = next[token as usize % next.len()];
        (0..next.len() as u32).map(|id| -1.0 - id.abs_diff(wanted) as f32).collect()
    };
    Box::new(move |tokens: &[u32]| tokens.iter().map(row).collect())
}

/// Logits that depend on all tokens up to their own. `level` makes a logit of a number in [0, 1).
pub(super) fn scrambled(vocab: usize, seed: u64, level: fn(f32) -> f32) -> Model {
    Box::new(move |tokens: &[u32]| {
        let mut state = seed;
        let row = |&token: &u32| {
            state = mix(state ^ u64::from(token).wrapping_add(1));
            let unit = |id: usize| (mix(state.wrapping_add(id as u64)) >> 40) as f32 / (1u32 << 24) as f32;
            (0..vocab).map(|id| level(unit(id))).collect()
        };
        tokens.iter().map(row).collect()
    })
}

/// SplitMix64.
fn mix(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// The tiny GPT-2, without a cache. Tokens that it cannot take give no logits.
pub(super) fn gpt2(device: &Device) -> Result<Model> {
    let config = Config::from_json(CONFIG).map_err(|e| e.to_string())?;
    let model = Gpt2::from_safetensors(&config, WEIGHTS, DType::F32, device).map_err(|e| e.to_string())?;
    Ok(Box::new(move |tokens: &[u32]| forward(&model, tokens).unwrap_or_default()))
}

fn forward(model: &Gpt2, tokens: &[u32]) -> Result<Vec<Vec<f32>>> {
    let ids = Tensor::new(tokens, model.device())?.unsqueeze(0)?; // (1, T)
    let positions = Tensor::arange(0, tokens.len() as u32, model.device())?.unsqueeze(0)?;
    let logits = model.forward(&ids, &positions, None, &mut model.new_cache()).map_err(|e| e.to_string())?;
    Ok(logits.squeeze(0)?.to_vec2()?)
}
