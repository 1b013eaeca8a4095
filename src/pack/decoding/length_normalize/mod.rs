//! Length normalisation. Witness: transformers' BeamHypotheses.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Golden, Problem, Result, Tolerance, Value, golden};
use candle_core::DType;
use std::process::ExitCode;

/// Sums of log-probabilities (N), lengths with the prompt (N), prompt length, α → scores (N).
pub type Attempt = fn(&[f64], &[usize], usize, f64) -> Vec<f64>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("length-normalize", reference::length_normalize as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/length-normalize.json")),
        |attempt, fixture| fixture.entries("cases")?.iter().try_for_each(|entry| compare(attempt, fixture, entry)),
    )
}

fn compare(attempt: &Attempt, fixture: &mut Golden, entry: &serde_json::Value) -> Result<()> {
    let lengths: Vec<usize> = golden::ints(&entry["lengths"])?.into_iter().map(|n| n as usize).collect();
    let prompt_len = entry["prompt_len"].as_u64().ok_or("golden fixture: no prompt_len")? as usize;
    let alpha = entry["alpha"].as_f64().ok_or("golden fixture: no alpha")?;
    let got = attempt(&golden::floats(&entry["log_probs"])?, &lengths, prompt_len, alpha);
    // Stored with nine digits.
    fixture.expect("scores", floats(golden::floats(&entry["scores"])?, 1e-8), floats(got, 1e-8));
    Ok(())
}

fn floats(data: Vec<f64>, rtol: f64) -> Value {
    Value::Tensor { dtype: DType::F64, shape: vec![data.len()], data, tolerance: Tolerance::relative(rtol) }
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("mean", "the score is the mean log-probability whatever α is: the length is not raised to it", mistakes::mean)
        .mistake("not-normalised", "the score is the sum as it is: α is ignored", mistakes::not_normalised)
        .mistake("fixed-alpha", "α is always .6", mistakes::fixed_alpha)
        .mistake("alpha-truncated", "α loses what stands behind the point: `powi` takes whole exponents, `powf` is needed", mistakes::alpha_truncated)
        .mistake("alpha-times-length", "the sum is divided by α·L; it is L to the power of α (with α = 0 this divides by zero)", mistakes::alpha_times_length)
        .mistake("power-of-the-mean", "the quotient is raised to α and not the length: a negative number to a broken power is NaN", mistakes::power_of_the_mean)
        .mistake("multiplied", "the sum is multiplied by L^α: long hypotheses are punished twice", mistakes::multiplied)
        .mistake("log-length", "the logarithm of the length is raised to α; it is the length itself (a single token would divide by zero)", mistakes::log_length)
        .mistake("sign-lost", "the score is positive: the best hypothesis becomes the worst", mistakes::sign_lost)
        .mistake("exponentiated", "the score is turned back into a probability; the ranking is the same, but asked for is the logarithm", mistakes::exponentiated)
        .mistake("prompt-counted", "the prompt's tokens are counted: the longer the prompt, the less the length of the answer matters (vLLM's beam search does so, and transformers once did)", mistakes::prompt_counted)
        .mistake("one-token-less", "one generated token, the first or the EOS (as in vLLM), is not counted although its log-probability is in the sum", mistakes::one_token_less)
        .mistake("zero-length", "where nothing was generated the sum is divided by zero", mistakes::zero_length)
        .convention("gnmt", "the divisor is ((5 + L)/6)^α, as in Google's translation system (Wu et al. 2016, eq. 14): softer for short outputs. Asked for is L^α", mistakes::gnmt)
        .convention("length-reward", "α is added for every token, as in some speech and translation systems; asked for is a division by L^α", mistakes::length_reward)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("five tokens, α = .6", |attempt, case| judged(attempt, case, &[-10.0], &[5], 0, 0.6))
        .case("sixteen tokens, α = 1", |attempt, case| judged(attempt, case, &[-8.0], &[16], 0, 1.0))
        .case("α = 0 keeps the sums", |attempt, case| judged(attempt, case, &[-3.0, -7.5, -0.25], &[9, 30, 4], 3, 0.0))
        .case("a longer one overtakes", |attempt, case| judged(attempt, case, &[-6.0, -7.5], &[7, 12], 3, 0.5))
        .case("a prompt of 900 tokens", |attempt, case| {
            judged(attempt, case, &[-40.0, -41.0, -2.0], &[910, 913, 901], 900, 0.8)
        })
        .case("one token, and none", |attempt, case| {
            judged(attempt, case, &[-2.0, 0.0, -1.5, -0.5], &[5, 4, 4, 6], 4, 0.7)
        })
        .case("none, and a negative α", |attempt, case| judged(attempt, case, &[0.0, -3.0], &[2, 5], 2, -1.0))
        .case("α above 1", |attempt, case| judged(attempt, case, &[-12.0, -30.0, -55.0], &[14, 31, 60], 2, 2.5))
        .case("a certain hypothesis, and an impossible one", |attempt, case| {
            judged(attempt, case, &[0.0, f64::NEG_INFINITY, -1e-9, -1.0], &[6, 6, 8, 3], 2, 0.9)
        })
        .case("a hundred thousand tokens", |attempt, case| {
            judged(attempt, case, &[-250_000.0, -260_000.5], &[100_000, 131_072], 17, 0.65)
        })
        .case("no hypotheses", |attempt, case| judged(attempt, case, &[], &[], 3, 1.0))
        .case("random ones, twelve values of α", |attempt, case| {
            for alpha in [0.0, 0.1, 0.35, 0.6, 0.65, 0.8, 1.0, 1.2, 1.5, 2.0, -0.4, -1.0] {
                let prompt_len = case.int(0..50) as usize;
                let (log_probs, lengths) = hypotheses(case, 7, prompt_len);
                let scores = attempt(&log_probs, &lengths, prompt_len, alpha);
                case.given(
                    &format!("log_probs, lengths, prompt_len for α = {alpha}"),
                    (&log_probs, &lengths, prompt_len),
                );
                case.observe(&format!("scores for α = {alpha}"), floats(scores, 1e-9));
            }
            Ok(())
        })
        .cost("200 000 hypotheses", |attempt, case| {
            let (log_probs, lengths) = hypotheses(case, 200_000, 12);
            case.observe("scores", floats(attempt(&log_probs, &lengths, 12, 0.6), 1e-9));
            Ok(())
        })
}

fn judged(
    attempt: &Attempt,
    case: &mut Case,
    log_probs: &[f64],
    lengths: &[usize],
    prompt_len: usize,
    alpha: f64,
) -> Result<()> {
    case.given("log_probs", log_probs);
    case.given("lengths", lengths);
    case.given("prompt_len", prompt_len);
    case.given("alpha", alpha);
    case.observe("scores", floats(attempt(log_probs, lengths, prompt_len, alpha), 1e-9));
    Ok(())
}

/// Up to 200 generated tokens, each with a log-probability of −0.2 to −2.2 on average.
fn hypotheses(case: &mut Case, count: usize, prompt_len: usize) -> (Vec<f64>, Vec<usize>) {
    let one = |_| {
        let generated = case.int(1..200);
        (-(generated as f64) * (0.2 + 2.0 * case.uniform()), generated as usize + prompt_len)
    };
    (0..count).map(one).unzip()
}
