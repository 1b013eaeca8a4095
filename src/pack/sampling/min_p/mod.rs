//! Min-p. Witness: transformers' TemperatureLogitsWarper and MinPLogitsWarper.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::Tensor;
use std::process::ExitCode;

/// logits (B, V) f32, temperature, min_p → probabilities (B, V) f32.
pub type Attempt = fn(&Tensor, f64, f64) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("min-p", reference::min_p as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/min-p.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let number = |key: &str| entry[key].as_f64().ok_or("golden fixture: a number is missing");
                let output = attempt(&golden::tensor(&entry["logits"])?, number("temperature")?, number("min_p")?)?;
                fixture.expect_tensor("probabilities", &entry["probabilities"], &output, 1e-5)?;
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("absolute-threshold", "a token stays if its probability is at least min_p; the floor is min_p times the largest probability. In a flat row nothing is left, and the division gives NaN", mistakes::absolute)
        .mistake("absolute-threshold-keeps-one", "a token stays if its probability is at least min_p (or if it is the best one); the floor is min_p times the largest probability", mistakes::absolute_keeps_one)
        .mistake("on-logits", "logits are compared with min_p times the largest logit; the ratio is one of probabilities. Of logits it depends on where zero is, and below zero nothing passes", mistakes::on_logits)
        .mistake("without-logarithm", "a logit stays if it is within min_p of the largest; a ratio of probabilities is a difference of logits only after the logarithm: ln(min_p) below the largest", mistakes::without_logarithm)
        .mistake("strict", "a token stays if p is *larger* than the floor: at min_p = 1 nothing is left, and the division gives NaN", mistakes::strict)
        .mistake("strict-keeps-one", "a token stays if p is *larger* than the floor, or if it is the first best one: at min_p = 1 those that equal it are lost", mistakes::strict_keeps_one)
        .mistake("inverted", "the tokens below the floor are kept and the others removed", mistakes::inverted)
        .mistake("one-minus", "the floor is (1 − min_p) times the largest probability: a larger min_p then removes less", mistakes::one_minus)
        .mistake("nucleus", "the most probable tokens are kept until their mass reaches min_p: that is top-p", mistakes::nucleus)
        .mistake("temperature-ignored", "the temperature changes nothing", mistakes::temperature_ignored)
        .mistake("temperature-multiplied", "the logits are multiplied by the temperature: hot becomes sharp and cold becomes flat", mistakes::temperature_multiplied)
        .mistake("temperature-forgotten-after", "the floor is found with the temperature, but the probabilities that are returned are those without it", mistakes::temperature_forgotten_after)
        .mistake("maximum-before-temperature", "the largest probability is taken before the temperature and compared with probabilities after it", mistakes::maximum_before_temperature)
        .mistake("not-renormalised", "what is left is not renormalised: it does not sum to 1", mistakes::not_renormalised)
        .mistake("zero-for-removed", "removed logits become 0 instead of −inf before the softmax: 0 is a probable logit", mistakes::zero_for_removed)
        .mistake("softmax-twice", "the softmax is taken of the kept *probabilities*: that flattens them; divide by their sum", mistakes::softmax_twice)
        .mistake("one-maximum-for-all", "one maximum serves the whole batch; each row has its own", mistakes::one_maximum_for_all)
        .mistake("over-the-batch", "softmax and maximum run over the rows of the batch and not over the vocabulary", mistakes::over_the_batch)
        .mistake("no-max", "exp is taken of the raw logits: without subtracting the maximum it overflows, and the probabilities become NaN", mistakes::no_max)
        .mistake("mutates-input", "the filtered logits are written into the tensor that was handed in", mistakes::mutates)
        .convention("temperature-last", "the filter comes before the temperature, as in llama.cpp, so that what is kept does not depend on it; asked for is temperature first, as in transformers and vLLM", mistakes::temperature_last)
        .convention("masked-logits", "logits with −inf for what is removed are returned, as by transformers' MinPLogitsWarper; asked for are probabilities", mistakes::masked_logits)
}

/// p = (.05, .40, .10, .30, .15).
const FIVE: &[f32] = &[0.05, 0.40, 0.10, 0.30, 0.15];

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("five tokens, by hand", |attempt, case| five(attempt, case, 1.0, 0.3))
        .case("a lower floor", |attempt, case| five(attempt, case, 1.0, 0.2))
        .case("a higher floor", |attempt, case| five(attempt, case, 1.0, 0.5))
        .case("min_p of zero", |attempt, case| five(attempt, case, 0.7, 0.0))
        .case("min_p of one", |attempt, case| five(attempt, case, 1.0, 1.0))
        .case("a hot temperature", |attempt, case| given(attempt, case, &[3., 2., 1., 0., -1.], (1, 5), 3.0, 0.1))
        .case("a cold temperature", |attempt, case| five(attempt, case, 0.5, 0.2))
        .case("equals of the best at min_p of one", |attempt, case| {
            given(attempt, case, &[0.5, 2., -1., 2., 1.75, 2.], (1, 6), 1.5, 1.0)
        })
        .case("a flat row", |attempt, case| given(attempt, case, &[0.25; 7], (1, 7), 1.0, 0.9))
        .case("three rows that are not equally sure", |attempt, case| {
            let data = [4., 0., -1., 1., 2.5, 0.5, 0.25, 0.75, 0., 0.4, -6., -2., -3., -2.5, -8.];
            given(attempt, case, &data, (3, 5), 0.8, 0.15)
        })
        .case("every axis of another size", |attempt, case| {
            let logits = case.randn_scaled("logits", (4, 7), 1.0, 2.0)?;
            filtered(attempt, case, &logits, 1.3, 0.1)
        })
        .case("logits that are all negative", |attempt, case| {
            given(attempt, case, &[-7., -3., -4., -3.5, -9., -2.5], (1, 6), 1.0, 0.25)
        })
        .case("some tokens impossible", |attempt, case| {
            let low = f32::NEG_INFINITY;
            given(attempt, case, &[low, 1., low, 0.5, 2., low], (1, 6), 2.0, 0.5)
        })
        .case("some tokens impossible, min_p of zero", |attempt, case| {
            given(attempt, case, &[0.5, f32::NEG_INFINITY, -1.], (1, 3), 2.0, 0.0)
        })
        .case("logits of ten thousand", |attempt, case| {
            given(attempt, case, &[-1e4, 9_999., 1e4, 0., 9_997.], (1, 5), 1.0, 0.1)
        })
        .case("a temperature near zero", |attempt, case| {
            given(attempt, case, &[5., 4.99, -3., 5., 4.5], (1, 5), 1e-3, 0.05)
        })
        .case("a vocabulary of one", |attempt, case| given(attempt, case, &[-2.5, 7.], (2, 1), 0.7, 0.9))
        .case("a vocabulary of 97", |attempt, case| {
            let logits = case.randn_scaled("logits", (2, 97), -3.0, 2.0)?;
            filtered(attempt, case, &logits, 0.9, 0.05)
        })
        .case("a transposed view", |attempt, case| {
            let logits = case.randn_scaled("logits, before t()", (5, 2), 0.0, 2.0)?.t()?;
            filtered(attempt, case, &logits, 1.1, 0.2)
        })
        .case("inputs stay as they were", |attempt, case| {
            let logits = case.randn_scaled("logits", (2, 6), 0.0, 2.0)?;
            let before = logits.to_vec2::<f32>()?;
            filtered(attempt, case, &logits, 0.6, 0.1)?;
            case.observe("logits untouched", Value::Flag(logits.to_vec2::<f32>()? == before));
            Ok(())
        })
        .gpu_case("16 rows of 128256", |attempt, case| large(attempt, case, 16, 128_256))
        .cost("2 rows of 50257", |attempt, case| large(attempt, case, 2, 50_257))
}

fn large(attempt: &Attempt, case: &mut Case, b: usize, v: usize) -> Result<()> {
    let logits = case.randn_scaled("logits", (b, v), 0.0, 3.0)?;
    filtered(attempt, case, &logits, 1.2, 0.05)
}

fn five(attempt: &Attempt, case: &mut Case, temperature: f64, min_p: f64) -> Result<()> {
    let logits: Vec<f32> = FIVE.iter().map(|p| p.ln()).collect();
    given(attempt, case, &logits, (1, 5), temperature, min_p)
}

fn given(
    attempt: &Attempt,
    case: &mut Case,
    data: &[f32],
    shape: (usize, usize),
    temperature: f64,
    min_p: f64,
) -> Result<()> {
    let logits = case.tensor("logits", data, shape)?;
    filtered(attempt, case, &logits, temperature, min_p)
}

fn filtered(attempt: &Attempt, case: &mut Case, logits: &Tensor, temperature: f64, min_p: f64) -> Result<()> {
    let temperature = case.given("temperature", temperature);
    let min_p = case.given("min_p", min_p);
    case.observe_tensor("probabilities", &attempt(logits, temperature, min_p)?)
}
