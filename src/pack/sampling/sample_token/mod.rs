//! One token from logits. Witness: transformers' Temperature-, TopK- and TopPLogitsWarper.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::Tensor;
use std::process::ExitCode;

/// logits (B, V) f32, temperature, top-k, top-p, source of uniforms → one id a row.
pub type Attempt = fn(&Tensor, f64, usize, f64, &mut dyn FnMut() -> f64) -> candle_core::Result<Vec<u32>>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// Draws of the case that is judged as a distribution.
const DRAWS: usize = 20_000;

/// Uniforms of a sweep, at the middle of as many equal parts of [0, 1).
const SWEEP: usize = 400;

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("sample-token", reference::sample_token as Attempt)
        .sampler(|attempt, logits, t, k, p, uniform| attempt(logits, t, k, p, uniform));
    golden_of(batch_cases(row_cases(mistakes_of(problem))))
}

/// One row a call.
fn row_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("nothing filtered", |attempt, case| swept(attempt, case, FIVE, 1.0, 0, 1.0))
        .case("top-p alone", |attempt, case| swept(attempt, case, FIVE, 1.0, 0, 0.65))
        .case("top-k alone", |attempt, case| swept(attempt, case, FIVE, 1.0, 3, 1.0))
        .case("top-k before top-p", |attempt, case| swept(attempt, case, FIVE, 1.0, 3, 0.8))
        .case("a cold temperature", |attempt, case| swept(attempt, case, FIVE, 0.5, 0, 1.0))
        .case("a hot temperature before top-p", |attempt, case| swept(attempt, case, FIVE, 2.0, 0, 0.75))
        .case("a cold temperature before top-p", |attempt, case| swept(attempt, case, FIVE, 0.4, 0, 0.9))
        .case("a mass that is reached exactly", |attempt, case| {
            swept_logits(attempt, case, &[1.0, 1.0, 1.0, 1.0], 1.0, 0, 0.5)
        })
        .case("a mass below the first token's", |attempt, case| swept(attempt, case, FIVE, 1.0, 0, 0.01))
        .case("a mass of zero", |attempt, case| swept(attempt, case, FIVE, 1.0, 0, 0.0))
        .case("ties at the k-th logit", |attempt, case| {
            swept_logits(attempt, case, &[0.5, 2.0, 0.5, -1.0, 0.5, 3.0], 1.0, 3, 1.0)
        })
        .case("k larger than the vocabulary", |attempt, case| swept(attempt, case, FIVE, 1.0, 50, 1.0))
        .case("k of one", |attempt, case| swept(attempt, case, FIVE, 3.0, 1, 1.0))
        .case("a vocabulary of one", |attempt, case| swept_logits(attempt, case, &[-2.5], 0.7, 3, 0.5))
        .case("logits that are all negative", |attempt, case| {
            swept_logits(attempt, case, &[-7.0, -3.0, -4.0, -3.5, -9.0, -2.5], 1.0, 4, 0.9)
        })
        .case("logits that are all positive", |attempt, case| {
            swept_logits(attempt, case, &[1.0, 6.0, 5.5, 2.0, 4.0, 3.0], 1.0, 5, 0.97)
        })
        .case("some tokens impossible", |attempt, case| {
            let low = f32::NEG_INFINITY;
            swept_logits(attempt, case, &[low, 1.0, low, 0.5, 2.0, low], 1.5, 0, 0.95)
        })
        .case("logits of ten thousand", |attempt, case| {
            swept_logits(attempt, case, &[-1e4, 9_999.0, 1e4, 0.0, 9_998.5], 1.0, 0, 0.99)
        })
        .case("a vocabulary of 97", |attempt, case| {
            let logits: Vec<f32> = (0..97).map(|_| (case.normal() * 2.0) as f32).collect();
            swept_logits(attempt, case, &logits, 0.8, 20, 0.9)
        })
        .case("uniforms at both ends", |attempt, case| {
            let logits = case.tensor("logits", &logs(FIVE), (1, 5))?;
            given(case, 1.0, 0, 0.65);
            // Tokens 1 and 3 are kept; the largest number below 1 is 1 − 2⁻⁵³.
            let uniforms = case.given("uniforms", [0.0, 0.57, 0.58, 1.0 - f64::EPSILON / 2.0]);
            let ids: Vec<u32> =
                uniforms.iter().map(|&u| one(attempt(&logits, 1.0, 0, 0.65, &mut || u)?)).collect::<Result<_>>()?;
            case.observe("ids", Value::ints(&ids));
            Ok(())
        })
}

/// Several rows a call.
fn batch_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("temperature zero", |attempt, case| {
            let data = [0.5, 2.0, 2.0, -1.0, 3.0, 1.0, 0.0, 3.0, -5.0, -2.0, -2.0, -3.0];
            let logits = case.tensor("logits", &data, (3, 4))?;
            drawn(attempt, case, &logits, 0.0, 2, 0.5, 0.9)?;
            drawn(attempt, case, &logits, 0.0, 0, 1.0, 0.9)
        })
        .case("a batch whose rows differ", |attempt, case| {
            let logits = case.randn_scaled("logits", (4, 6), 0.0, 2.0)?;
            drawn(attempt, case, &logits, 0.9, 3, 0.8, 0.37)?;
            drawn(attempt, case, &logits, 1.4, 0, 0.6, 0.81)?;
            drawn(attempt, case, &logits, 1.0, 2, 1.0, 0.58)
        })
        .case("inputs stay as they were", |attempt, case| {
            let logits = case.randn_scaled("logits", (2, 7), 0.0, 2.0)?;
            let before = logits.to_vec2::<f32>()?;
            drawn(attempt, case, &logits, 0.7, 4, 0.9, 0.33)?;
            case.observe("logits untouched", Value::Flag(logits.to_vec2::<f32>()? == before));
            Ok(())
        })
        .case("twenty thousand draws", |attempt, case| {
            let row = case.given("every row of logits: the logarithms of", FIVE);
            let logits = Tensor::from_vec(logs(row).repeat(DRAWS), (DRAWS, row.len()), case.device())?;
            given(case, 1.0, 4, 0.88);
            let (mut source, mut counts) = (case.source(), vec![0u64; row.len()]);
            for id in attempt(&logits, 1.0, 4, 0.88, &mut source)? {
                *counts.get_mut(id as usize).ok_or("an id outside the vocabulary")? += 1;
            }
            // Top-k leaves .40, .30, .15 and .10 of .95. Before the last of them are .895: it goes. Without top-k it would
            // have only .85 before it and stay.
            let probabilities = [0.0, 0.40, 0.0, 0.30, 0.15].map(|p| p / 0.85);
            case.observe("draws", Value::Draws { counts, probabilities: probabilities.to_vec() });
            Ok(())
        })
        .gpu_case("a vocabulary of 4096", large)
        .cost("16 rows of 4096", large)
}

/// Large, and yet no larger: candle's `cumsum` multiplies by a matrix of V × V, which is 10 GB for GPT-2's vocabulary,
/// and an accepted attempt must not end in that.
fn large(attempt: &Attempt, case: &mut Case) -> Result<()> {
    let logits = case.randn_scaled("logits", (16, 4096), 0.0, 3.0)?;
    drawn(attempt, case, &logits, 0.8, 50, 0.95, 0.43)
}

fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/sample-token.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let number = |key: &str| entry[key].as_f64().ok_or("a number");
            let logits = golden::tensor(&entry["logits"])?.unsqueeze(0)?;
            let (uniforms, ids) = (golden::floats(&entry["uniforms"])?, golden::ints(&entry["ids"])?);
            let (t, k, p) = (number("temperature")?, number("top_k")? as usize, number("top_p")?);
            let got: Vec<u32> =
                uniforms.iter().map(|&u| one(attempt(&logits, t, k, p, &mut || u)?)).collect::<Result<_>>()?;
            let what = format!("ids at temperature {t}, top-k {k}, top-p {p}");
            fixture.expect(&what, Value::Ints { shape: vec![ids.len()], data: ids }, Value::ints(&got));
        }
        Ok(())
    })
}

fn mistakes_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("common-code", "this is the code that goes round: temperature 0 becomes a division by 1e-8 and draws between ties, k above the vocabulary fails, a mass that is reached exactly keeps one token too many, and top-p is off at 0 instead of 1", mistakes::common)
        .mistake("one-past-the-boundary", "a token is removed only when the mass before it is more than p: when p is reached exactly, the set is one token larger than the smallest that reaches it", mistakes::one_past_the_boundary)
        .mistake("mask-not-shifted", "a token is removed when the mass up to and including it exceeds p: the one that crosses p goes too, and with a large first token nothing is left", mistakes::mask_not_shifted)
        .mistake("crossing-excluded", "the token whose mass crosses p is removed; the set must reach p, so it stays", mistakes::crossing_excluded)
        .mistake("scatter-forgotten", "the mask of the sorted row is applied to the unsorted one, so other tokens are removed", mistakes::scatter_forgotten)
        .mistake("gathered", "the sorted mask is brought back with gather where scatter is needed: that applies the permutation the wrong way round", mistakes::gathered)
        .mistake("rank-returned", "what is returned is the drawn token's place in the sorted row, not its id", mistakes::rank_returned)
        .mistake("temperature-multiplied", "the logits are multiplied by the temperature: hot becomes sharp and cold becomes flat", mistakes::temperature_multiplied)
        .mistake("temperature-ignored", "the temperature changes nothing (except at 0)", mistakes::temperature_ignored)
        .mistake("zero-temperature-divides", "temperature 0 becomes a division by a tiny number: it takes a uniform, and equal maxima are drawn between", mistakes::zero_temperature_divides)
        .mistake("draws-when-greedy", "temperature 0 takes a uniform although nothing is drawn, which shifts every later draw", mistakes::draws_when_greedy)
        .mistake("last-maximum", "of equal largest logits the last is taken at temperature 0 (as `max_by` does); asked for is the first", mistakes::last_maximum)
        .mistake("smallest-k", "top-k keeps the k smallest logits", mistakes::smallest_k)
        .mistake("one-too-few", "top-k keeps k − 1 tokens", mistakes::one_too_few)
        .mistake("k-not-clamped", "k above the vocabulary fails; it keeps everything", mistakes::k_not_clamped)
        .mistake("top-k-ignored", "top-k changes nothing", mistakes::top_k_ignored)
        .mistake("top-p-ignored", "top-p changes nothing", mistakes::top_p_ignored)
        .mistake("zero-for-removed", "removed logits become 0 instead of −inf: 0 is a probable logit", mistakes::zero_for_removed)
        .mistake("ascending", "the row is sorted from least to most probable before the masses are summed", mistakes::ascending)
        .mistake("sum-of-logits", "the cumulative sum runs over logits instead of probabilities", mistakes::sum_of_logits)
        .mistake("shared-threshold", "the first row's k-th logit is the threshold of the whole batch", mistakes::shared_threshold)
        .mistake("p-before-k", "top-p comes before top-k, or looks at masses that are not renormalised after top-k (candle's LogitsProcessor does that): p is a share of what top-k leaves", mistakes::p_before_k)
        .mistake("largest-removed", "the most probable token itself is removed by top-p", mistakes::largest_removed)
        .mistake("mutates-input", "the filtered logits are written into the tensor that was handed in: the caller's next use of it is filtered twice", mistakes::mutates)
        .mistake("argmax", "the most probable token is always taken", mistakes::argmax)
        .mistake("no-max", "exp is taken of the raw logits: without subtracting the maximum it overflows, and the probabilities become NaN", mistakes::no_max)
        .mistake("not-renormalised", "the kept tokens are drawn with the probabilities from before the filters: they do not sum to 1, and what is missing goes to the last token", mistakes::not_renormalised)
        .mistake("at-least-u", "the draw takes the first id whose cumulative probability is at least u: at u = 0 that is token 0, even if it was removed", mistakes::at_least_u)
        .mistake("even-among-kept", "every kept token is drawn equally often, whatever its probability", mistakes::even_among_kept)
        .mistake("one-draw-for-all", "one uniform serves the whole batch, so the rows are drawn together", mistakes::one_draw_for_all)
        .convention("temperature-last", "the temperature comes after the filters, as in llama.cpp: what is kept then does not depend on it. Asked for is temperature first", mistakes::temperature_last)
        .convention("exactly-k", "of logits that equal the k-th only the smaller ids stay, as in llama.cpp and candle; asked for is that all of them stay", mistakes::exactly_k)
        .convention("zero-p-is-off", "top-p 0 switches the filter off, as in candle; asked for is that it keeps the most probable token", mistakes::zero_p_is_off)
        .convention("rank-order", "the cumulative distribution runs from the most probable token down; asked for is the order of ids", mistakes::rank_order)
}

/// p = (.05, .40, .10, .30, .15).
const FIVE: &[f32] = &[0.05, 0.40, 0.10, 0.30, 0.15];

fn logs(probabilities: &[f32]) -> Vec<f32> {
    probabilities.iter().map(|p| p.ln()).collect()
}

fn swept(attempt: &Attempt, case: &mut Case, p: &[f32], t: f64, k: usize, top_p: f64) -> Result<()> {
    swept_logits(attempt, case, &logs(p), t, k, top_p)
}

/// Draws at every uniform of the sweep: how often each id comes out is its probability in steps of 1/400.
fn swept_logits(attempt: &Attempt, case: &mut Case, logits: &[f32], t: f64, k: usize, p: f64) -> Result<()> {
    let logits = case.tensor("logits", logits, (1, logits.len()))?;
    given(case, t, k, p);
    let mut counts = vec![0i64; logits.dim(1)?];
    let mut drawn = 0;
    for n in 0..SWEEP {
        let mut uniform = || {
            drawn += 1;
            (n as f64 + 0.5) / SWEEP as f64
        };
        let id = one(attempt(&logits, t, k, p, &mut uniform)?)? as usize;
        *counts.get_mut(id).ok_or("an id outside the vocabulary")? += 1;
    }
    case.observe("draws of each id in a sweep of 400 uniforms", Value::ints(&counts));
    case.observe("uniforms taken", Value::ints(&[drawn]));
    Ok(())
}

fn given(case: &mut Case, t: f64, k: usize, p: f64) {
    case.given("temperature", t);
    case.given("top_k", k);
    case.given("top_p", p);
}

/// One call for a whole batch, with uniforms that rise by an irrational step.
fn drawn(attempt: &Attempt, case: &mut Case, logits: &Tensor, t: f64, k: usize, p: f64, first: f64) -> Result<()> {
    given(case, t, k, p);
    let mut taken = 0;
    let mut uniform = || {
        taken += 1;
        (first + 0.618_034 * f64::from(taken - 1)).fract()
    };
    let ids = attempt(logits, t, k, p, &mut uniform)?;
    let name = |what: &str| format!("{what} at temperature {t}, top-k {k}, top-p {p}");
    case.observe(&name("ids"), Value::ints(&ids));
    case.observe(&name("uniforms taken"), Value::ints(&[taken]));
    Ok(())
}

fn one(ids: Vec<u32>) -> Result<u32> {
    match ids[..] {
        [id] => Ok(id),
        _ => Err(format!("{} ids for one row", ids.len()).into()),
    }
}
