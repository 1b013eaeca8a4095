//! FlashAttention. Witness: torch.nn.functional.scaled_dot_product_attention.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, golden};
use candle_core::Tensor;
use std::process::ExitCode;

/// q (Tq, d_k), k (Tk, d_k), v (Tk, d_v), tile, causal → (Tq, d_v).
pub type Attempt = fn(&Tensor, &Tensor, &Tensor, usize, bool) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    mistakes_of(Problem::new("flash-attn", reference::flash_attention as Attempt))
        .case("two queries, four keys, tiles of three", |attempt, case| {
            let q = case.tensor("q", &[1., 0., 0., 1.], (2, 2))?;
            let k = case.tensor("k", &[1., 0., 0., 1., 1., 1., 2., -1.], (4, 2))?;
            judged(attempt, case, &q, &k, &k.clone(), 3, false)
        })
        .case("tiles that do not divide, d_v other than d_k", |attempt, case| {
            seeded(attempt, case, [5, 11, 4, 6], 3, false)
        })
        .case("tiles that divide", |attempt, case| seeded(attempt, case, [3, 12, 8, 5], 4, false))
        .case("one tile larger than all keys", |attempt, case| seeded(attempt, case, [4, 6, 3, 5], 64, false))
        .case("one key a tile", |attempt, case| seeded(attempt, case, [3, 5, 4, 2], 1, false))
        .case("the largest score in the first tile", |attempt, case| rising(attempt, case, -4.0))
        .case("the largest score in the last tile", |attempt, case| rising(attempt, case, 4.0))
        .case("ten thousand in the first tile", |attempt, case| rising(attempt, case, -2000.0))
        .case("ten thousand in the last tile", |attempt, case| rising(attempt, case, 2000.0))
        .case("one query, one key", |attempt, case| seeded(attempt, case, [1, 1, 3, 2], 2, true))
        .case("queries of very different sizes", |attempt, case| {
            // One row's scores reach 1e4, another's stay below 1: they cannot share a maximum.
            let q = case.tensor("q", &[300., -200., 150., 90., 0.1, 0.2, -0.1, 0.3, -80., 40., 60., -20.], (3, 4))?;
            let k = case.randn_scaled("k", (7, 4), 0.0, 30.0)?;
            let v = case.randn("v", (7, 3))?;
            judged(attempt, case, &q, &k, &v, 2, false)
        })
        .case("causal, as many queries as keys", |attempt, case| seeded(attempt, case, [7, 7, 4, 5], 3, true))
        .case("causal, three new tokens behind six in the cache", |attempt, case| {
            seeded(attempt, case, [3, 9, 4, 5], 2, true)
        })
        .case("causal, more queries than keys: the first see nothing", |attempt, case| {
            seeded(attempt, case, [6, 4, 3, 5], 3, true)
        })
        .case("memory does not grow with Tq × Tk", |attempt, case| within_memory(attempt, case, false))
        .case("nor does it under the causal mask", |attempt, case| within_memory(attempt, case, true))
        .gpu_case("2048 tokens", |attempt, case| seeded(attempt, case, [2048, 2048, 64, 64], 128, true))
        .cost("512 tokens, tiles of 64", |attempt, case| {
            let (q, k, v) = qkv(case, [512, 512, 32, 32])?;
            case.observe_tensor("output", &attempt(&q, &k, &v, 64, false)?)
        })
        .golden(
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/flash-attn.json")),
            |attempt, fixture| {
                for entry in fixture.entries("cases")? {
                    let part = |name: &str| golden::tensor(&entry[name]);
                    let tile = entry["tile"].as_u64().ok_or("tile")? as usize;
                    let output = attempt(&part("q")?, &part("k")?, &part("v")?, tile, entry["causal"] == true)?;
                    fixture.expect_tensor("output", &entry["output"], &output, 1e-5)?;
                }
                Ok(())
            },
        )
}

fn mistakes_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("output-not-rescaled", "the output so far is not multiplied by e^(m−m′) when the maximum rises, so earlier tiles count too much", mistakes::output_not_rescaled)
        .mistake("sum-not-rescaled", "the normaliser so far is not multiplied by e^(m−m′) when the maximum rises: numerator and denominator no longer fit", mistakes::sum_not_rescaled)
        .mistake("max-not-running", "each tile uses its own maximum and nothing is carried over: tiles are added on different scales", mistakes::max_not_running)
        .mistake("max-forgotten", "the maximum is the newest tile's and not the largest so far: the rescaling is right on paper, and e^(m−m′) overflows where a later tile's scores are much lower", mistakes::max_forgotten)
        .mistake("no-max", "exp is taken of the raw scores: it overflows to inf and the row becomes NaN", mistakes::no_max)
        .mistake("tail-dropped", "the keys behind the last whole tile are never looked at", mistakes::tail_dropped)
        .mistake("no-scale", "the scores are not divided by √d_k", mistakes::no_scale)
        .mistake("global-max", "one maximum serves all queries: a row whose scores are far below it underflows to 0/0", mistakes::global_max)
        .mistake("last-sum", "the normaliser is that of the last tile alone", mistakes::last_sum)
        .mistake("nan-when-hidden", "a tile in which a query may see nothing gives −inf − (−inf) = NaN", mistakes::nan_when_hidden)
        .mistake("nan-in-hidden-row", "a query that may see no key at all (Tq > Tk) comes out as NaN: its maximum stays −inf and its sum 0", mistakes::nan_in_hidden_row)
        .mistake("causal-ignored", "the causal flag changes nothing", mistakes::causal_ignored)
        .mistake("top-left", "the causal mask is aligned at the top left: with a cache the newest queries do not see the newest keys", mistakes::top_left)
        .mistake("mask-from-zero", "every tile is masked as if it were the first: the tile's start is forgotten in the comparison", mistakes::mask_from_zero)
        .mistake("whole-mask", "the scores are tiled, but the causal mask is built as one Tq×Tk tensor and cut: the memory is back", mistakes::whole_mask)
        .convention("materialises-full-scores", "the whole Tq×Tk matrix is built, as plain attention (F.scaled_dot_product_attention's math backend) does: the numbers are right and the memory is what FlashAttention exists to avoid", mistakes::materialises)
}

fn judged(
    attempt: &Attempt,
    case: &mut Case,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    tile: usize,
    causal: bool,
) -> Result<()> {
    case.given("tile", tile);
    case.given("causal", causal);
    case.observe_tensor("output", &attempt(q, k, v, tile, causal)?)
}

fn seeded(attempt: &Attempt, case: &mut Case, sizes: [usize; 4], tile: usize, causal: bool) -> Result<()> {
    let (q, k, v) = qkv(case, sizes)?;
    judged(attempt, case, &q, &k, &v, tile, causal)
}

/// The score matrix alone takes 6 MiB; a tile of scores takes 64 KiB, and even a dozen of them stay far below the bound.
fn within_memory(attempt: &Attempt, case: &mut Case, causal: bool) -> Result<()> {
    let (q, k, v) = qkv(case, [1024, 1536, 16, 16])?;
    case.given("tile", 16);
    case.given("causal", causal);
    // The first run lets the matrix kernels take their buffers, one for each thread and as large as a cache: no part of
    // the attempt, and on many cores more than all that it uses itself.
    attempt(&q, &k, &v, 16, causal)?;
    let output = case.within_memory("peak memory", 3 << 20, || attempt(&q, &k, &v, 16, causal))?;
    case.observe_tensor("output", &output)
}

/// Scores that rise (or fall) from tile to tile.
fn rising(attempt: &Attempt, case: &mut Case, slope: f32) -> Result<()> {
    let q = case.tensor("q", &[1., 0.5, -0.2, 1.2, 0.3, 0.8], (3, 2))?;
    let keys: Vec<f32> = (0..8).flat_map(|j| [slope * j as f32, (j % 3) as f32 - 1.0]).collect();
    let k = case.tensor("k", &keys, (8, 2))?;
    let v = case.randn("v", (8, 3))?;
    judged(attempt, case, &q, &k, &v, 3, false)
}

/// q, k and v for sizes Tq, Tk, d_k, d_v.
fn qkv(case: &mut Case, [tq, tk, dk, dv]: [usize; 4]) -> Result<(Tensor, Tensor, Tensor)> {
    Ok((case.randn_scaled("q", (tq, dk), 0.0, 2.0)?, case.randn("k", (tk, dk))?, case.randn("v", (tk, dv))?))
}
