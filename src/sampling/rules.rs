//! Whose rules: engines that share the names of the samplers differ in order, ties, boundaries and penalties.
//!
//! A stage that an engine does not have at all (typical in vLLM and candle, min-p in candle, frequency and presence in
//! transformers) works here as the paper has it, at the place that [`Rules::order`] names.

use super::stage::{Kind, Stage};
use std::str::FromStr;

/// An engine whose conventions a lane follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// transformers 4.57: the classes of `generation/logits_process.py`, in the order in which `_get_logits_processor` of
    /// `generation/utils.py` adds them.
    #[default]
    Transformers,
    /// vLLM 0.11, engine V1: `v1/sample/sampler.py`, `v1/sample/ops/topk_topp_sampler.py` (the PyTorch path),
    /// `v1/sample/ops/penalties.py`, `v1/sample/logits_processor/builtin.py` (min-p) and `sampling_params.py` (what is
    /// refused).
    Vllm,
    /// llama.cpp: the samplers of `src/llama-sampler.cpp` (formerly `llama-sampling.cpp`) in the default chain of
    /// `common/common.h`; DRY, top-n-sigma and XTC, which are off there, are not among the stages.
    LlamaCpp,
    /// candle 0.11.1: `candle-transformers/src/generation/mod.rs`, `Sampling::TopKThenTopP`, with `apply_repeat_penalty`
    /// of `utils.rs` in front, as the examples do it.
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

/// What a temperature below 0 means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negative {
    /// The engine refuses it.
    Refused,
    /// The most probable token alone.
    One,
    /// The logits are divided by it all the same, which turns the ranking round.
    Inverts,
}

/// An engine's conventions, spelled out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Whose they are.
    pub engine: Engine,
    /// The order in which the engine applies the stages.
    ///
    /// - transformers: `_get_logits_processor` appends the repetition penalty first and, when it samples, the warpers for
    ///   temperature, top-k, top-p, min-p and typical.
    /// - vLLM: `Sampler.sample` has penalties, temperature, then the processors that leave the largest logit the largest
    ///   (min-p), then top-k and top-p together.
    /// - llama.cpp: `common_params_sampling.samplers`: penalties, top-k, typical, top-p, min-p, temperature last.
    /// - candle: `LogitsProcessor::sample_f` divides by the temperature before it filters.
    pub order: [Kind; 7],
    /// Top-k at equal logits, and typical at equal distances.
    ///
    /// - transformers: `TopKLogitsWarper` removes what is below the k-th logit, so equals stay; `TypicalLogitsWarper`
    ///   removes what is farther than the last distance.
    /// - vLLM: `apply_top_k_top_p` masks what is below the k-th logit.
    /// - llama.cpp: `llama_sampler_top_k_impl` sorts and cuts the array at k.
    /// - candle: `sample_topk_topp` takes the first k of a selection.
    ///
    /// Which of several equals a cut array holds depends on the sort; here it is the lower ids.
    pub ties: Ties,
    /// k = 0. transformers adds no warper; vLLM documents 0 (and −1) as "all tokens"; llama.cpp returns at k ≤ 0; candle
    /// selects nothing and then fails to draw from it.
    pub top_k_zero: Zero,
    /// p = 0. `TopPLogitsWarper` always keeps one token; vLLM's `SamplingParams` asks for p in (0, 1];
    /// `llama_sampler_top_p_apply` keeps the first token; candle takes p ≤ 0 for "off".
    pub top_p_zero: Zero,
    /// T = 0. `TemperatureLogitsWarper` refuses it (and points to `do_sample=False`); vLLM and llama.cpp are greedy; candle
    /// divides by it and fails (only `LogitsProcessor::new` turns a T below 1e-7 into an argmax).
    pub temperature_zero: Zero,
    /// T < 0. transformers asks for "strictly positive"; vLLM for "non-negative"; llama.cpp takes T ≤ 0 for greedy; candle
    /// divides. (Tokens that are impossible stay so here, where candle's division makes them infinitely probable.)
    pub negative_temperature: Negative,
    /// Temperatures below this count as 0: vLLM's `_SAMPLING_EPS`.
    pub greedy_below: f64,
    /// Temperatures above 0 and below this are raised to it: vLLM's `_MAX_TEMP` in `SamplingParams`.
    pub least_temperature: f64,
    /// Whether probabilities are renormalised between one filter and the next. Where filters work on logits (transformers,
    /// vLLM) or a softmax is taken anew (llama.cpp), they are; candle takes one softmax, and top-p looks at the
    /// probabilities that top-k left as they were.
    pub renormalise: bool,
    /// Whether typical goes on until the mass exceeds p, as `llama_sampler_typical_apply` does, and not until it reaches it.
    pub typical_exceeds: bool,
    /// Whether frequency and presence penalties count the prompt. OpenAI's and vLLM's count generated tokens alone
    /// (`apply_penalties` has the prompt's tokens only for the repetition penalty); llama.cpp's ring buffer has been given
    /// the prompt, too.
    pub counts_prompt: bool,
    /// Whether the repetition penalty sees the prompt. In all four it does.
    pub repeats_prompt: bool,
    /// How many of the last tokens the penalties look at; none: all of them. llama.cpp's `penalty_last_n` is 64, and so is
    /// `--repeat-last-n` of candle's examples.
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

    /// Its conventions; where each comes from stands at the fields of [`Rules`].
    pub fn rules(self) -> Rules {
        let transformers = Rules {
            engine: self,
            order: [Repetition, FrequencyPresence, Temperature, TopK, TopP, MinP, Typical],
            ties: Ties::Kept,
            top_k_zero: Zero::Off,
            top_p_zero: Zero::One,
            temperature_zero: Zero::Refused,
            negative_temperature: Negative::Refused,
            greedy_below: 0.0,
            least_temperature: 0.0,
            renormalise: true,
            typical_exceeds: false,
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
                negative_temperature: Negative::One,
                typical_exceeds: true,
                counts_prompt: true,
                window: Some(64),
                ..transformers
            },
            Self::Candle => Rules {
                ties: Ties::Exactly,
                top_k_zero: Zero::Refused,
                top_p_zero: Zero::Off,
                negative_temperature: Negative::Inverts,
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
