//! A low-rank adapter beside a weight, and merged into it. Witness: PEFT's LoRA layer.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Tolerance, Value, golden};
use candle_core::{DType, Tensor};
use std::process::ExitCode;

/// A linear layer with an adapter of rank r.
#[derive(Clone, Debug)]
pub struct Layer {
    /// W (out, in): y = x·Wᵀ. Holds the adapter too while `merged`.
    pub weight: Tensor,
    /// A (r, in).
    pub a: Tensor,
    /// B (out, r).
    pub b: Tensor,
    /// α.
    pub alpha: f64,
    /// Whether the adapter has been added to `weight`.
    pub merged: bool,
}

/// weight (out, in), rank, α, source of uniforms → the layer before training.
pub type Init = fn(&Tensor, usize, f64, &mut dyn FnMut() -> f64) -> candle_core::Result<Layer>;

/// layer, x (n, in) → (n, out).
pub type Forward = fn(&Layer, &Tensor) -> candle_core::Result<Tensor>;

/// Changes the layer's weight and its flag.
pub type Change = fn(&mut Layer) -> candle_core::Result<()>;

/// The four functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// A new adapter.
    pub init: Init,
    /// The layer at work.
    pub forward: Forward,
    /// Adapter into the weight.
    pub merge: Change,
    /// Adapter out of the weight.
    pub unmerge: Change,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    use reference::{forward, init, merge, unmerge};
    let problem = Problem::new("lora-merge", Attempt { init, forward, merge, unmerge });
    golden_of(cases(init_cases(mistakes_of(problem))))
}

fn mistakes_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("alpha-alone", "the adapter is scaled by α; it is α/r", mistakes::alpha_alone())
        .mistake("unscaled", "the adapter is not scaled by α/r", mistakes::unscaled())
        .mistake("scale-inverted", "the adapter is scaled by r/α; it is α/r", mistakes::inverted())
        .mistake("rank-from-inputs", "α is divided by the number of inputs, A's second axis; r is its first one", mistakes::rank_from_inputs())
        .mistake("product-transposed", "A and B change places, which gives (B·A)ᵀ: it fits a square weight only, and is wrong there too", mistakes::product_transposed())
        .mistake("merge-unscaled", "what is merged is B·A without α/r, so the merged layer is another one than `forward` computes", mistakes::merge_unscaled())
        .mistake("merge-replaces", "the weight is replaced by the adapter's product; the product is added to it", mistakes::merge_replaces_weight())
        .mistake("merged-twice", "a layer that is merged already is merged again: the adapter counts twice", mistakes::merged_twice())
        .mistake("unmerged-twice", "an adapter that is not in the weight is taken out of it", mistakes::unmerged_twice())
        .mistake("adapter-on-top", "`forward` adds the adapter although it is merged: it counts twice", mistakes::adapter_on_top())
        .mistake("flag-not-set", "`merge` leaves `merged` false: `forward` adds the adapter once more, and `unmerge` does nothing", mistakes::flag_not_set())
        .mistake("flag-not-cleared", "`unmerge` leaves `merged` true: `forward` then works without the adapter", mistakes::flag_not_cleared())
        .mistake("adapter-cleared", "`merge` sets B to zero, so that nothing counts twice, and `unmerge` no longer knows what to take out", mistakes::adapter_cleared())
        .mistake("unmerge-adds", "`unmerge` adds the adapter once more; it has to be subtracted", mistakes::unmerge_adds_again())
        .mistake("everything-scaled", "α/r scales the base output as well; it belongs to the adapter alone", mistakes::everything_scaled())
        .mistake("base-forgotten", "`forward` returns the adapter's part without x·Wᵀ", mistakes::base_forgotten())
        .mistake("never-applied", "`forward` leaves the adapter out while it is not merged", mistakes::never_applied())
        .mistake("weight-not-transposed", "x is multiplied by W and not by Wᵀ: W is (out, in)", mistakes::weight_not_transposed())
        .mistake("delta-in-forward", "`forward` builds B·A, as large as the weight: right numbers, and in · out numbers where r · (in + out) are enough", mistakes::delta_in_forward())
        .mistake("b-random", "B starts with random numbers: the untrained adapter already changes the model", mistakes::b_random())
        .mistake("both-zero", "A and B both start at zero: each one's gradient is a multiple of the other, so neither ever learns", mistakes::both_zero())
        .mistake("one-sided", "A starts between 0 and 1/√in; it is symmetric about 0", mistakes::one_sided())
        .mistake("bound-by-rank", "A starts within ±1/√r; each of its rows sums over `in` numbers, so it is ±1/√in", mistakes::bound_by_rank())
        .convention("rank-stabilised", "the adapter is scaled by α/√r, as rsLoRA does (PEFT's use_rslora); here it is α/r", mistakes::rank_stabilised())
        .convention("zero-a", "A starts at zero and B at random. That leaves the model unchanged too and is known as Init[B]; LoRA and PEFT, and this problem, have B zero", mistakes::zero_a())
}

fn init_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("a new adapter", |attempt, case| initialised(attempt, case, [7, 5], 3))
        .case("a new adapter of a higher rank than the weight", |attempt, case| initialised(attempt, case, [2, 3], 4))
        .case("a new adapter changes nothing", |attempt, case| {
            let weight = case.randn("weight", (6, 6))?;
            let x = case.randn("x", (4, 6))?;
            let mut layer = (attempt.init)(&weight, 2, 8.0, &mut case.source())?;
            case.observe_tensor("output", &(attempt.forward)(&layer, &x)?)?;
            (attempt.merge)(&mut layer)?;
            case.observe_tensor("weight, merged", &layer.weight)
        })
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("by hand", |attempt, case| {
            let layer = Layer {
                weight: case.tensor("weight", &[1., 0., 0., 1.], (2, 2))?,
                a: case.tensor("a", &[1., 2.], (1, 2))?,
                b: case.tensor("b", &[0.5, 1.], (2, 1))?,
                alpha: case.given("alpha", 4.0),
                merged: false,
            };
            let x = case.tensor("x", &[1., 1.], (1, 2))?;
            lived(attempt, case, layer, &x)
        })
        .case("every axis of another size", |attempt, case| {
            let (layer, x) = random(case, [7, 5, 3, 4], 6.0, 1.0)?;
            lived(attempt, case, layer, &x)
        })
        .case("a square weight", |attempt, case| {
            let (layer, x) = random(case, [6, 6, 2, 3], 16.0, 1.0)?;
            lived(attempt, case, layer, &x)
        })
        .case("alpha below the rank", |attempt, case| {
            let (layer, x) = random(case, [3, 8, 4, 5], 1.0, 1.0)?;
            lived(attempt, case, layer, &x)
        })
        .case("rank one, one output", |attempt, case| {
            let (layer, x) = random(case, [1, 9, 1, 2], 0.5, 1.0)?;
            lived(attempt, case, layer, &x)
        })
        .case("values near ten thousand", |attempt, case| {
            let (layer, x) = random(case, [4, 3, 2, 5], 3.0, 1e4)?;
            lived(attempt, case, layer, &x)
        })
        .case("forward builds no matrix of the weight's size", |attempt, case| {
            let (layer, x) = random(case, [1024, 512, 8, 1], 16.0, 1.0)?;
            // The first run lets the matrix kernels take their buffers, which are no part of the attempt.
            (attempt.forward)(&layer, &x)?;
            let output = case.within_memory("peak memory", 768 << 10, || (attempt.forward)(&layer, &x))?;
            case.observe_tensor("output", &output)
        })
        .gpu_case("bf16, 4096 to 1024, rank 64", |attempt, case| {
            let (layer, x) = random(case, [1024, 4096, 64, 33], 128.0, 1.0)?;
            let half = |t: &Tensor| t.to_dtype(DType::BF16);
            let layer = Layer { weight: half(&layer.weight)?, a: half(&layer.a)?, b: half(&layer.b)?, ..layer };
            let output = (attempt.forward)(&layer, &half(&x)?)?;
            case.observe("output", Value::tensor_within(&output, Tolerance::relative(5e-2))?);
            Ok(())
        })
        .cost("256 to 384, rank 16, 64 tokens", |attempt, case| {
            let (mut layer, x) = random(case, [384, 256, 16, 64], 32.0, 1.0)?;
            case.observe_tensor("output", &(attempt.forward)(&layer, &x)?)?;
            (attempt.merge)(&mut layer)?;
            case.observe_tensor("output, merged", &(attempt.forward)(&layer, &x)?)
        })
}

/// A trained layer and an input, for the sizes out, in, r, n.
fn random(case: &mut Case, [out, width, rank, n]: [usize; 4], alpha: f64, scale: f64) -> Result<(Layer, Tensor)> {
    let by = |width: usize| 1.0 / (width as f64).sqrt();
    let layer = Layer {
        weight: case.randn_scaled("weight", (out, width), 0.0, by(width))?,
        a: case.randn_scaled("a", (rank, width), 0.0, by(width))?,
        b: case.randn_scaled("b", (out, rank), 0.0, by(rank))?,
        alpha: case.given("alpha", alpha),
        merged: false,
    };
    let x = case.randn_scaled("x", (n, width), 0.0, scale)?;
    Ok((layer, x))
}

fn initialised(attempt: &Attempt, case: &mut Case, [out, width]: [usize; 2], rank: usize) -> Result<()> {
    let weight = case.randn("weight", (out, width))?;
    let (rank, alpha) = (case.given("rank", rank), case.given("alpha", 8.0));
    let (mut source, mut taken) = (case.source(), 0);
    let layer = (attempt.init)(&weight, rank, alpha, &mut || {
        taken += 1;
        source()
    })?;
    case.observe_tensor("a", &layer.a)?;
    case.observe_tensor("b", &layer.b)?;
    case.observe("uniforms taken", Value::ints(&[taken]));
    case.observe_tensor("weight", &layer.weight)?;
    case.observe("alpha", Value::scalar(layer.alpha));
    case.observe("merged", Value::Flag(layer.merged));
    Ok(())
}

/// Every change that a layer can go through, each of them twice, with a look at the layer after each.
fn lived(attempt: &Attempt, case: &mut Case, mut layer: Layer, x: &Tensor) -> Result<()> {
    case.observe_tensor("output", &(attempt.forward)(&layer, x)?)?;
    let steps: [(&str, Change); 6] = [
        ("unmerged before any merge", attempt.unmerge),
        ("merged", attempt.merge),
        ("merged again", attempt.merge),
        ("unmerged", attempt.unmerge),
        ("unmerged again", attempt.unmerge),
        ("merged once more", attempt.merge),
    ];
    for (name, change) in steps {
        change(&mut layer)?;
        case.observe_tensor(&format!("weight, {name}"), &layer.weight)?;
        case.observe(&format!("flag, {name}"), Value::Flag(layer.merged));
        case.observe_tensor(&format!("output, {name}"), &(attempt.forward)(&layer, x)?)?;
    }
    Ok(())
}

fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/lora-merge.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let part = |name: &str| golden::tensor(&entry[name]);
            let alpha = entry["alpha"].as_f64().ok_or("golden fixture: no alpha")?;
            let (weight, a, b, x) = (part("weight")?, part("a")?, part("b")?, part("x")?);
            let mut layer = Layer { weight, a, b, alpha, merged: false };
            fixture.expect_tensor("output", &entry["output"], &(attempt.forward)(&layer, &x)?, 1e-5)?;
            (attempt.merge)(&mut layer)?;
            fixture.expect_tensor("merged", &entry["merged"], &layer.weight, 1e-5)?;
            fixture.expect_tensor("output, merged", &entry["output"], &(attempt.forward)(&layer, &x)?, 1e-5)?;
            (attempt.unmerge)(&mut layer)?;
            fixture.expect_tensor("unmerged", &entry["weight"], &layer.weight, 1e-5)?;
        }
        Ok(())
    })
}
