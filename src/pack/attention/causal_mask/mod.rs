//! Additive causal mask. Witness: torch.nn.Transformer.generate_square_subsequent_mask.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::{D, Device, Tensor};
use candle_nn::ops::softmax;
use std::process::ExitCode;

/// Tq, Tk, device → (Tq, Tk) f32.
pub type Attempt = fn(usize, usize, &Device) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    Problem::new("causal-mask", reference::causal_mask as Attempt)
        .mistake(
            "masks-self",
            "the diagonal is hidden as well: no token sees itself, and the first row is all −inf, which the softmax turns into NaN",
            mistakes::masks_self,
        )
        .mistake("sees-next", "the diagonal is off by one: every token sees the next one, which it is meant to predict", mistakes::sees_next)
        .mistake("inverted", "the mask is the other way round: past and present are hidden, the future is visible", mistakes::inverted)
        .mistake("hides-the-past", "the upper triangle is kept where the lower one should be: only present and future are visible", mistakes::hides_the_past)
        .mistake("zero-times-inf", "0 · −inf is NaN: a mask cannot be made by multiplying zeros and ones by −inf", mistakes::zero_times_inf)
        .mistake("previous-only", "each token sees itself and the one before it, and nothing further back", mistakes::previous_only)
        .mistake("top-left", "the mask is aligned at the top left: with a cache (Tq < Tk) the newest queries do not see the newest keys", mistakes::top_left)
        .mistake("square", "the mask is (Tk, Tk) whatever Tq is: with a cache the queries are only the last Tq rows", mistakes::square)
        .convention("minus-1e9", "−1e9 hides in f32 just as well, and is common; in f16 it is beyond the range and in a fully hidden row it averages everything. Asked for is −inf", mistakes::minus_1e9)
        .convention("finfo-min", "the smallest f32 hides in f32 just as well: transformers fills with torch.finfo(dtype).min. Asked for is −inf", mistakes::finfo_min)
        .convention("byte-hides", "a u8 mask in which 1 hides: that is what candle-transformers' models hand to where_cond. Asked for is an additive f32 mask", mistakes::byte_hides)
        .convention("byte-keeps", "a u8 mask in which 1 keeps, as F.scaled_dot_product_attention reads a boolean one (candle has no bool, u8 stands in). Asked for is an additive f32 mask", mistakes::byte_keeps)
        .convention("boolean", "1 keeps and 0 hides: that is how F.scaled_dot_product_attention reads a boolean mask. Asked for is an additive mask", mistakes::boolean)
        .convention("boolean-hides", "1 hides and 0 keeps: that is the attn_mask of nn.MultiheadAttention when it is boolean. Asked for is an additive mask", mistakes::boolean_hides)
        .case("three tokens, by hand", |attempt, case| square(attempt, case, 3))
        .case("one token", |attempt, case| square(attempt, case, 1))
        .case("seven tokens", |attempt, case| square(attempt, case, 7))
        .case("two new tokens behind two in the cache", |attempt, case| cached(attempt, case, 2, 4))
        .case("one new token behind five", |attempt, case| cached(attempt, case, 1, 6))
        .case("five new tokens behind three", |attempt, case| cached(attempt, case, 5, 8))
        .case("changing the future does not change the past", |attempt, case| {
            let mask = attempt(4, 6, case.device())?;
            let scores = case.randn("scores", (4, 6))?;
            let weights = softmax(&scores.add(&mask)?, D::Minus1)?;
            let sums: Vec<f32> = weights.sum(D::Minus1)?.to_vec1()?;
            case.observe("every row sums to 1", Value::Flag(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5)));
            // The last key belongs to the last query alone.
            let last: Vec<f32> = (0..24).map(|at| if at % 6 == 5 { 3.0 } else { 0.0 }).collect();
            let changed = scores.add(&Tensor::from_vec(last, (4, 6), case.device())?)?;
            let after = softmax(&changed.add(&mask)?, D::Minus1)?;
            let moved = |row: usize| -> candle_core::Result<bool> {
                Ok(weights.get(row)?.sub(&after.get(row)?)?.abs()?.max(0)?.to_scalar::<f32>()? > 1e-6)
            };
            let rows = (0..4).map(moved).collect::<candle_core::Result<Vec<bool>>>()?;
            let words: Vec<String> = rows.iter().enumerate().map(|(i, m)| format!("query {i} {}", if *m { "changes" } else { "stays" })).collect();
            case.observe("when the last key changes", Value::text(&words));
            Ok(())
        })
        .gpu_case("515 new tokens behind 516", |attempt, case| cached(attempt, case, 515, 1031))
        .cost("a mask of 512 × 1024", |attempt, case| case.observe_tensor("mask", &attempt(512, 1024, case.device())?))
        .golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/causal-mask.json")), |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let size = golden::ints(&entry["size"])?;
                let mask = attempt(size[0] as usize, size[1] as usize, &Device::Cpu)?;
                fixture.expect_tensor("mask", &entry["mask"], &mask, 0.0)?;
            }
            Ok(())
        })
}

fn square(attempt: &Attempt, case: &mut Case, t: usize) -> Result<()> {
    cached(attempt, case, t, t)
}

fn cached(attempt: &Attempt, case: &mut Case, tq: usize, tk: usize) -> Result<()> {
    case.given("tq", tq);
    case.given("tk", tk);
    case.observe_tensor("mask", &attempt(tq, tk, case.device())?)
}
