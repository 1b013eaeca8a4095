//! Whose rules: engines that share the names of the samplers differ in order, ties, boundaries and penalties.

use super::stage::{Kind, Stage};
use std::str::FromStr;

/// An engine whose conventions a lane follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// transformers 4.57, `generation/logits_process.py`: warpers in the order in which `generate` adds them.
    #[default]
    Transformers,
    /// vLLM, `v1/sample/sampler.py` and `ops/topk_topp_sampler.py` (the PyTorch path).
    Vllm,
    /// llama.cpp, `src/llama-sampler.cpp` and the default chain of `common/sampling.cpp`.
    LlamaCpp,
    /// candle 0.11.1, `generation/mod.rs`, `Sampling::TopKThenTopP`.
    Candle,
}

/// What top-k does with logits that equal the k-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// All of them stay.
    Kept,
    /// Exactly k stay; of equals the lower ids.
    Exactly,
}

/// What a parameter of 0 means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// The stage does nothing.
    Off,
    /// The engine refuses it.
    Refused,
    /// The most probable token alone.
    One,
}

/// An engine's conventions, spelled out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Whose they are.
    pub engine: Engine,
    /// The order in which the engine applies the stages.
    pub order: [Kind; 7],
    /// Top-k at equal logits.
    pub ties: Ties,
    /// k = 0.
    pub top_k_zero: Zero,
    /// p = 0.
    pub top_p_zero: Zero,
    /// T = 0.
    pub temperature_zero: Zero,
    /// Temperatures below this count as 0.
    pub greedy_below: f64,
    /// Temperatures above 0 and below this are raised to it.
    pub least_temperature: f64,
    /// Whether probabilities are renormalised between one filter and the next.
    pub renormalise: bool,
    /// Whether frequency and presence penalties count the prompt.
    pub counts_prompt: bool,
    /// Whether the repetition penalty sees the prompt.
    pub repeats_prompt: bool,
    /// How many of the last tokens the penalties look at; none: all of them.
    pub window: Option<usize>,
}

use Kind::{FrequencyPresence, MinP, Repetition, Temperature, TopK, TopP, Typical};

impl Engine {
    /// All engines, in the order in which a reader chooses.
    pub const ALL: [Self; 4] = [Self::Transformers, Self::Vllm, Self::LlamaCpp, Self::Candle];

    /// The engine's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transformers => "transformers",
            Self::Vllm => "vLLM",
            Self::LlamaCpp => "llama.cpp",
            Self::Candle => "candle",
        }
    }

    /// Its conventions.
    pub fn rules(self) -> Rules {
        let transformers = Rules {
            engine: self,
            order: [Repetition, FrequencyPresence, Temperature, TopK, TopP, MinP, Typical],
            ties: Ties::Kept,
            top_k_zero: Zero::Off,
            top_p_zero: Zero::One,
            temperature_zero: Zero::Refused,
            greedy_below: 0.0,
            least_temperature: 0.0,
            renormalise: true,
            counts_prompt: false,
            repeats_prompt: true,
            window: None,
        };
        match self {
            Self::Transformers => transformers,
            Self::Vllm => Rules {
                order: [Repetition, FrequencyPresence, Temperature, MinP, TopK, TopP, Typical],
                top_p_zero: Zero::Refused,
                temperature_zero: Zero::One,
                greedy_below: 1e-5,
                least_temperature: 1e-2,
                ..transformers
            },
            Self::LlamaCpp => Rules {
                order: [Repetition, FrequencyPresence, TopK, Typical, TopP, MinP, Temperature],
                ties: Ties::Exactly,
                temperature_zero: Zero::One,
                counts_prompt: true,
                window: Some(64),
                ..transformers
            },
            Self::Candle => Rules {
                ties: Ties::Exactly,
                top_k_zero: Zero::Refused,
                top_p_zero: Zero::Off,
                renormalise: false,
                counts_prompt: true,
                window: Some(64),
                ..transformers
            },
        }
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let wanted = word.to_lowercase().replace(['.', '-', '_'], "");
        let found = Self::ALL.into_iter().find(|engine| engine.name().to_lowercase().replace('.', "") == wanted);
        found.ok_or_else(|| format!("\"{word}\" is no engine: use transformers, vllm, llama.cpp or candle"))
    }
}

impl Rules {
    /// The stages in the engine's own order.
    pub fn arrange(&self, stages: &mut [Stage]) {
        stages.sort_by_key(|stage| self.order.iter().position(|kind| *kind == stage.kind()));
    }
}
