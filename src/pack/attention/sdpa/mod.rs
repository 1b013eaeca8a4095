//! Scaled dot-product attention. Witness: torch.nn.functional.scaled_dot_product_attention.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::Tensor;
use std::process::ExitCode;

/// q (B, H, Tq, d_k), k (B, H, Tk, d_k), v (B, H, Tk, d_v), additive mask broadcastable to (B, H, Tq, Tk) → (B, H, Tq, d_v).
pub type Attempt = fn(&Tensor, &Tensor, &Tensor, Option<&Tensor>) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

const INF: f32 = f32::NEG_INFINITY;

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    Problem::new("sdpa", reference::sdpa as Attempt)
        .mistake("no-scale", "the scores are not divided by √d_k, so the softmax saturates as d_k grows", mistakes::no_scale)
        .mistake("scale-by-d", "the scores are divided by d_k and not by its square root, which flattens the weights", mistakes::scale_by_d)
        .mistake(
            "scale-by-length",
            "the scores are divided by the square root of the number of keys; the variance of a dot product grows with d_k, not with the length",
            mistakes::scale_by_length,
        )
        .mistake("scale-by-dv", "the scale comes from the width of the values; it is the queries' width d_k that the dot product sums over", mistakes::scale_by_dv)
        .mistake("k-reshaped", "the keys are reshaped to (d_k, Tk) instead of transposed: the numbers stay where they are and features of different keys get mixed", mistakes::k_reshaped)
        .mistake("softmax-over-queries", "the softmax runs over the query axis: each key's column sums to 1, not each query's row", mistakes::softmax_over_queries)
        .mistake("mask-ignored", "the mask is never added, so hidden keys are still attended to", mistakes::mask_ignored)
        .mistake("mask-after-softmax", "the mask is added to the weights after the softmax; −inf must go into the scores before it", mistakes::mask_after_softmax)
        .mistake("mask-multiplied", "the scores are multiplied by the mask; an additive mask is added (0 keeps, −inf hides)", mistakes::mask_multiplied)
        .mistake("mask-scaled", "the mask is added before the division by √d_k, so every finite bias is divided too; −inf alone does not notice", mistakes::mask_scaled)
        .mistake("one-max-for-all", "one maximum over all rows is subtracted: a row far below it underflows to zeros; each query needs its own row's maximum", mistakes::one_max_for_all)
        .mistake("no-max", "exp is taken of the raw scores: without subtracting the row's maximum it overflows to inf and the row becomes NaN", mistakes::no_max)
        .mistake("q-k-swapped", "queries and keys are exchanged: the scores are K·Qᵀ", mistakes::q_k_swapped)
        .mistake("nan-when-all-hidden", "a row that may see no key comes out as NaN: the softmax of a row of −inf is 0/0 and must give zeros", mistakes::nan_when_all_hidden)
        .case("one head, by hand", |attempt, case| {
            let q = case.tensor("q", &[1., 0., 0., 2.], (1, 1, 2, 2))?;
            let k = case.tensor("k", &[1., 1., 0., 1., 2., 0.], (1, 1, 3, 2))?;
            let v = case.tensor("v", &[1., 0., 0., 0., 1., 0., 0., 0., 1.], (1, 1, 3, 3))?;
            case.observe_tensor("output", &attempt(&q, &k, &v, None)?)
        })
        .case("every axis of another size", |attempt, case| {
            let (q, k, v) = qkv(case, [2, 3, 5, 7, 4, 6])?;
            case.observe_tensor("output", &attempt(&q, &k, &v, None)?)
        })
        .case("as many queries as keys", |attempt, case| {
            let (q, k, v) = qkv(case, [2, 2, 6, 6, 8, 3])?;
            case.observe_tensor("output", &attempt(&q, &k, &v, None)?)
        })
        .case("a mask of (Tq, Tk)", |attempt, case| {
            let (q, k, v) = qkv(case, [2, 3, 3, 4, 8, 5])?;
            let mask = case.tensor("mask", &[0., INF, 0., INF, 0., 0., INF, INF, -0.5, 0., 0., 1.5], (3, 4))?;
            case.observe_tensor("output", &attempt(&q, &k, &v, Some(&mask))?)
        })
        .case("another mask for every row of the batch", |attempt, case| {
            let (q, k, v) = qkv(case, [2, 2, 2, 3, 4, 4])?;
            let mask = case.tensor("mask", &[0., INF, 0., 0., 0., INF, INF, 0., 0., 0., 0., INF], (2, 1, 2, 3))?;
            case.observe_tensor("output", &attempt(&q, &k, &v, Some(&mask))?)
        })
        .case("a row that may see nothing", |attempt, case| {
            let (q, k, v) = qkv(case, [1, 2, 2, 3, 4, 4])?;
            let mask = case.tensor("mask", &[0., INF, 0., INF, INF, INF], (2, 3))?;
            case.observe_tensor("output", &attempt(&q, &k, &v, Some(&mask))?)
        })
        .case("scores near ten thousand", |attempt, case| {
            let q = case.randn_scaled("q", (1, 1, 3, 4), 0.0, 100.0)?;
            let k = case.randn_scaled("k", (1, 1, 5, 4), 0.0, 100.0)?;
            let v = case.randn("v", (1, 1, 5, 4))?;
            case.observe_tensor("output", &attempt(&q, &k, &v, None)?)
        })
        .case("a bias alone decides, and one for the keys alone", |attempt, case| {
            let q = case.tensor("q", &[0.; 12], (2, 1, 2, 3))?;
            let (k, v) = (case.randn("k", (2, 1, 4, 3))?, case.randn("v", (2, 1, 4, 2))?);
            let mask = case.tensor("mask", &[2., -1., 0.5, INF, -3., 0., INF, 1.], (2, 1, 1, 4))?;
            case.observe_tensor("output", &attempt(&q, &k, &v, Some(&mask))?)
        })
        .case("one query, one key", |attempt, case| {
            let (q, k, v) = qkv(case, [1, 1, 1, 1, 3, 2])?;
            case.observe_tensor("output", &attempt(&q, &k, &v, None)?)
        })
        .case("inputs stay as they were", |attempt, case| {
            let (q, k, v) = qkv(case, [1, 2, 3, 4, 5, 2])?;
            let before = (q.copy()?, k.copy()?, v.copy()?);
            let output = attempt(&q, &k, &v, None)?;
            let untouched = [(&before.0, &q), (&before.1, &k), (&before.2, &v)].into_iter().try_fold(true, |so_far, (a, b)| {
                Ok::<bool, candle_core::Error>(so_far && a.sub(b)?.abs()?.sum_all()?.to_scalar::<f32>()? == 0.0)
            })?;
            case.observe("inputs untouched", Value::Flag(untouched));
            case.observe_tensor("output", &output)
        })
        .gpu_case("half precision, 8 heads of 64, 257 tokens", |attempt, case| {
            let (q, k, v) = qkv(case, [2, 8, 257, 257, 64, 64])?;
            let half = |t: &Tensor| t.to_dtype(candle_core::DType::BF16);
            case.observe_tensor("output", &attempt(&half(&q)?, &half(&k)?, &half(&v)?, None)?)
        })
        .gpu_case("half precision with a mask and a row that may see nothing", |attempt, case| {
            let (q, k, v) = qkv(case, [2, 4, 3, 65, 64, 32])?;
            let bias: Vec<f32> = (0..3 * 65).map(|at| if at < 65 || at % 3 == 0 { INF } else { 0.5 }).collect();
            let mask = case.tensor("mask", &bias, (3, 65))?;
            let half = |t: &Tensor| t.to_dtype(candle_core::DType::BF16);
            case.observe_tensor("output", &attempt(&half(&q)?, &half(&k)?, &half(&v)?, Some(&half(&mask)?))?)
        })
        .cost("4 heads of 64, 200 tokens", |attempt, case| {
            let (q, k, v) = qkv(case, [1, 4, 200, 200, 64, 64])?;
            case.observe_tensor("output", &attempt(&q, &k, &v, None)?)
        })
        .golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/sdpa.json")), |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let (q, k, v) = (golden::tensor(&entry["q"])?, golden::tensor(&entry["k"])?, golden::tensor(&entry["v"])?);
                let mask = if entry["mask"].is_null() { None } else { Some(golden::tensor(&entry["mask"])?) };
                let output = attempt(&q, &k, &v, mask.as_ref())?;
                fixture.expect_tensor("output", &entry["output"], &output, 1e-5)?;
            }
            Ok(())
        })
}

/// q, k and v for sizes B, H, Tq, Tk, d_k, d_v.
fn qkv(case: &mut Case, [b, h, tq, tk, dk, dv]: [usize; 6]) -> Result<(Tensor, Tensor, Tensor)> {
    Ok((case.randn("q", (b, h, tq, dk))?, case.randn("k", (b, h, tk, dk))?, case.randn("v", (b, h, tk, dv))?))
}
