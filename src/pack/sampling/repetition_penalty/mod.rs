//! Repetition penalty. Witness: transformers' RepetitionPenaltyLogitsProcessor.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::Tensor;
use std::process::ExitCode;

/// logits (B, V) f32, the ids that each row has seen (B lists), θ → (B, V) f32.
pub type Attempt = fn(&Tensor, &[Vec<u32>], f64) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("repetition-penalty", reference::repetition_penalty as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/repetition-penalty.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let lists = entry["context"].as_array().ok_or("golden fixture: no context")?;
                let context = lists.iter().map(ids).collect::<Result<Vec<Vec<u32>>>>()?;
                let penalty = entry["penalty"].as_f64().ok_or("golden fixture: no penalty")?;
                let output = attempt(&golden::tensor(&entry["logits"])?, &context, penalty)?;
                fixture.expect_tensor("output", &entry["output"], &output, 1e-6)?;
            }
            Ok(())
        },
    )
}

fn ids(json: &serde_json::Value) -> Result<Vec<u32>> {
    Ok(golden::ints(json)?.into_iter().map(|id| id as u32).collect())
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("always-divides", "every seen logit is divided by θ, as the CTRL paper's formula has it: a negative logit comes nearer to zero, so the repetition is rewarded; multiply where the logit is not positive", mistakes::always_divides)
        .mistake("always-multiplies", "every seen logit is multiplied by θ: a positive one grows, so the repetition is rewarded; divide where the logit is positive", mistakes::always_multiplies)
        .mistake("negative-only", "only negative logits are penalised; a positive one is to be divided by θ", mistakes::negative_only)
        .mistake("positive-only", "only positive logits are penalised; a negative one is to be multiplied by θ", mistakes::positive_only)
        .mistake("branches-swapped", "positive logits are multiplied and negative ones divided: with θ > 1 every repetition is rewarded", mistakes::branches_swapped)
        .mistake("subtracts", "θ is subtracted from the logit: that is a presence penalty; this one scales", mistakes::subtracts)
        .mistake("per-occurrence", "the penalty is applied once for every occurrence, θⁿ in all; it is once for every distinct id", mistakes::per_occurrence)
        .mistake("dedup-unsorted", "`dedup` was called on an unsorted list: it removes neighbouring duplicates only, and an id that comes back later is penalised again", mistakes::dedup_unsorted)
        .mistake("difference-added", "the difference between new and old logit is added once for every occurrence (a scatter-add over ids with duplicates); it must be once for every distinct id", mistakes::difference_added)
        .mistake("unseen-penalised", "the ids that are *not* in the context are penalised: the condition is inverted", mistakes::unseen)
        .mistake("everything-penalised", "all logits are penalised, whether or not their id has occurred", mistakes::everything)
        .mistake("newest-only", "only the newest token is penalised; it is every token of the context", mistakes::newest_only)
        .mistake("first-context-for-all", "the first row's context is used for the whole batch; each row has its own", mistakes::first_context_for_all)
        .mistake("contexts-joined", "the contexts of all rows are thrown together: a row is penalised for what another one said", mistakes::contexts_joined)
        .mistake("mutates-input", "the penalised logits are written into the tensor that was handed in: whoever uses it next (log-probabilities, another processor) has them penalised", mistakes::mutates)
        .mistake("probabilities-scaled", "the probabilities are divided by θ and normalised again, which subtracts ln θ from every seen logit alike; the logits themselves are scaled", mistakes::probabilities)
        .convention("log-probabilities", "the penalty acts on log-softmax scores, which are never positive, so everything seen is multiplied: transformers' beam search does that; asked for is the rule for logits, as in sampling", mistakes::log_probabilities)
        .convention("last-64", "only the last 64 tokens are looked at, as llama.cpp does by default; asked for is the whole context", mistakes::last_64)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("six tokens, by hand", |attempt, case| {
            let logits = case.tensor("logits", &[2., -1., 0.5, 0., -3., 1.], (1, 6))?;
            penalised(attempt, case, &logits, &[&[1, 4, 4, 0, 3]], 1.5)
        })
        .case("a penalty below one", |attempt, case| {
            let logits = case.tensor("logits", &[4., -2., 1., -0.5], (1, 4))?;
            penalised(attempt, case, &logits, &[&[1, 0]], 0.5)
        })
        .case("three rows that have seen different things", |attempt, case| {
            let logits = case.randn_scaled("logits", (3, 7), 0.0, 2.0)?;
            penalised(attempt, case, &logits, &[&[6, 0, 2, 2], &[5], &[1, 3, 1, 4, 3, 1, 0, 4, 6]], 1.3)
        })
        .case("an id that comes back later", |attempt, case| {
            let logits = case.tensor("logits", &[-0.5, 3., -2., 1.5, 0.25], (1, 5))?;
            penalised(attempt, case, &logits, &[&[1, 2, 1, 1, 2, 3, 1]], 1.2)
        })
        .case("one row has seen nothing", |attempt, case| {
            let logits = case.randn("logits", (3, 5))?;
            penalised(attempt, case, &logits, &[&[4, 1], &[], &[0, 0, 3]], 2.0)
        })
        .case("nothing was seen at all", |attempt, case| {
            let logits = case.randn("logits", (2, 4))?;
            penalised(attempt, case, &logits, &[&[], &[]], 1.7)
        })
        .case("a penalty of one", |attempt, case| {
            let logits = case.randn("logits", (2, 6))?;
            penalised(attempt, case, &logits, &[&[0, 1, 2], &[3, 5, 3]], 1.0)
        })
        .case("impossible tokens and logits of ten thousand", |attempt, case| {
            let low = f32::NEG_INFINITY;
            let logits = case.tensor("logits", &[low, 1e4, -1e4, low, 0., 1e4, -1e4], (1, 7))?;
            penalised(attempt, case, &logits, &[&[0, 1, 2, 4]], 1.25)
        })
        .case("the whole vocabulary was seen", |attempt, case| {
            let logits = case.tensor("logits", &[-7., -3., 4., -0.1, 0.1], (1, 5))?;
            penalised(attempt, case, &logits, &[&[4, 3, 2, 1, 0]], 3.0)
        })
        .case("a vocabulary of one", |attempt, case| {
            let logits = case.tensor("logits", &[-2.5, 2.5], (2, 1))?;
            penalised(attempt, case, &logits, &[&[0], &[0, 0]], 1.1)
        })
        .case("a context of two hundred tokens", |attempt, case| {
            let logits = case.randn_scaled("logits", (2, 97), -1.0, 3.0)?;
            let context = [random_ids(case, 200, 97), random_ids(case, 31, 97)];
            penalised(attempt, case, &logits, &[&context[0], &context[1]], 1.15)
        })
        .case("a transposed view", |attempt, case| {
            let logits = case.randn("logits, before t()", (5, 2))?.t()?;
            penalised(attempt, case, &logits, &[&[2, 4, 2], &[1]], 1.4)
        })
        .case("inputs stay as they were", |attempt, case| {
            let logits = case.randn("logits", (2, 7))?;
            let before = logits.to_vec2::<f32>()?;
            penalised(attempt, case, &logits, &[&[3, 1, 6], &[2, 2]], 1.6)?;
            case.observe("logits untouched", Value::Flag(logits.to_vec2::<f32>()? == before));
            Ok(())
        })
        .gpu_case("16 rows of 128256, contexts of up to 4096", |attempt, case| large(attempt, case, 16, 128_256, 4096))
        .cost("2 rows of 50257, contexts of up to 4096", |attempt, case| large(attempt, case, 2, 50_257, 4096))
}

fn large(attempt: &Attempt, case: &mut Case, b: usize, v: usize, longest: usize) -> Result<()> {
    let logits = case.randn_scaled("logits", (b, v), 0.0, 3.0)?;
    let context: Vec<Vec<u32>> = (1..=b).map(|row| random_ids(case, longest * row / b, v)).collect();
    case.given("context", "as many ids for each row, up to the longest in the last one");
    case.given("penalty", 1.1);
    case.observe_tensor("output", &attempt(&logits, &context, 1.1)?)
}

fn random_ids(case: &mut Case, length: usize, v: usize) -> Vec<u32> {
    (0..length).map(|_| case.int(0..v as i64) as u32).collect()
}

fn penalised(attempt: &Attempt, case: &mut Case, logits: &Tensor, context: &[&[u32]], penalty: f64) -> Result<()> {
    let context: Vec<Vec<u32>> = case.given("context", context.iter().map(|ids| ids.to_vec()).collect());
    let penalty = case.given("penalty", penalty);
    case.observe_tensor("output", &attempt(logits, &context, penalty)?)
}
