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
        .case("memory does not grow with Tq × Tk", |attempt, case| {
            let (q, k, v) = qkv(case, [640, 640, 16, 16])?;
            case.given("tile", 32);
            // The score matrix alone takes 1.6 MB; q, k, v, the output and a tile of scores take well under a third of it.
            let output = case.within_memory("peak memory", 900 << 10, || attempt(&q, &k, &v, 32, false))?;
            case.observe_tensor("output", &output)
        })
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
        .mistake("no-max", "exp is taken of the raw scores: it overflows to inf and the row becomes NaN", mistakes::no_max)
        .mistake("tail-dropped", "the keys behind the last whole tile are never looked at", mistakes::tail_dropped)
        .mistake("no-scale", "the scores are not divided by √d_k", mistakes::no_scale)
        .mistake("global-max", "one maximum serves all queries: a row whose scores are far below it underflows to 0/0", mistakes::global_max)
        .mistake("last-sum", "the normaliser is that of the last tile alone", mistakes::last_sum)
        .mistake("nan-when-hidden", "a tile in which a query may see nothing gives −inf − (−inf) = NaN", mistakes::nan_when_hidden)
        .mistake("causal-ignored", "the causal flag changes nothing", mistakes::causal_ignored)
        .mistake("top-left", "the causal mask is aligned at the top left: with a cache the newest queries do not see the newest keys", mistakes::top_left)
        .mistake("mask-from-zero", "every tile is masked as if it were the first: the tile's start is forgotten in the comparison", mistakes::mask_from_zero)
        .mistake("materialises-scores", "the whole Tq×Tk matrix is built: the numbers are right and the memory is what FlashAttention exists to avoid", mistakes::materialises)
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
