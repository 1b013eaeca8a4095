//! RMSNorm. Witnesses: torch.nn.functional.rms_norm, transformers' LlamaRMSNorm.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, golden};
use candle_core::{DType, Shape, Tensor};
use std::process::ExitCode;

/// x (…, D), weight (D), eps → (…, D).
pub type Attempt = fn(&Tensor, &Tensor, f64) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("rmsnorm", reference::rms_norm as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/rmsnorm.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let (dtype, rtol) = if entry["half"] == true { (DType::F16, 2e-3) } else { (DType::F32, 1e-5) };
                let (x, weight) = (golden::tensor_as(&entry["x"], dtype)?, golden::tensor_as(&entry["weight"], dtype)?);
                let output = attempt(&x, &weight, entry["eps"].as_f64().ok_or("golden fixture: no eps")?)?;
                fixture.expect_tensor("output", &entry["output"], &output, rtol)?;
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("no-upcast", "the squares are taken in x's own dtype: in f16 everything beyond 255 squares to infinity and the row becomes zeros", mistakes::no_upcast)
        .mistake("not-cast-back", "the result stays in f32; it must come back in x's dtype", mistakes::not_cast_back)
        .mistake("eps-outside", "ε is added after the square root; it belongs to the mean square, under the root", mistakes::eps_outside)
        .mistake("no-eps", "ε is never added: a row of zeros becomes 0/0 = NaN", mistakes::no_eps)
        .mistake("mean-subtracted", "the mean is subtracted: that is LayerNorm, RMSNorm only rescales", mistakes::mean_subtracted)
        .mistake("variance", "x is divided by its standard deviation about the mean; RMSNorm divides by the root of the mean square about zero", mistakes::variance)
        .mistake("sum-not-mean", "the squares are summed and not averaged (the L2 norm): the result is √D too small", mistakes::sum_not_mean)
        .mistake("no-root", "x is divided by the mean square itself: the square root is missing", mistakes::no_root)
        .mistake("mean-absolute", "x is divided by the mean of |x|; the root of the mean of x² is asked for", mistakes::mean_absolute)
        .mistake("no-weight", "the result is not multiplied by the weight", mistakes::no_weight)
        .mistake("weight-first", "x is multiplied by the weight before it is normalised, so the weight changes the root mean square", mistakes::weight_first)
        .mistake("over-tokens", "the mean runs over the tokens (the axis before the last); each token is normalised on its own, over the last axis", mistakes::over_tokens)
        .mistake("over-everything", "one mean is taken over all of x; each token is normalised on its own, over the last axis", mistakes::over_everything)
        .convention(
            "one-plus-weight",
            "the result is multiplied by 1 + w, as Gemma does, whose checkpoints store the weight minus one; here it is multiplied by w, as in LLaMA and PyTorch",
            mistakes::gemma,
        )
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("one vector, by hand", |attempt, case| {
            let x = case.tensor("x", &[1., 2., 3., 4.], 4)?;
            let weight = case.tensor("weight", &[1., 1., 1., 2.], 4)?;
            normed(attempt, case, &x, &weight, 1e-6)
        })
        .case("every axis of another size", |attempt, case| {
            let (x, weight) = inputs(case, (2, 3, 5, 8), 1.0)?;
            normed(attempt, case, &x, &weight, 1e-5)
        })
        .case("as many tokens as features, off centre", |attempt, case| {
            let x = case.randn_scaled("x", (2, 6, 6), 2.0, 1.0)?;
            let weight = case.randn("weight", 6)?;
            normed(attempt, case, &x, &weight, 1e-6)
        })
        .case("values near a thousandth, where eps counts", |attempt, case| {
            let (x, weight) = inputs(case, (3, 4), 1e-3)?;
            normed(attempt, case, &x, &weight, 1e-6)
        })
        .case("a large eps", |attempt, case| {
            let (x, weight) = inputs(case, (2, 2, 5), 1.0)?;
            normed(attempt, case, &x, &weight, 0.5)
        })
        .case("a token of zeros", |attempt, case| {
            let x = case.tensor("x", &[0., 0., 0., 1., -2., 3.], (2, 3))?;
            let weight = case.tensor("weight", &[0.5, -1., 2.], 3)?;
            normed(attempt, case, &x, &weight, 1e-6)
        })
        .case("f16 at 300, whose square f16 cannot hold", |attempt, case| {
            let x =
                case.tensor("x, before the cast to f16", &[300., -300., 300., 300., 512., -128., 0., 1000.], (2, 4))?;
            let weight = case.tensor("weight, before the cast to f16", &[1., 0.5, -2., 1.5], 4)?;
            normed(attempt, case, &x.to_dtype(DType::F16)?, &weight.to_dtype(DType::F16)?, 1e-5)
        })
        .case("values near 1e15 and 1e-15", |attempt, case| {
            let x = case.tensor("x", &[1e15, -2e15, 3e15, 1e-15, 2e-15, -3e-15], (2, 3))?;
            let weight = case.tensor("weight", &[1., -1., 0.5], 3)?;
            normed(attempt, case, &x, &weight, 1e-6)
        })
        .case("one feature", |attempt, case| {
            let x = case.tensor("x", &[-5., 0.25, 3.], (3, 1))?;
            let weight = case.tensor("weight", &[0.75], 1)?;
            normed(attempt, case, &x, &weight, 1e-5)
        })
        .case("a transposed view", |attempt, case| {
            let x = case.randn("x, before transpose(0, 2)", (4, 3, 2))?.transpose(0, 2)?;
            let weight = case.randn("weight", 4)?;
            normed(attempt, case, &x, &weight, 1e-5)
        })
        .gpu_case("bf16, 257 tokens of 4096", |attempt, case| {
            let (x, weight) = inputs(case, (2, 257, 4096), 3.0)?;
            normed(attempt, case, &x.to_dtype(DType::BF16)?, &weight.to_dtype(DType::BF16)?, 1e-5)
        })
        .cost("128 tokens of 2048", |attempt, case| {
            let (x, weight) = inputs(case, (1, 128, 2048), 1.0)?;
            normed(attempt, case, &x, &weight, 1e-5)
        })
}

/// x of `shape` with standard deviation `scale`, and a weight for its last axis.
fn inputs(case: &mut Case, shape: impl Into<Shape>, scale: f64) -> Result<(Tensor, Tensor)> {
    let shape = shape.into();
    let features = shape.dims().last().copied().unwrap_or(1);
    Ok((case.randn_scaled("x", shape, 0.0, scale)?, case.randn_scaled("weight", features, 0.5, 1.0)?))
}

fn normed(attempt: &Attempt, case: &mut Case, x: &Tensor, weight: &Tensor, eps: f64) -> Result<()> {
    let eps = case.given("eps", eps);
    case.observe_tensor("output", &attempt(x, weight, eps)?)
}
