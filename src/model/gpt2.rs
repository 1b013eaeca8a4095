//! GPT-2: learned positions, pre-norm blocks, a head tied to the token embedding.
//!
//! "Language Models are Unsupervised Multitask Learners" (Radford et al. 2019),
//! <https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf>; names and
//! layout of the weights are those of `GPT2LMHeadModel` in transformers.
//!
//! B rows · T new tokens · P cached tokens · D width · H heads · d = D/H · F width of the MLP · V vocabulary

use super::cache::{Cache, KeyValue};
use super::error::{Error, Result};
use super::weights::Weights;
use super::{CausalLm, mask};
use candle_core::{DType, Device, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};
use serde::Deserialize;

/// The fields of a `config.json` that matter here, with transformers' names and defaults.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Config {
    /// V.
    pub vocab_size: usize,
    /// The context.
    #[serde(alias = "n_ctx")]
    pub n_positions: usize,
    /// D.
    pub n_embd: usize,
    /// Number of blocks.
    pub n_layer: usize,
    /// H.
    pub n_head: usize,
    /// F; 4·D where it is not given.
    #[serde(default)]
    pub n_inner: Option<usize>,
    /// The MLP's activation.
    #[serde(default = "gelu_new")]
    pub activation_function: String,
    /// Added to the variance in a LayerNorm.
    #[serde(default = "epsilon")]
    pub layer_norm_epsilon: f64,
    /// Whether the head is the token embedding.
    #[serde(default = "yes")]
    pub tie_word_embeddings: bool,
    /// Whether the scores are divided by √d.
    #[serde(default = "yes")]
    pub scale_attn_weights: bool,
    /// Whether the scores of block i are divided by i + 1 as well.
    #[serde(default)]
    pub scale_attn_by_inverse_layer_idx: bool,
    /// The architecture's name, where the file gives one.
    #[serde(default)]
    pub model_type: Option<String>,
}

fn gelu_new() -> String {
    "gelu_new".to_owned()
}

fn epsilon() -> f64 {
    1e-5
}

fn yes() -> bool {
    true
}

impl Config {
    /// Reads a `config.json`.
    pub fn from_json(text: &str) -> Result<Self> {
        let config: Self = serde_json::from_str(text).map_err(|e| Error::Config(e.to_string()))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        let reason = match self.model_type.as_deref() {
            Some(other) if other != "gpt2" => format!("model_type \"{other}\" is not GPT-2"),
            _ if !matches!(self.activation_function.as_str(), "gelu_new" | "gelu_pytorch_tanh") => {
                format!("activation \"{}\" is not supported, only gelu_new is", self.activation_function)
            }
            _ if [self.vocab_size, self.n_positions, self.n_embd, self.n_layer, self.n_head].contains(&0) => {
                "a size is 0".to_owned()
            }
            _ if !self.n_embd.is_multiple_of(self.n_head) => {
                format!("n_embd {} is not a multiple of n_head {}", self.n_embd, self.n_head)
            }
            _ => return Ok(()),
        };
        Err(Error::Config(reason))
    }

    /// How many numbers the weights are; a tied head counts once.
    pub fn parameters(&self) -> usize {
        let (d, f) = (self.n_embd, self.n_inner.unwrap_or(4 * self.n_embd));
        let linear = |input: usize, output: usize| input * output + output;
        let block = linear(d, 3 * d) + linear(d, d) + linear(d, f) + linear(f, d) + 4 * d;
        let head = if self.tie_word_embeddings { 0 } else { self.vocab_size * d };
        (self.vocab_size + self.n_positions) * d + self.n_layer * block + 2 * d + head
    }

    /// What block `index` multiplies its scores by.
    fn scale(&self, index: usize) -> f64 {
        let width = if self.scale_attn_weights { ((self.n_embd / self.n_head) as f64).sqrt() } else { 1.0 };
        let depth = if self.scale_attn_by_inverse_layer_idx { index + 1 } else { 1 };
        1.0 / (width * depth as f64)
    }
}

/// y = x·W + b with W (in, out): transformers' Conv1D. The weight lies in memory as the product reads it.
#[derive(Clone, Debug)]
struct Conv1D {
    weight: Tensor, // (in, out)
    bias: Tensor,   // (out)
}

impl Conv1D {
    fn load(weights: &Weights, name: &str, input: usize, output: usize) -> Result<Self> {
        let weight = weights.tensor(&format!("{name}.weight"), (input, output))?;
        Ok(Self { weight, bias: weights.tensor(&format!("{name}.bias"), output)? })
    }

    fn forward(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        x.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

#[derive(Clone, Debug)]
struct LayerNorm {
    weight: Tensor, // (D)
    bias: Tensor,   // (D)
    epsilon: f32,
}

impl LayerNorm {
    fn load(weights: &Weights, name: &str, config: &Config) -> Result<Self> {
        let tensor = |part: &str| weights.tensor(&format!("{name}.{part}"), config.n_embd);
        Ok(Self { weight: tensor("weight")?, bias: tensor("bias")?, epsilon: config.layer_norm_epsilon as f32 })
    }

    fn forward(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        layer_norm(x, &self.weight, &self.bias, self.epsilon)
    }
}

#[derive(Clone, Debug)]
struct Attention {
    qkv: Conv1D, // D → 3·D: queries, keys and values in one product
    out: Conv1D, // D → D
    heads: usize,
    scale: f64,
}

impl Attention {
    fn load(weights: &Weights, name: &str, config: &Config, index: usize) -> Result<Self> {
        let d = config.n_embd;
        Ok(Self {
            qkv: Conv1D::load(weights, &format!("{name}.c_attn"), d, 3 * d)?,
            out: Conv1D::load(weights, &format!("{name}.c_proj"), d, d)?,
            heads: config.n_head,
            scale: config.scale(index),
        })
    }

    /// x (B·T, D) → (B·T, D), the weights (B, H, T, P + T), and keys and values with the new ones behind the past.
    fn forward(
        &self,
        x: &Tensor,
        rows: usize,
        mask: Option<&Tensor>,
        append: impl FnOnce(KeyValue) -> candle_core::Result<KeyValue>,
    ) -> candle_core::Result<(Tensor, Tensor, KeyValue)> {
        let (bt, width) = x.dims2()?;
        let parts = self.qkv.forward(x)?.reshape((rows, bt / rows, 3, self.heads, width / self.heads))?;
        let parts = parts.permute((2, 0, 3, 1, 4))?.contiguous()?; // (3, B, H, T, d): one copy for all three
        let q = (parts.get(0)? * self.scale)?; // (B, H, T, d)
        let (k, v) = append((parts.get(1)?, parts.get(2)?))?; // (B, H, P + T, d)
        let mut scores = q.matmul(&k.transpose(2, 3)?)?; // (B, H, T, P + T)
        if let Some(mask) = mask {
            scores = scores.broadcast_add(mask)?;
        }
        let attention = softmax_last_dim(&scores)?;
        let mixed = attention.matmul(&v)?.transpose(1, 2)?.reshape((bt, width))?;
        Ok((self.out.forward(&mixed)?, attention, (k, v)))
    }
}

#[derive(Clone, Debug)]
struct Block {
    ln_1: LayerNorm,
    attention: Attention,
    ln_2: LayerNorm,
    up: Conv1D,   // D → F
    down: Conv1D, // F → D
}

impl Block {
    fn load(weights: &Weights, config: &Config, index: usize) -> Result<Self> {
        let (d, f) = (config.n_embd, config.n_inner.unwrap_or(4 * config.n_embd));
        let name = |part: &str| format!("h.{index}.{part}");
        Ok(Self {
            ln_1: LayerNorm::load(weights, &name("ln_1"), config)?,
            attention: Attention::load(weights, &name("attn"), config, index)?,
            ln_2: LayerNorm::load(weights, &name("ln_2"), config)?,
            up: Conv1D::load(weights, &name("mlp.c_fc"), d, f)?,
            down: Conv1D::load(weights, &name("mlp.c_proj"), f, d)?,
        })
    }

    fn forward(
        &self,
        x: &Tensor, // (B·T, D)
        rows: usize,
        mask: Option<&Tensor>,
        append: impl FnOnce(KeyValue) -> candle_core::Result<KeyValue>,
    ) -> candle_core::Result<(Tensor, Tensor, KeyValue)> {
        let (attended, attention, kv) = self.attention.forward(&self.ln_1.forward(x)?, rows, mask, append)?;
        let x = (x + attended)?;
        // candle's `gelu` is the tanh approximation, which transformers calls gelu_new.
        let mlp = self.down.forward(&self.up.forward(&self.ln_2.forward(&x)?)?.gelu()?)?;
        Ok(((x + mlp)?, attention, kv))
    }
}

/// GPT-2 with its weights.
#[derive(Clone, Debug)]
pub struct Gpt2 {
    config: Config,
    wte: Tensor, // (V, D)
    wpe: Tensor, // (context, D)
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    head: Tensor, // (D, V)
}

impl Gpt2 {
    /// Takes the weights out of the bytes of a safetensors file with transformers' names (with or without
    /// "transformer." before them) and converts them to `dtype`.
    pub fn from_safetensors(config: &Config, bytes: &[u8], dtype: DType, device: &Device) -> Result<Self> {
        config.check()?;
        let weights = Weights::new(bytes, dtype, device)?;
        let (d, v) = (config.n_embd, config.vocab_size);
        let wte = weights.tensor("wte.weight", (v, d))?;
        let head = if config.tie_word_embeddings { wte.clone() } else { weights.exact("lm_head.weight", (v, d))? };
        Ok(Self {
            wpe: weights.tensor("wpe.weight", (config.n_positions, d))?,
            blocks: (0..config.n_layer).map(|i| Block::load(&weights, config, i)).collect::<Result<_>>()?,
            ln_f: LayerNorm::load(&weights, "ln_f", config)?,
            head: head.t()?,
            wte,
            config: config.clone(),
        })
    }

    /// The config it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// [`CausalLm::forward`]; `keep` gets the attention weights of each layer.
    fn run(
        &self,
        input_ids: &Tensor,
        position_ids: &Tensor,
        attention_mask: Option<&Tensor>,
        cache: &mut Cache,
        keep: &mut (dyn FnMut(Tensor) + Send),
    ) -> Result<Tensor> {
        let (b, t) = rank_two("input_ids", input_ids)?;
        let p = cache.len();
        let ids = integers("input_ids", input_ids, (b, t))?;
        let positions = integers("position_ids", position_ids, (b, t))?;
        let visible = attention_mask.map(|mask| integers("attention_mask", mask, (b, p + t))).transpose()?;
        self.check(&ids, &positions, cache, b)?;
        let mask = mask::additive(visible.as_deref(), [b, t, p], self.wte.dtype(), self.device())?;
        // Inside candle's own thread pool for the whole pass: from outside, every LayerNorm and softmax would hand its few
        // rows over to sleeping threads.
        let past: &Cache = cache;
        let forward = || self.compute((&ids, &positions), b, mask.as_ref(), past, keep);
        let (logits, layers) = self.device().with_context(forward)?;
        cache.replace(layers); // only now: an error leaves the cache as it was
        Ok(logits.reshape((b, t, self.config.vocab_size))?)
    }

    /// Ids and positions of B rows, row by row → logits (B·T, V), keys and values of every layer.
    fn compute(
        &self,
        (ids, positions): (&[i64], &[i64]),
        rows: usize,
        mask: Option<&Tensor>,
        past: &Cache,
        keep: &mut (dyn FnMut(Tensor) + Send),
    ) -> candle_core::Result<(Tensor, Vec<KeyValue>)> {
        let tokens = self.wte.index_select(&self.indices(ids)?, 0)?; // (B·T, D)
        let mut x = (tokens + self.wpe.index_select(&self.indices(positions)?, 0)?)?;
        let mut layers = Vec::with_capacity(self.blocks.len());
        for (index, block) in self.blocks.iter().enumerate() {
            let (next, attention, kv) = block.forward(&x, rows, mask, |new| past.appended(index, new))?;
            keep(attention);
            layers.push(kv);
            x = next;
        }
        let logits = self.ln_f.forward(&x)?.matmul(&self.head)?; // (B·T, V)
        Ok((logits.to_dtype(DType::F32)?, layers))
    }

    fn check(&self, ids: &[i64], positions: &[i64], cache: &Cache, rows: usize) -> Result<()> {
        cache.check(rows, self.blocks.len())?;
        let (context, cached, fed) = (self.config.n_positions, cache.len(), ids.len() / rows);
        if cached + fed > context {
            return Err(Error::ContextEnd { context, cached, fed });
        }
        let outside = |list: &[i64], size: usize| list.iter().copied().find(|&v| v < 0 || v >= size as i64);
        if let Some(id) = outside(ids, self.config.vocab_size) {
            return Err(Error::Token { id, last: self.config.vocab_size - 1 });
        }
        match outside(positions, context) {
            Some(position) => Err(Error::Position { position, last: context - 1 }),
            None => Ok(()),
        }
    }

    fn indices(&self, checked: &[i64]) -> candle_core::Result<Tensor> {
        let indices: Vec<u32> = checked.iter().map(|&v| v as u32).collect();
        Tensor::from_vec(indices, checked.len(), self.device())
    }
}

impl CausalLm for Gpt2 {
    fn vocab(&self) -> usize {
        self.config.vocab_size
    }

    fn context(&self) -> usize {
        self.config.n_positions
    }

    fn device(&self) -> &Device {
        self.wte.device()
    }

    fn new_cache(&self) -> Cache {
        Cache::new()
    }

    fn forward(
        &self,
        input_ids: &Tensor,
        position_ids: &Tensor,
        attention_mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> Result<Tensor> {
        self.run(input_ids, position_ids, attention_mask, cache, &mut |_| ())
    }

    fn forward_with_attention(
        &self,
        input_ids: &Tensor,
        position_ids: &Tensor,
        attention_mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> Result<(Tensor, Vec<Tensor>)> {
        let mut maps = Vec::with_capacity(self.blocks.len());
        let logits = self.run(input_ids, position_ids, attention_mask, cache, &mut |map| maps.push(map))?;
        Ok((logits, maps))
    }
}

/// B and T of a tensor that must have both, and neither may be 0.
fn rank_two(what: &'static str, tensor: &Tensor) -> Result<(usize, usize)> {
    match *tensor.dims() {
        [b, t] if b > 0 && t > 0 => Ok((b, t)),
        _ => Err(Error::NoBatch { what, got: tensor.dims().to_vec() }),
    }
}

/// The integers of a (B, T) tensor, row by row.
fn integers(what: &'static str, tensor: &Tensor, (b, t): (usize, usize)) -> Result<Vec<i64>> {
    if *tensor.dims() != [b, t] {
        return Err(Error::Shape { what, expected: vec![b, t], got: tensor.dims().to_vec() });
    }
    if !matches!(tensor.dtype(), DType::U8 | DType::U32 | DType::I64) {
        return Err(Error::NotIntegers { what, got: tensor.dtype().as_str() });
    }
    Ok(tensor.to_dtype(DType::I64)?.flatten_all()?.to_vec1()?)
}
