//! Contrastive search. Witness: torch's cosine_similarity pair by pair, and normalised matrices, which must agree.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::{DType, Tensor};
use std::process::ExitCode;

/// logits (B, V), candidates (B, k) u32, hidden (B, k, D), context (B, T, D), mask (B, T) u32, α → scores (B, k), B ids.
pub type Attempt = fn(&Tensor, &Tensor, &Tensor, &Tensor, &Tensor, f64) -> candle_core::Result<(Tensor, Vec<u32>)>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("contrastive-search", reference::contrastive_search as Attempt);
    cases(of_choices(of_similarities(problem))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/contrastive-search.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let tensor = |key: &str| golden::tensor(&entry[key]);
                let ids = |key: &str| golden::tensor_as(&entry[key], DType::U32);
                let alpha = entry["alpha"].as_f64().ok_or("golden fixture: no alpha")?;
                let (logits, hidden, context) = (tensor("logits")?, tensor("hidden")?, tensor("context")?);
                let (scores, chosen) = attempt(&logits, &ids("candidates")?, &hidden, &context, &ids("mask")?, alpha)?;
                fixture.expect_tensor("scores", &entry["scores"], &scores, 1e-5)?;
                let want = golden::ints(&entry["chosen"])?;
                fixture.expect("chosen", Value::ints(&want), Value::ints(&chosen));
            }
            Ok(())
        },
    )
}

fn of_similarities(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("inner-product", "dot products are taken for similarities, as in the code that goes round: they grow with the lengths of the states and drown a probability of at most 1; divide by both lengths", mistakes::INNER_PRODUCT)
        .mistake("candidate-only-normalised", "only the candidate's state is divided by its length; the context's must be too", mistakes::CANDIDATE_ONLY_NORMALISED)
        .mistake("context-only-normalised", "only the context's states are divided by their lengths; the candidate's must be too", mistakes::CONTEXT_ONLY_NORMALISED)
        .mistake("squared-lengths", "the dot product is divided by the *squared* lengths: the root is missing", mistakes::SQUARED_LENGTHS)
        .mistake("over-positions", "the states are normalised over the positions, feature by feature; a vector's length runs over its features, the last axis", mistakes::OVER_POSITIONS)
        .mistake("absolute", "the absolute value of the cosine is taken: an opposite state is as unlike as can be, and must not be penalised", mistakes::ABSOLUTE)
        .mistake("not-below-zero", "the largest similarity is not let below 0; if all are negative the penalty is a bonus", mistakes::NOT_BELOW_ZERO)
        .mistake("zero-over-zero", "a vector of zeros gives 0/0 = NaN; its cosine is 0", mistakes::ZERO_OVER_ZERO)
        .mistake("mean", "the mean similarity is taken; one repeated state is enough for a repetition, so it is the maximum", mistakes::MEAN)
        .mistake("sum", "the similarities are summed: the penalty grows with the text; it is the maximum", mistakes::SUM)
        .mistake("minimum", "the smallest similarity is taken; it is the largest", mistakes::MINIMUM)
        .mistake("last-only", "only the last position of the text is compared; a repetition can go back to any of them", mistakes::LAST_ONLY)
        .mistake("padding-included", "the padding's states take part in the maximum", mistakes::PADDING_INCLUDED)
        .mistake("padding-as-zero", "the similarities of padding become 0 (multiplied by the mask): where the text's are all negative 0 wins the maximum; −inf never does", mistakes::PADDING_AS_ZERO)
        .mistake("mask-inverted", "the maximum runs over the padding, and the text is left out", mistakes::MASK_INVERTED)
        .mistake("itself-included", "the candidate's own state is among those it is compared with: every penalty is 1, and the search is greedy", mistakes::ITSELF_INCLUDED)
        .mistake("first-context-for-all", "the first row's text is used for the whole batch", mistakes::FIRST_CONTEXT)
}

fn of_choices(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("raw-logits", "the logit stands where the probability belongs: it is not bounded by 1, and the similarity no longer matters", mistakes::RAW_LOGITS)
        .mistake("log-probabilities", "the log-probability stands where the probability belongs", mistakes::LOG_PROBABILITIES)
        .mistake("softmax-over-candidates", "the softmax runs over the k candidates only, which makes all of them more probable; it runs over the vocabulary", mistakes::OVER_CANDIDATES)
        .mistake("probability-by-place", "the i-th candidate gets the probability of token i; its id has to be looked up", mistakes::PROBABILITY_BY_PLACE)
        .mistake("alpha-swapped", "α weighs the probability and 1 − α the penalty; it is the other way round", mistakes::ALPHA_SWAPPED)
        .mistake("similarity-added", "the similarity is added: repetition is rewarded", mistakes::SIMILARITY_ADDED)
        .mistake("probability-unweighted", "the probability is not multiplied by 1 − α", mistakes::PROBABILITY_UNWEIGHTED)
        .mistake("penalty-unweighted", "the similarity is not multiplied by α", mistakes::PENALTY_UNWEIGHTED)
        .mistake("multiplied", "the probability is multiplied by 1 − α · similarity; probability and penalty are weighed and subtracted", mistakes::MULTIPLIED)
        .mistake("lowest", "the candidate of the lowest score is chosen", mistakes::LOWEST)
        .mistake("most-probable", "the most probable candidate is chosen, whatever the scores say", mistakes::MOST_PROBABLE)
        .mistake("place-returned", "the chosen candidate's place among the k is returned; its id is asked for", mistakes::PLACE_RETURNED)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("three candidates, by hand", |attempt, case| small(attempt, case, &[2., 1., 0.], 0.6))
        .case("alpha of zero", |attempt, case| small(attempt, case, &[-1., 2., 0.5], 0.0))
        .case("alpha of one", |attempt, case| small(attempt, case, &[0.5, -1., 3.], 1.0))
        .case("every axis of another size", |attempt, case| sized(attempt, case, [2, 11, 3, 5, 4], 1.0, 0.4))
        .case("as many candidates as positions and features", |attempt, case| {
            sized(attempt, case, [4, 9, 4, 4, 4], 1.0, 0.7)
        })
        .case("hidden states a thousand times as long", |attempt, case| sized(attempt, case, [2, 8, 4, 6, 3], 1e3, 0.6))
        .case("hidden states a thousandth as long", |attempt, case| sized(attempt, case, [2, 8, 4, 6, 3], 1e-3, 0.6))
        .case("padding before and inside the text", |attempt, case| {
            let ids = case.ids("candidates", &[6, 0, 3, 2, 5, 1], (2, 3))?;
            let mask = case.ids("mask", &[0, 0, 1, 1, 1, 1, 0, 0, 1, 0], (2, 5))?;
            let logits = case.randn("logits", (2, 7))?;
            let (hidden, context) = (case.randn("hidden", (2, 3, 4))?, case.randn("context", (2, 5, 4))?);
            scored(attempt, case, [&logits, &ids, &hidden, &context, &mask], 0.55)
        })
        .case("a text that is opposite to every candidate", |attempt, case| {
            let ids = case.ids("candidates", &[1, 3], (1, 2))?;
            let mask = case.ids("mask", &[0, 1, 1], (1, 3))?;
            let logits = case.tensor("logits", &[0.2, 0.1, -2., 0.4], (1, 4))?;
            let hidden = case.tensor("hidden", &[0., -2., 1., -3.], (1, 2, 2))?;
            let context = case.tensor("context", &[1., -1., 0., 1., -0.5, 2.], (1, 3, 2))?;
            scored(attempt, case, [&logits, &ids, &hidden, &context, &mask], 0.5)
        })
        .case("vectors of zeros", |attempt, case| {
            let ids = case.ids("candidates", &[2, 0, 4], (1, 3))?;
            let mask = case.ids("mask", &[1, 1, 1], (1, 3))?;
            let logits = case.tensor("logits", &[1., 0., 1.5, -1., 0.25], (1, 5))?;
            let hidden = case.tensor("hidden", &[0., 0., -1., -2., 3., 1.], (1, 3, 2))?;
            let context = case.tensor("context", &[2., 1., 0., 0., 1., 3.], (1, 3, 2))?;
            scored(attempt, case, [&logits, &ids, &hidden, &context, &mask], 0.3)
        })
        .case("logits of ten thousand, and an impossible token", |attempt, case| {
            let ids = case.ids("candidates", &[3, 1, 0], (1, 3))?;
            let mask = case.ids("mask", &[1, 1], (1, 2))?;
            let logits = case.tensor("logits", &[9_998., 9_999., f32::NEG_INFINITY, 1e4, -1e4], (1, 5))?;
            let (hidden, context) = (case.randn("hidden", (1, 3, 3))?, case.randn("context", (1, 2, 3))?);
            scored(attempt, case, [&logits, &ids, &hidden, &context, &mask], 0.45)
        })
        .case("one candidate, one position, one feature", |attempt, case| {
            let (ids, mask) = (case.ids("candidates", &[1], (1, 1))?, case.ids("mask", &[1], (1, 1))?);
            let logits = case.tensor("logits", &[0.5, 1.], (1, 2))?;
            let (hidden, context) =
                (case.tensor("hidden", &[-2.], (1, 1, 1))?, case.tensor("context", &[3.], (1, 1, 1))?);
            scored(attempt, case, [&logits, &ids, &hidden, &context, &mask], 0.25)
        })
        .gpu_case(LARGE, large)
        .cost("2 rows, 8 candidates, 255 positions of 256", |attempt, case| {
            sized(attempt, case, [2, 4096, 8, 255, 256], 1.0, 0.6)
        })
}

const LARGE: &str = "4 rows, 8 candidates, 511 positions of 1024";

fn large(attempt: &Attempt, case: &mut Case) -> Result<()> {
    sized(attempt, case, [4, 32_000, 8, 511, 1024], 1.0, 0.6)
}

/// The example of the statement, with these logits of three tokens.
fn small(attempt: &Attempt, case: &mut Case, logits: &[f32; 3], alpha: f64) -> Result<()> {
    let (ids, mask) = (case.ids("candidates", &[0, 1, 2], (1, 3))?, case.ids("mask", &[1, 1], (1, 2))?);
    let logits = case.tensor("logits", logits, (1, 3))?;
    let hidden = case.tensor("hidden", &[2., 0., 0., 3., 1., 1.], (1, 3, 2))?;
    let context = case.tensor("context", &[4., 0., 1., 1.], (1, 2, 2))?;
    scored(attempt, case, [&logits, &ids, &hidden, &context, &mask], alpha)
}

/// Random input for B, V, k, T, D, states of standard deviation `scale`, and padding on the left of all rows but the first.
fn sized(attempt: &Attempt, case: &mut Case, [b, v, k, t, d]: [usize; 5], scale: f64, alpha: f64) -> Result<()> {
    let mut ids = Vec::with_capacity(b * k);
    for _ in 0..b {
        // Different ids in no order.
        let start = case.int(0..v as i64) as usize;
        ids.extend((0..k).map(|at| ((start + at * step(v)) % v) as u32));
    }
    let padding = |row: usize| (row * 2).max(row * t / 5).min(t - 1);
    let mask: Vec<u32> = (0..b).flat_map(|row| (0..t).map(move |at| u32::from(at >= padding(row)))).collect();
    let (ids, mask) = (case.ids("candidates", &ids, (b, k))?, case.ids("mask", &mask, (b, t))?);
    let logits = case.randn("logits", (b, v))?;
    let hidden = case.randn_scaled("hidden", (b, k, d), 0.0, scale)?;
    let context = case.randn_scaled("context", (b, t, d), 0.0, scale)?;
    scored(attempt, case, [&logits, &ids, &hidden, &context, &mask], alpha)
}

/// A step through 0 … v − 1 that meets every number: it shares no divisor with v.
fn step(v: usize) -> usize {
    let shares = |step: usize| (2..=step).any(|d| step.is_multiple_of(d) && v.is_multiple_of(d));
    (v / 3 + 1..).find(|&step| !shares(step)).unwrap_or(1)
}

fn scored(
    attempt: &Attempt,
    case: &mut Case,
    [logits, ids, hidden, context, mask]: [&Tensor; 5],
    alpha: f64,
) -> Result<()> {
    let alpha = case.given("alpha", alpha);
    let (scores, chosen) = attempt(logits, ids, hidden, context, mask, alpha)?;
    case.observe_tensor("scores", &scores)?;
    case.observe("chosen ids", Value::ints(&chosen));
    Ok(())
}
