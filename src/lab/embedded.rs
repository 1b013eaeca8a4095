//! The models that ship inside the program: the lab works with no network and no file.

use super::tokens::Tokens;
use super::view::ModelCard;
use crate::model::{CausalLm, Config, Gpt2};
use candle_core::{DType, Device};
use std::sync::Arc;

/// Bytes of a model: its config and its weights.
struct Files {
    name: &'static str,
    config: &'static str,
    weights: &'static [u8],
}

const MODEL: Files = Files {
    name: "embedded (Austen and Shakespeare, 4.3 M)",
    config: include_str!("../../assets/model/config.json"),
    weights: include_bytes!("../../assets/model/model.safetensors"),
};
const DRAFT: Files = Files {
    name: "embedded draft (0.95 M)",
    config: include_str!("../../assets/draft/config.json"),
    weights: include_bytes!("../../assets/draft/model.safetensors"),
};
const TOKENIZER: &[u8] = include_bytes!("../../assets/model/tokenizer.json");

/// The token that begins and ends a text.
pub const END_OF_TEXT: u32 = 0;

/// A model and its words.
#[derive(Clone)]
pub struct Loaded {
    /// The model.
    pub model: Arc<dyn CausalLm>,
    /// Its tokenizer.
    pub tokens: Arc<Tokens>,
    /// What it is.
    pub card: Arc<ModelCard>,
}

/// The embedded model on the CPU, its f16 weights as f32. Fails with a sentence.
pub fn load() -> Result<Loaded, String> {
    let tokens = Arc::new(Tokens::from_json(TOKENIZER)?);
    MODEL.load(tokens)
}

/// The smaller model with the same tokenizer, that can propose tokens for the other. Fails with a sentence.
pub fn load_draft(model: &Loaded) -> Result<Loaded, String> {
    DRAFT.load(Arc::clone(&model.tokens))
}

impl Files {
    fn load(&self, tokens: Arc<Tokens>) -> Result<Loaded, String> {
        let failed = |error: crate::model::Error| format!("the {} model cannot be loaded: {error}", self.name);
        let config = Config::from_json(self.config).map_err(failed)?;
        let model = Gpt2::from_safetensors(&config, self.weights, DType::F32, &Device::Cpu).map_err(failed)?;
        let words = tokens.vocabulary().text.len();
        if words != config.vocab_size {
            return Err(format!("the tokenizer has {words} tokens and the {} model {}", self.name, config.vocab_size));
        }
        let card = Arc::new(ModelCard {
            name: self.name.to_owned(),
            parameters: config.parameters(),
            vocabulary: config.vocab_size,
            context: config.n_positions,
        });
        Ok(Loaded { model: Arc::new(model), tokens, card })
    }
}
