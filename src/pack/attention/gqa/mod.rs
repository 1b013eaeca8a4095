//! Grouped-query attention. Witness: F.scaled_dot_product_attention(enable_gqa=True).

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::{DType, Tensor};
use std::process::ExitCode;

/// Weights in PyTorch's Linear layout: (out, in), y = x·Wᵀ.
#[derive(Clone, Debug)]
pub struct Weights {
    /// (D, D).
    pub q: Tensor,
    /// (G·d_k, D).
    pub k: Tensor,
    /// (G·d_k, D).
    pub v: Tensor,
    /// (D, D).
    pub o: Tensor,
}

/// x (B, T, D), weights, query heads, key/value heads → (B, T, D).
pub type Attempt = fn(&Tensor, &Weights, usize, usize) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    Problem::new("gqa", reference::gqa as Attempt)
        .mistake("tiled", "the key/value heads are tiled (repeat: 0 1 0 1) instead of repeated in place (repeat_interleave: 0 0 1 1), so most queries meet another group's keys", mistakes::tiled)
        .mistake("v-tiled", "the keys are repeated in place but the values are tiled: the weights of one group mix the values of another", mistakes::v_tiled)
        .mistake("k-tiled", "the values are repeated in place but the keys are tiled: queries of one group look at keys of another", mistakes::k_tiled)
        .mistake("first-head-only", "every query head uses key/value head 0: that is multi-query attention with the other heads thrown away", mistakes::first_head_only)
        .mistake("sequence-repeated", "the repetition runs along the sequence instead of the heads, so heads are given one another's tokens", mistakes::sequence_repeated)
        .mistake("kv-not-transposed", "keys and values are viewed as (B, G, T, d_k) without a transpose: tokens and heads are mixed up", mistakes::kv_not_transposed)
        .mistake("heads-not-transposed", "queries, keys and values are all viewed as (B, heads, T, d_k) without a transpose: a head holds pieces of other tokens and heads", mistakes::heads_not_transposed)
        .mistake("merged-without-transpose", "the heads are merged without transposing back: the output's columns mix tokens", mistakes::merged_without_transpose)
        .mistake("unscaled", "the scores are not divided by √d_k", mistakes::unscaled)
        .mistake("scale-by-model-width", "the scores are divided by √D, the width of the model; a head's dot product sums over d_k = D / heads numbers", mistakes::scale_by_model)
        .mistake("no-max", "exp is taken of the raw scores: without subtracting the row's maximum it overflows to inf and the row becomes NaN", mistakes::no_max)
        .mistake("no-output-projection", "the merged heads are returned without the output projection", mistakes::no_output_projection)
        .mistake("unchecked", "a number of query heads that the key/value heads do not divide is not refused", mistakes::unchecked)
        .mistake("asserts", "heads that do not divide panic: an assert! takes the whole server down where an Err would refuse one bad configuration", mistakes::asserts)
        .convention("causal", "a causal mask is applied, as every decoder (Llama, Mistral) does; the attention asked for is bidirectional", mistakes::causal)
        .case("four heads share two", |attempt, case| {
            let (x, w) = inputs(case, [1, 3, 8], 4, 2)?;
            case.observe_tensor("output", &attempt(&x, &w, 4, 2)?)
        })
        .case("every axis of another size", |attempt, case| {
            let (x, w) = inputs(case, [2, 5, 18], 6, 3)?;
            case.observe_tensor("output", &attempt(&x, &w, 6, 3)?)
        })
        .case("six heads share two", |attempt, case| {
            let (x, w) = inputs(case, [3, 4, 12], 6, 2)?;
            case.observe_tensor("output", &attempt(&x, &w, 6, 2)?)
        })
        .case("as many key/value heads as query heads: MHA", |attempt, case| {
            let (x, w) = inputs(case, [2, 5, 12], 4, 4)?;
            case.observe_tensor("output", &attempt(&x, &w, 4, 4)?)
        })
        .case("one key/value head: MQA", |attempt, case| {
            let (x, w) = inputs(case, [2, 3, 12], 4, 1)?;
            case.observe_tensor("output", &attempt(&x, &w, 4, 1)?)
        })
        .case("one token", |attempt, case| {
            let (x, w) = inputs(case, [2, 1, 8], 4, 2)?;
            case.observe_tensor("output", &attempt(&x, &w, 4, 2)?)
        })
        .case("scores near ten thousand", |attempt, case| {
            let (x, w) = inputs_of(case, [2, 4, 8], 4, 2, 70.0)?;
            case.observe_tensor("output", &attempt(&x, &w, 4, 2)?)
        })
        .case("heads that do not divide are refused", |attempt, case| {
            // The weights fit four key/value heads: nothing but the check can refuse them.
            let (x, w) = inputs(case, [1, 3, 12], 6, 4)?;
            let word = if attempt(&x, &w, 6, 4).is_err() { "an error" } else { "a tensor" };
            case.observe("6 query heads over 4 key/value heads give", Value::text(&[word]));
            Ok(())
        })
        .gpu_case("half precision, 32 heads share 8", |attempt, case| {
            let (x, w) = inputs(case, [2, 129, 1024], 32, 8)?;
            let half = |t: &Tensor| t.to_dtype(DType::BF16);
            let w = Weights { q: half(&w.q)?, k: half(&w.k)?, v: half(&w.v)?, o: half(&w.o)? };
            case.observe_tensor("output", &attempt(&half(&x)?, &w, 32, 8)?)
        })
        .cost("128 tokens, 8 heads share 2", |attempt, case| {
            let (x, w) = inputs(case, [1, 128, 256], 8, 2)?;
            case.observe_tensor("output", &attempt(&x, &w, 8, 2)?)
        })
        .golden(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/gqa.json")), |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let part = |name: &str| golden::tensor(&entry[name]);
                let w = Weights { q: part("q")?, k: part("k")?, v: part("v")?, o: part("o")? };
                let heads = golden::ints(&entry["heads"])?;
                let output = attempt(&part("x")?, &w, heads[0] as usize, heads[1] as usize)?;
                fixture.expect_tensor("output", &entry["output"], &output, 1e-5)?;
            }
            Ok(())
        })
}

/// x and weights for sizes B, T, D.
fn inputs(case: &mut Case, sizes: [usize; 3], heads: usize, kv_heads: usize) -> Result<(Tensor, Weights)> {
    inputs_of(case, sizes, heads, kv_heads, 1.0)
}

/// The same with x of standard deviation `std`.
fn inputs_of(
    case: &mut Case,
    [b, t, d]: [usize; 3],
    heads: usize,
    kv_heads: usize,
    std: f64,
) -> Result<(Tensor, Weights)> {
    let kv = d / heads * kv_heads;
    let scale = 1.0 / (d as f64).sqrt();
    let x = case.randn_scaled("x", (b, t, d), 0.0, std)?;
    let weights = Weights {
        q: case.randn_scaled("weights.q", (d, d), 0.0, 2.0 * scale)?,
        k: case.randn_scaled("weights.k", (kv, d), 0.0, 2.0 * scale)?,
        v: case.randn_scaled("weights.v", (kv, d), 0.0, scale)?,
        o: case.randn_scaled("weights.o", (d, d), 0.0, scale)?,
    };
    case.given("heads", heads);
    case.given("kv_heads", kv_heads);
    Ok((x, weights))
}
