//! A sampler by itself: asked for one token at a time over standard input, answering on the report channel. This is how the
//! lab sets a reader's sampler beside the reference.
//!
//! Numbers travel as their bits: what is compared must be what was sent.

use super::case::Error;
use super::problem::{CaseSpec, Problem};
use super::run::Outcome;
use candle_core::{Device, Tensor};
use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::sync::{Arc, Mutex};

/// Raised when a field changes its meaning.
pub const PROTOCOL: u32 = 1;

/// How an implementation of type `A` draws: logits (B, V), temperature, top-k, top-p and a source of uniforms → one id a row.
pub type Sampler<A> = fn(&A, &Tensor, f64, usize, f64, &mut dyn FnMut() -> f64) -> candle_core::Result<Vec<u32>>;

/// One token is wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Comes back with the answer.
    pub number: u64,
    /// The bits of the f32 logits, (V).
    pub logits: Vec<u32>,
    /// 0 keeps all.
    pub top_k: usize,
    /// The bits of temperature, top-p and the uniform, in f64.
    pub numbers: [u64; 3],
}

impl Question {
    /// A question whose numbers come out of [`Question::numbers`] as they went in.
    pub fn new(number: u64, logits: &[f32], temperature: f64, top_k: usize, top_p: f64, uniform: f64) -> Self {
        let numbers = [temperature, top_p, uniform].map(f64::to_bits);
        Self { number, logits: logits.iter().map(|l| l.to_bits()).collect(), top_k, numbers }
    }
}

/// What the sampler's process says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
#[allow(missing_docs)] // The names say it.
pub enum Reply {
    /// It waits for questions.
    Ready { protocol: u32, problem: String },
    /// The token that it draws.
    Token { number: u64, token: u32 },
    /// It drew none, and why.
    Nothing { number: u64, reason: String },
}

impl<A: Copy + Send + Sync + 'static> Problem<A> {
    /// Says how an implementation draws a token, so that it can be served.
    pub fn sampler(mut self, sampler: Sampler<A>) -> Self {
        self.sampler = Some(sampler);
        self
    }

    /// Answers questions, one a line, until there are no more. Fails where the problem is about no sampler.
    pub fn serve(&self, attempt: &A, questions: &mut dyn BufRead, say: &mut dyn FnMut(Reply)) -> Result<(), String> {
        let sampler =
            self.sampler.ok_or_else(|| format!("{} is about no sampler: there is nothing to serve", self.slug))?;
        say(Reply::Ready { protocol: PROTOCOL, problem: self.slug.to_owned() });
        for line in questions.lines() {
            let line = line.map_err(|error| format!("the questions cannot be read: {error}"))?;
            let question = serde_json::from_str(&line).map_err(|error| format!("this is no question: {error}"))?;
            say(self.answer(sampler, attempt, question));
        }
        Ok(())
    }

    fn answer(&self, sampler: Sampler<A>, attempt: &A, question: Question) -> Reply {
        let number = question.number;
        let drawn = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&drawn);
        let run = move |attempt: &A, _: &mut super::Case| {
            let [temperature, top_p, uniform] = question.numbers.map(f64::from_bits);
            let logits: Vec<f32> = question.logits.iter().map(|bits| f32::from_bits(*bits)).collect();
            let tensor = Tensor::from_slice(&logits, (1, logits.len()), &Device::Cpu)?;
            let ids = sampler(attempt, &tensor, temperature, question.top_k, top_p, &mut || uniform)?;
            if let Some(id) = ids.iter().find(|id| **id as usize >= logits.len()) {
                return Err(Error::Message(format!("token {id} is beyond the vocabulary of {}", logits.len())));
            }
            *kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = ids;
            Ok(())
        };
        // A case like any other: on its own thread, with a large stack, its panic caught and kept.
        let case = CaseSpec { name: "lab", accelerator_only: false, run: Box::new(run) };
        let reason = match self.run(&case, attempt, &Device::Cpu).outcome {
            Outcome::Observed(_) => {
                let ids = drawn.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                match ids[..] {
                    [token] => return Reply::Token { number, token },
                    _ => format!("it returned {} ids for one row", ids.len()),
                }
            }
            Outcome::NotImplemented(_) => "it is not implemented yet".to_owned(),
            Outcome::Panicked { message, location: Some(place) } => format!("it panicked at {place}: {message}"),
            Outcome::Panicked { message, location: None } => format!("it panicked: {message}"),
            Outcome::Failed(message) => format!("it returned an error: {message}"),
        };
        Reply::Nothing { number, reason }
    }
}
