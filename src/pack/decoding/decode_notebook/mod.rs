//! Two unfinished functions, a sampler and a decode loop. Witnesses: transformers' `generate` and its logits warpers.

mod cases;
mod decoder;
mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

pub use decoder::Decoder;

use crate::judge::{self, Problem};
use candle_core::{Result, Tensor};
use std::process::ExitCode;

/// How `generate` goes on and when it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationConfig {
    /// At most this many new tokens a row.
    pub max_new_tokens: usize,
    /// The token that ends a row.
    pub eos: u32,
    /// What a finished row gets from then on.
    pub pad: u32,
    /// Divides the logits; 0 is greedy.
    pub temperature: f64,
    /// Keeps this many tokens; 0 is off.
    pub top_k: usize,
    /// Keeps the nucleus of this mass; 1 is off.
    pub top_p: f64,
}

/// logits (B, V), temperature, top_k, top_p, uniform → B token ids.
pub type SampleNextToken = fn(&Tensor, f64, usize, f64, &mut dyn FnMut() -> f64) -> Result<Vec<u32>>;

/// model, input_ids (B, T), attention_mask (B, T), config, uniform → (B, T + generated).
pub type Generate =
    fn(&mut dyn Decoder, &Tensor, &Tensor, &GenerationConfig, &mut dyn FnMut() -> f64) -> Result<Tensor>;

/// Both functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// The sampler.
    pub sample_next_token: SampleNextToken,
    /// The decode loop.
    pub generate: Generate,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { sample_next_token: reference::sample_next_token, generate: reference::generate };
    let problem = Problem::new("decode-notebook", reference)
        .sampler(|attempt, logits, t, k, p, uniform| (attempt.sample_next_token)(logits, t, k, p, uniform));
    let problem = mistakes::generation::add(mistakes::sampler::add(problem));
    cases::golden(cases::generation(cases::sampler(problem)))
}
