//! Attention with a KV cache. Witness: causal torch.nn.functional.scaled_dot_product_attention over the whole sequence.

mod layer;
mod mistakes;
mod reference;

pub use layer::{Cache, Layer};

use crate::judge::{self, Case, Problem, Result, Tolerance, Value, golden};
use candle_core::{DType, Tensor};
use std::process::ExitCode;

/// The n newest tokens (B, n, D), the layer, the cache of the tokens before → (B, n, D), and the cache has grown by n.
pub type Attempt = fn(&Tensor, &Layer, &mut Cache) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("kv-cache-attn", reference::kv_cache_attn as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/kv-cache-attn.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let weight = |name: &str| golden::tensor(&entry["weights"][name]);
                let heads = entry["heads"].as_u64().ok_or("golden fixture: no heads")? as usize;
                let layer = Layer::new(heads, [weight("query")?, weight("key")?, weight("value")?, weight("output")?]);
                let steps: Vec<usize> = golden::ints(&entry["steps"])?.into_iter().map(|n| n as usize).collect();
                let run = run(attempt, &layer, &golden::tensor(&entry["x"])?, &steps)?;
                fixture.expect_tensor("output", &entry["output"], &run.output, 1e-5)?;
                fixture.expect_tensor("cached keys", &entry["k"], &run.cache.k.ok_or("no keys are cached")?, 1e-5)?;
                fixture.expect_tensor(
                    "cached values",
                    &entry["v"],
                    &run.cache.v.ok_or("no values are cached")?,
                    1e-5,
                )?;
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("concat-on-heads", "the cache grows along the head axis (1); new tokens go on along the sequence axis (2)", mistakes::concat_on_heads)
        .mistake("prepended", "new keys and values are put before the cached ones: the cache is no longer in temporal order, which one query does not notice and the causal mask does", mistakes::prepended)
        .mistake("keys-prepended", "keys are put before the cache and values after it, so every weight meets another token's value", mistakes::keys_prepended)
        .mistake("values-are-keys", "the keys are stored in the value cache as well", mistakes::values_are_keys)
        .mistake("cache-ignored", "the new tokens attend to each other only; the cached keys and values are stored but not used", mistakes::cache_ignored)
        .mistake("only-new-kept", "only the newest keys and values are kept: what was cached before is thrown away at every step", mistakes::only_new_kept)
        .mistake("never-stored", "the cache is never written, so that every step begins anew", mistakes::never_stored)
        .mistake("top-left-mask", "the causal mask is aligned at the top left (`is_causal` with fewer queries than keys): query 0 sees key 0 only; it stands at the end, after all cached keys", mistakes::top_left_mask)
        .mistake("no-mask", "a step of several tokens has no causal mask: its tokens see the ones after them", mistakes::no_mask)
        .mistake("not-itself", "a token does not attend to itself: its own key belongs to the keys it sees", mistakes::not_itself)
        .mistake("no-scale", "the scores are not divided by √d_k", mistakes::no_scale)
        .mistake("scale-by-model-width", "the scores are divided by √D; the dot product runs over one head, so it is √d_k = √(D/H)", mistakes::scale_by_model_width)
        .mistake("no-output-projection", "the heads are returned side by side: the output projection is missing", mistakes::no_output_projection)
        .mistake("heads-by-reshape", "the heads are split by a reshape to (B, H, n, d_k), which mixes tokens; reshape to (B, n, H, d_k) and transpose", mistakes::heads_by_reshape)
        .mistake("merged-by-reshape", "(B, H, n, d_k) is reshaped to (B, n, D) without transposing back, which mixes tokens", mistakes::merged_by_reshape)
        .mistake("inputs-cached", "the inputs are cached and projected anew at every step: right numbers, but each step costs as much as the whole prefix", mistakes::inputs_cached)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("three tokens, one head, by hand", |attempt, case| {
            let x = case.tensor("x", &[1., 0., 0., 1., 1., 1.], (1, 3, 2))?;
            let layer = Layer::new(
                1,
                [
                    case.tensor("W query", &[1., 0., 0., 1.], (2, 2))?,
                    case.tensor("W key", &[1., 0., 0., 1.], (2, 2))?,
                    case.tensor("W value", &[1., 0., 0., 2.], (2, 2))?,
                    case.tensor("W output", &[1., 1., 0., 1.], (2, 2))?,
                ],
            );
            decoded(attempt, case, &layer, &x, &[1, 1, 1])
        })
        .case("token by token, every axis of another size", |attempt, case| sized(attempt, case, [2, 3, 4], &[1; 5]))
        .case("a prompt, then token by token", |attempt, case| sized(attempt, case, [3, 2, 5], &[4, 1, 1]))
        .case("chunks, as in chunked prefill", |attempt, case| sized(attempt, case, [2, 2, 3], &[3, 4, 1, 2]))
        .case("the whole sequence at once", |attempt, case| sized(attempt, case, [2, 4, 2], &[6]))
        .case("as many heads as tokens", |attempt, case| sized(attempt, case, [1, 3, 3], &[3, 3, 1]))
        .case("one token, one head of width one", |attempt, case| sized(attempt, case, [2, 1, 1], &[1]))
        .case("however it is cut, the output is the same", |attempt, case| {
            let (x, layer) = (case.randn("x", (2, 6, 8))?, Layer::random(case, 2, 8, DType::F32)?);
            let whole = run(attempt, &layer, &x, &[6])?.output;
            for (name, steps) in [("one by one", &[1; 6][..]), ("4 + 1 + 1", &[4, 1, 1]), ("1 + 3 + 2", &[1, 3, 2])] {
                let cut = run(attempt, &layer, &x, steps)?.output;
                let gap = (&cut - &whole)?.abs()?.max_all()?.to_scalar::<f32>()?;
                case.observe_tensor(name, &cut)?;
                case.observe(&format!("{name} equals one call"), Value::Flag(gap < 1e-4));
            }
            Ok(())
        })
        .case("large scores", |attempt, case| {
            let (x, layer) = (case.randn_scaled("x", (1, 5, 6), 0.0, 30.0)?, Layer::random(case, 2, 6, DType::F32)?);
            decoded(attempt, case, &layer, &x, &[2, 1, 2])
        })
        .gpu_case("bf16, 8 heads of 64, a prompt of 257, then 6 tokens", |attempt, case| {
            let x = case.randn("x, before the cast to bf16", (2, 263, 512))?.to_dtype(DType::BF16)?;
            let layer = Layer::random(case, 8, 512, DType::BF16)?;
            decoded(attempt, case, &layer, &x, &[257, 1, 1, 1, 1, 2])
        })
        .cost("8 heads of 32, a prompt of 64, then 16 tokens", |attempt, case| {
            let (x, layer) = (case.randn("x", (1, 80, 256))?, Layer::random(case, 8, 256, DType::F32)?);
            let steps: Vec<usize> = std::iter::once(64).chain([1; 16]).collect();
            case.observe_tensor("output", &run(attempt, &layer, &x, &steps)?.output)
        })
}

/// What a sequence of steps did.
struct Run {
    /// (B, T, D)
    output: Tensor,
    cache: Cache,
    /// Cached positions after each step.
    lengths: Vec<usize>,
    /// What each step projected.
    fed: Vec<String>,
}

/// Feeds x (B, T, D) in steps of the given sizes.
fn run(attempt: &Attempt, layer: &Layer, x: &Tensor, steps: &[usize]) -> Result<Run> {
    let (mut cache, mut outputs, mut lengths, mut fed) = (Cache::default(), Vec::new(), Vec::new(), Vec::new());
    let mut start = 0;
    for &n in steps {
        outputs.push(attempt(&x.narrow(1, start, n)?, layer, &mut cache)?);
        lengths.push(cache.k.as_ref().and_then(|k| k.dims().get(2).copied()).unwrap_or(0));
        fed.push(format!("{n} new: {}", layer.fed(x.dim(0)?)));
        start += n;
    }
    Ok(Run { output: Tensor::cat(&outputs, 1)?, cache, lengths, fed })
}

/// A run with random input for B, H, d_k.
fn sized(attempt: &Attempt, case: &mut Case, [b, heads, dk]: [usize; 3], steps: &[usize]) -> Result<()> {
    let x = case.randn("x", (b, steps.iter().sum::<usize>(), heads * dk))?;
    let layer = Layer::random(case, heads, heads * dk, DType::F32)?;
    decoded(attempt, case, &layer, &x, steps)
}

fn decoded(attempt: &Attempt, case: &mut Case, layer: &Layer, x: &Tensor, steps: &[usize]) -> Result<()> {
    case.given("heads", layer.heads());
    let steps = case.given("tokens of each step", steps);
    let run = run(attempt, layer, x, steps)?;
    observe(case, "output", &run.output)?;
    case.observe("cached length after each step", Value::ints(&run.lengths));
    let nothing = Tensor::zeros(0, x.dtype(), x.device())?;
    observe(case, "cached keys", run.cache.k.as_ref().unwrap_or(&nothing))?;
    observe(case, "cached values", run.cache.v.as_ref().unwrap_or(&nothing))?;
    case.observe("tokens projected in each step", Value::calls(&run.fed));
    Ok(())
}

/// Wider in bf16: projections and softmax may each be rounded to it.
fn observe(case: &mut Case, name: &str, tensor: &Tensor) -> Result<()> {
    let tolerance =
        if tensor.dtype() == DType::BF16 { Tolerance::relative(5e-2) } else { Tolerance::of(tensor.dtype()) };
    case.observe(name, Value::tensor_within(tensor, tolerance)?);
    Ok(())
}
