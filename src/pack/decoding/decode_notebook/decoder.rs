//! The model as a decode loop sees it: it keeps the cache and writes down every call.

use crate::model::{self, Cache, CausalLm, Config, Gpt2};
use candle_core::{DType, Device, Error, Result, Tensor};
use std::fmt::Write;

/// A causal LM with a KV cache of its own, as it is handed to `generate`.
///
/// It is fresh: nothing has been fed. Ids, positions and masks are integer tensors (u8, u32 or i64) on the device of
/// the prompt. Every call is written down and judged.
pub trait Decoder {
    /// How many tokens a row can hold, padding included.
    fn context(&self) -> usize;

    /// Feeds N more tokens a row, which come after the P that were fed before, and returns the logits of all N.
    ///
    /// `input_ids` (B, N), `position_ids` (B, N), `attention_mask` (B, P + N) with 1 for a token that may be seen and 0
    /// for padding → logits (B, N, V) in f32. An id or position out of range, a wrong shape, or a row that would become
    /// longer than the context is an error.
    fn feed(&mut self, input_ids: &Tensor, position_ids: &Tensor, attention_mask: &Tensor) -> Result<Tensor>;

    /// Empties the cache: P is 0 again.
    fn reset(&mut self);
}

/// Two layers of four heads, width 32, 97 tokens, context 128; random weights (tests/golden/tiny_gpt2.py).
const WEIGHTS: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/tiny_gpt2.safetensors"));
const CONFIG: &str = r#"{"vocab_size": 97, "n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 4}"#;

/// A [`Decoder`] over the tiny GPT-2.
pub struct LoggedGpt2 {
    model: Gpt2,
    cache: Cache,
    context: usize,
    eos: i64,
    /// Rows that were fed an EOS after the prompt: nothing that is fed to them any more counts.
    finished: Vec<bool>,
    calls: Vec<String>,
}

impl LoggedGpt2 {
    /// A fresh one that holds at most `context` tokens a row (the model itself has 128). It is told the EOS so that it can
    /// see which rows are finished.
    pub fn new(eos: u32, context: usize, device: &Device) -> Result<Self> {
        let config = Config::from_json(CONFIG).map_err(Error::msg)?;
        let model = Gpt2::from_safetensors(&config, WEIGHTS, DType::F32, device).map_err(Error::msg)?;
        let (cache, context) = (model.new_cache(), context.min(model.context()));
        Ok(Self { model, cache, context, eos: i64::from(eos), finished: Vec::new(), calls: Vec::new() })
    }

    /// The calls so far, one line each.
    pub fn calls(&self) -> &[String] {
        &self.calls
    }

    fn forward(&mut self, input_ids: &Tensor, position_ids: &Tensor, mask: &Tensor) -> model::Result<Tensor> {
        let (cached, fed) = (self.cache.len(), input_ids.dims().last().copied().unwrap_or(0));
        if cached + fed > self.context {
            return Err(model::Error::ContextEnd { context: self.context, cached, fed });
        }
        self.model.forward(input_ids, position_ids, Some(mask), &mut self.cache)
    }

    /// "fed 2×3 at positions · 0 1; 0 1 2": a dot stands for what is free, the position of padding and of finished rows.
    fn line(&mut self, ids: &Tensor, positions: &Tensor, mask: &Tensor, decoding: bool) -> Result<String> {
        let rows = |tensor: &Tensor| tensor.to_dtype(DType::I64)?.to_vec2::<i64>();
        let (ids, positions, mask) = (rows(ids)?, rows(positions)?, rows(mask)?);
        self.finished.resize(ids.len(), false);
        let fed = ids.first().map_or(0, Vec::len);
        let mut line = format!("fed {}×{fed} at positions", ids.len());
        for row in 0..ids.len() {
            self.finished[row] |= decoding && ids[row].contains(&self.eos);
            line.push_str(if row == 0 { "" } else { ";" });
            let seen = &mask[row][mask[row].len() - fed..];
            for (position, &seen) in positions[row].iter().zip(seen) {
                let _ = if seen == 0 || self.finished[row] { write!(line, " ·") } else { write!(line, " {position}") };
            }
        }
        Ok(line)
    }
}

impl Decoder for LoggedGpt2 {
    fn context(&self) -> usize {
        self.context
    }

    fn feed(&mut self, input_ids: &Tensor, position_ids: &Tensor, attention_mask: &Tensor) -> Result<Tensor> {
        let decoding = !self.cache.is_empty();
        let logits = self.forward(input_ids, position_ids, attention_mask);
        let logits = logits.map_err(|e| Error::Msg(format!("call {} of the model: {e}", self.calls.len() + 1)))?;
        let line = self.line(input_ids, position_ids, attention_mask, decoding)?;
        self.calls.push(line);
        Ok(logits)
    }

    fn reset(&mut self) {
        self.cache = self.model.new_cache();
        self.calls.push("reset".to_owned());
    }
}
