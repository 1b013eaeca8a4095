//! Rotary position embedding with interleaved pairs. Witnesses: transformers' GPT-J, and complex multiplication.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Tolerance, Value, golden};
use candle_core::{DType, Tensor};
use std::process::ExitCode;

/// x (B, H, T, D) with D even, base, position of the first token → (B, H, T, D).
pub type Attempt = fn(&Tensor, f64, usize) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("rope", reference::rope as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/rope.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let x = golden::tensor(&entry["x"])?;
                let base = entry["base"].as_f64().ok_or("golden fixture: no base")?;
                let offset = entry["offset"].as_u64().ok_or("golden fixture: no offset")? as usize;
                let output = attempt(&x, base, offset)?;
                fixture.expect_tensor("output", &entry["output"], &output, 1e-5)?;
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .convention(
            "half-split",
            "dimension k is paired with k + D/2, as LLaMA in transformers and GPT-NeoX do (their weights are permuted to match); here neighbours 2k and 2k + 1 are a pair, as in RoFormer, GPT-J and Meta's own LLaMA",
            mistakes::half_split,
        )
        .mistake("not-interleaved", "the pairs are taken from neighbours but put back as two halves: the result must be interleaved again", mistakes::not_interleaved)
        .mistake("backwards", "the pairs are turned the wrong way: the minus belongs to x₁·cos − x₂·sin", mistakes::backwards)
        .mistake("both-plus", "both halves of a pair add the sine; one of them must subtract it, or it is no rotation and lengths change", mistakes::both_plus)
        .mistake("exponent-without-two", "the frequencies are base^(−k/D); with k counting pairs it is base^(−2k/D)", mistakes::exponent_without_two)
        .mistake("exponent-over-half", "the frequencies are base^(−4k/D): 2k is divided by D/2 and not by D", mistakes::exponent_over_half)
        .mistake("exponent-positive", "the frequencies grow with k: the sign of the exponent is lost, base^(−2k/D) falls from 1 to nearly 1/base", mistakes::exponent_positive)
        .mistake("positions-from-one", "the first token is at position offset + 1; positions start at offset itself", mistakes::positions_from_one)
        .mistake("offset-ignored", "positions start at 0 whatever the offset: every decoding step would be taken for the first token", mistakes::offset_ignored)
        .mistake("base-ignored", "10000 is used whatever base is asked for", mistakes::base_ignored)
        .mistake("cos-sin-swapped", "sine and cosine are exchanged, so that position 0 is not left as it is", mistakes::cos_sin_swapped)
        .mistake("positions-along-heads", "the angle follows the head's index and not the token's: that is the table for (B, T, H, D), and here the layout is (B, H, T, D)", mistakes::positions_along_heads)
        .mistake("angles-in-half", "the angles are computed in half precision, where positions beyond 2048 (256 in bf16) run together; compute them in f32 and cast the result", mistakes::angles_in_half)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("three positions, by hand", |attempt, case| {
            let x = case.tensor("x", &[1., 0., 1., 0., 1., 0., 1., 0., 1., 2., 3., 4.], (1, 1, 3, 4))?;
            rotated(attempt, case, &x, 10_000.0, 0)
        })
        .case("every axis of another size", |attempt, case| {
            let x = case.randn("x", (2, 3, 5, 8))?;
            rotated(attempt, case, &x, 10_000.0, 0)
        })
        .case("as many heads as positions, base 500000", |attempt, case| {
            let x = case.randn("x", (2, 4, 4, 6))?;
            rotated(attempt, case, &x, 500_000.0, 0)
        })
        .case("a chunk that starts at position 37", |attempt, case| {
            let x = case.randn("x", (1, 2, 4, 10))?;
            rotated(attempt, case, &x, 10_000.0, 37)
        })
        .case("token by token, as with a KV cache", |attempt, case| {
            let x = case.randn("x", (2, 2, 6, 4))?;
            let steps: Vec<Tensor> =
                (0..6).map(|i| attempt(&x.narrow(2, i, 1)?, 100.0, i)).collect::<candle_core::Result<_>>()?;
            observe(case, "one call", &attempt(&x, 100.0, 0)?)?;
            observe(case, "one call a token", &Tensor::cat(&steps, 2)?)
        })
        .case("one pair, one token", |attempt, case| {
            let x = case.tensor("x", &[-3., 4.], (1, 1, 1, 2))?;
            rotated(attempt, case, &x, 10_000.0, 5)
        })
        .case("a score depends on the distance alone", |attempt, case| {
            let (q, k) = (case.randn("q", (1, 1, 1, 8))?, case.randn("k", (1, 1, 1, 8))?);
            let starts = [0, 1, 9, 60];
            let mut scores = Vec::new();
            for start in case.given("position of the key, 3 before the query", starts) {
                let (q, k) = (attempt(&q, 10_000.0, start + 3)?, attempt(&k, 10_000.0, start)?);
                scores.push((q * k)?.sum_all()?.to_scalar::<f32>()?);
            }
            let spread = scores.iter().fold(0f32, |most, score| most.max((score - scores[0]).abs()));
            observe(case, "q·k for every start", &Tensor::new(&scores[..], case.device())?)?;
            case.observe("q·k is the same for every start", Value::Flag(spread < 1e-3));
            Ok(())
        })
        .case("lengths stay as they were", |attempt, case| {
            let x = case.randn_scaled("x", (1, 3, 4, 6), -1.0, 10.0)?;
            let norms = attempt(&x, 10_000.0, 11)?.sqr()?.sum(3)?.sqrt()?;
            observe(case, "norms", &norms)
        })
        .case("a transposed view", |attempt, case| {
            let x = case.randn("x, before transpose(1, 2)", (2, 5, 3, 4))?.transpose(1, 2)?;
            rotated(attempt, case, &x, 10_000.0, 2)
        })
        .case("f16 at position 3001", |attempt, case| {
            let x = case.randn("x, before the cast to f16", (1, 2, 4, 8))?.to_dtype(DType::F16)?;
            rotated(attempt, case, &x, 10_000.0, 3001)
        })
        .gpu_case("bf16, 32 heads of 128, 257 tokens from position 4001", |attempt, case| {
            let x = case.randn("x, before the cast to bf16", (2, 32, 257, 128))?.to_dtype(DType::BF16)?;
            rotated(attempt, case, &x, 500_000.0, 4001)
        })
        .cost("16 heads of 64, 256 tokens", |attempt, case| {
            let x = case.randn("x", (1, 16, 256, 64))?;
            rotated(attempt, case, &x, 10_000.0, 0)
        })
}

fn rotated(attempt: &Attempt, case: &mut Case, x: &Tensor, base: f64, offset: usize) -> Result<()> {
    let (base, offset) = (case.given("base", base), case.given("offset", offset));
    observe(case, "output", &attempt(x, base, offset)?)
}

/// Wider than the house tolerance: an angle of 60 carries an f32 rounding of 4e-6, and only the angles, not the
/// rotation itself, need f32 when x is in half precision.
fn observe(case: &mut Case, name: &str, tensor: &Tensor) -> Result<()> {
    let tolerance = Tolerance::relative(match tensor.dtype() {
        DType::F16 => 1e-2,
        DType::BF16 => 5e-2,
        _ => 1e-4,
    });
    case.observe(name, Value::tensor_within(tensor, tolerance)?);
    Ok(())
}
