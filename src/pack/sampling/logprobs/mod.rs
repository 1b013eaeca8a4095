//! Log-probabilities as an API returns them. Witness: torch.nn.functional.log_softmax with a stable sort.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::{DType, Tensor};
use std::process::ExitCode;

/// What is said of one token.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenLogprobs {
    /// Its log-probability (natural logarithm).
    pub logprob: f32,
    /// Its place by falling logit, from 1; of equal logits the smaller id comes first.
    pub rank: usize,
    /// The most probable ids with their log-probabilities, the token itself among them or behind them.
    pub top: Vec<(u32, f32)>,
}

/// Both functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// V logits, a token, how many alternatives → what is said of it.
    pub token_logprobs: fn(&[f32], u32, usize) -> TokenLogprobs,
    /// P rows of V logits, P tokens, how many alternatives → one entry for each token.
    pub prompt_logprobs: fn(&[Vec<f32>], &[u32], usize) -> Vec<Option<TokenLogprobs>>,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { token_logprobs: reference::token_logprobs, prompt_logprobs: reference::prompt_logprobs };
    golden_of(prompt_cases(token_cases(known(Problem::new("logprobs", reference)))))
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("log-of-softmax", "the logarithm is taken of a softmax: a token far below the best has probability 0 in f32, and ln 0 is −inf; subtract the log-sum from the logit", mistakes::LOG_OF_SOFTMAX)
        .mistake("no-max", "exp is taken of the raw logits: it overflows to infinity (or all of it underflows to 0); subtract the maximum first", mistakes::NO_MAX)
        .mistake("raw-logits", "the logits are returned as they are: nothing is normalised", mistakes::RAW_LOGITS)
        .mistake("probabilities", "probabilities are returned; their logarithms are asked for", mistakes::PROBABILITIES)
        .mistake("binary-logarithm", "the logarithm is binary; the natural one is asked for", mistakes::BINARY_LOGARITHM)
        .mistake("normalised-over-top", "the sum runs over the listed tokens only, so that they seem to have all the mass; it runs over the whole vocabulary", mistakes::NORMALISED_OVER_TOP)
        .mistake("token-not-listed", "the list holds the n most probable tokens only; the token that was chosen must be in it, whatever its rank", mistakes::NOT_LISTED)
        .mistake("token-listed-twice", "the token is added even if it is among the n most probable already", mistakes::LISTED_TWICE)
        .mistake("token-replaces-last", "the token takes the place of the n-th most probable one; it is added behind it", mistakes::REPLACES_LAST)
        .mistake("top-not-clamped", "more alternatives than there are tokens are asked for, and the slice panics", mistakes::NOT_CLAMPED)
        .mistake("ascending", "the order is from least to most probable", mistakes::ASCENDING)
        .mistake("list-by-id", "the alternatives are sorted by id; the most probable comes first", mistakes::LIST_BY_ID)
        .mistake("larger-id-first", "of equal logits the larger id comes first; it is the smaller", mistakes::LARGER_ID_FIRST)
        .mistake("rank-from-zero", "ranks begin with 0; the most probable token has rank 1", mistakes::RANK_FROM_ZERO)
        .mistake("rank-in-list", "the rank is the token's place in the returned list; behind the n most probable that says nothing: it is the place in the whole vocabulary", mistakes::RANK_IN_LIST)
        .mistake("rank-best-of-equals", "the rank is one more than the number of larger logits, so that equals share the best place; here the smaller id comes first", mistakes::RANK_BEST_OF_EQUALS)
        .mistake("not-shifted", "row t scores token t, which it has already read, and the first token gets a score; row t scores token t + 1", mistakes::NOT_SHIFTED)
        .mistake("not-shifted-first-cleared", "the first entry is None as it should be, but row t scores token t, which it has already read; token t belongs to row t − 1", mistakes::NOT_SHIFTED_FIRST_CLEARED)
        .mistake("entries-shifted", "row t scores token t + 1 as it should, but the score is entered at t: every entry stands one place too early, and the None at the end", mistakes::ENTRIES_SHIFTED)
        .mistake("first-dropped", "the first token has no entry at all; it has one, None, so that entries and tokens stay in step", mistakes::FIRST_DROPPED)
        .convention("token-first", "the token comes first and the others behind it, as in vLLM's table of the sampler; asked for is the order of rank, the token at the end if it is not among the first", mistakes::TOKEN_FIRST)
        .convention("rank-worst-of-equals", "the rank is the number of logits that are at least as large, as in vLLM, so that equals share the worst place; here the smaller id comes first", mistakes::RANK_WORST_OF_EQUALS)
}

fn token_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("four tokens, by hand", |attempt, case| one(attempt, case, &[2., 1., 0., -1.], 2, 2))
        .case("the token is the best", |attempt, case| one(attempt, case, &[-1., 0.5, 3., 2.], 2, 3))
        .case("the token is the n-th", |attempt, case| one(attempt, case, &[0.25, -2., 1.5, 0.75, -0.5], 0, 3))
        .case("the token comes right after the n-th", |attempt, case| {
            one(attempt, case, &[0.25, -2., 1.5, 0.75, -0.5], 4, 3)
        })
        .case("no alternatives", |attempt, case| one(attempt, case, &[1., -0.5, 2., 0.], 1, 0))
        .case("more alternatives than tokens", |attempt, case| one(attempt, case, &[0.5, -1., 2.], 1, 20))
        .case("exactly as many alternatives as tokens", |attempt, case| one(attempt, case, &[0.5, -1., 2.], 1, 3))
        .case("equal logits", |attempt, case| one(attempt, case, &[1., 3., 0., 3., -2., 3., 3.], 3, 2))
        .case("equal logits at the edge of the list", |attempt, case| {
            one(attempt, case, &[1., 0., 1., 4., 1., 1., -1.], 4, 2)
        })
        .case("logits that are all equal", |attempt, case| one(attempt, case, &[-0.75; 6], 4, 3))
        .case("a token two hundred below the best", |attempt, case| {
            one(attempt, case, &[3., -197., 2.5, -60., -120.], 1, 4)
        })
        .case("logits of ten thousand", |attempt, case| one(attempt, case, &[9_999., -1e4, 1e4, 0., 9_998.5], 4, 5))
        .case("logits that are all below minus one thousand", |attempt, case| {
            one(attempt, case, &[-1_003., -1_000.5, -1_001., -9_000.], 2, 4)
        })
        .case("impossible tokens", |attempt, case| {
            let low = f32::NEG_INFINITY;
            one(attempt, case, &[low, 1., low, 0.5, 2.], 3, 4)?;
            one(attempt, case, &[0.5, low, 1.], 1, 1)
        })
        .case("a vocabulary of one", |attempt, case| one(attempt, case, &[-2.5], 0, 1))
        .case("a vocabulary of 97", |attempt, case| {
            let logits: Vec<f32> = (0..97).map(|_| (case.normal() * 2.0 - 1.0) as f32).collect();
            one(attempt, case, &logits, 61, 12)
        })
}

fn prompt_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("a prompt of two, by hand", |attempt, case| {
            whole(attempt, case, &[vec![0., 0.], vec![5., 0.]], &[1, 0], 1)
        })
        .case("a prompt of three", |attempt, case| {
            let rows = [vec![2., 1., 0., -1.], vec![0., 3., -1., 1.], vec![-2., 0., 4., 0.5]];
            whole(attempt, case, &rows, &[3, 2, 0], 2)
        })
        .case("a prompt of one token", |attempt, case| whole(attempt, case, &[vec![0.5, 1., -1.]], &[2], 2))
        .case("a prompt that says one thing again and again", |attempt, case| {
            let rows = random_rows(case, 4, 5);
            whole(attempt, case, &rows, &[4, 4, 4, 4], 1)
        })
        .case("a prompt without alternatives", |attempt, case| {
            let rows = random_rows(case, 5, 3);
            whole(attempt, case, &rows, &[1, 2, 0, 0, 2], 0)
        })
        .case("a prompt of nine out of 31 tokens", |attempt, case| {
            let rows = random_rows(case, 9, 31);
            let ids: Vec<u32> = (0..9).map(|_| case.int(0..31) as u32).collect();
            whole(attempt, case, &rows, &ids, 4)
        })
        .cost("a prompt of 6 out of 32768 tokens, 5 alternatives", |attempt, case| {
            let rows = random_rows(case, 6, 32_768);
            let ids: Vec<u32> = (0..6).map(|_| case.int(0..32_768) as u32).collect();
            observe(case, "", &(attempt.prompt_logprobs)(&rows, &ids, 5))
        })
}

fn random_rows(case: &mut Case, rows: usize, v: usize) -> Vec<Vec<f32>> {
    (0..rows).map(|_| (0..v).map(|_| (case.normal() * 2.0) as f32).collect()).collect()
}

/// One call of the first function. Within a case, calls are told apart by their token.
fn one(attempt: &Attempt, case: &mut Case, logits: &[f32], token: u32, top: usize) -> Result<()> {
    let shape = logits.len();
    case.tensor("logits", logits, shape)?;
    let (token, top) = (case.given("token", token), case.given("top", top));
    let said = (attempt.token_logprobs)(logits, token, top);
    observe(case, &format!(" of token {token}"), &[Some(said)])
}

fn whole(attempt: &Attempt, case: &mut Case, logits: &[Vec<f32>], prompt: &[u32], top: usize) -> Result<()> {
    case.tensor("logits", &logits.concat(), (logits.len(), logits[0].len()))?;
    let (prompt, top) = (case.given("prompt", prompt), case.given("top", top));
    observe(case, "", &(attempt.prompt_logprobs)(logits, prompt, top))
}

/// Ranks and ids as text, one line for each entry, and all log-probabilities in one list: each entry's own, then its
/// alternatives'.
fn observe(case: &mut Case, name: &str, entries: &[Option<TokenLogprobs>]) -> Result<()> {
    case.observe(&format!("rank and listed ids{name}"), Value::text(&lines(entries)));
    let values = values(entries);
    let shape = values.len();
    case.observe_tensor(
        &format!("log-probabilities{name}"),
        &Tensor::from_vec(values, shape, &candle_core::Device::Cpu)?,
    )
}

fn lines(entries: &[Option<TokenLogprobs>]) -> Vec<String> {
    let line = |entry: &Option<TokenLogprobs>| match entry {
        None => "None".to_owned(),
        Some(said) => format!("rank {}: {:?}", said.rank, said.top.iter().map(|(id, _)| id).collect::<Vec<_>>()),
    };
    entries.iter().map(line).collect()
}

fn values(entries: &[Option<TokenLogprobs>]) -> Vec<f32> {
    let mut values = Vec::new();
    for said in entries.iter().flatten() {
        values.push(said.logprob);
        values.extend(said.top.iter().map(|(_, logprob)| *logprob));
    }
    values
}

fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/logprobs.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let logits = golden::tensor(&entry["logits"])?.to_vec2::<f32>()?;
            let prompt: Vec<u32> = golden::ints(&entry["prompt"])?.into_iter().map(|id| id as u32).collect();
            let top = entry["top"].as_u64().ok_or("golden fixture: no top")? as usize;
            let said = (attempt.prompt_logprobs)(&logits, &prompt, top);
            let want: Vec<String> = serde_json::from_value(entry["lines"].clone()).map_err(|e| e.to_string())?;
            fixture.expect("rank and listed ids", Value::text(&want), Value::text(&lines(&said)));
            let got = values(&said);
            let got = Tensor::from_slice(&got, got.len(), &candle_core::Device::Cpu)?.to_dtype(DType::F32)?;
            fixture.expect_tensor("log-probabilities", &entry["values"], &got, 1e-6)?;
        }
        Ok(())
    })
}
