//! Memory of the KV cache, and how many sequences fit. Witnesses: the caches of transformers' models, and vLLM's arithmetic.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use std::process::ExitCode;

/// A model as far as memory goes.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Transformer layers, L.
    pub layers: u64,
    /// Width of the residual stream, D. It need not be heads · head_dim.
    pub width: u64,
    /// Query heads, H.
    pub heads: u64,
    /// Key/value heads, H_kv.
    pub kv_heads: u64,
    /// Width of a head, d_k, of keys as of values.
    pub head_dim: u64,
    /// Number of weights.
    pub parameters: u64,
    /// Bytes of a weight.
    pub weight_bytes: u64,
    /// Bytes of a number in the cache.
    pub cache_bytes: u64,
}

/// A GPU and what may be used of it.
#[derive(Clone, Copy, Debug)]
pub struct Gpu {
    /// Memory in GiB (2³⁰ bytes).
    pub memory_gib: f64,
    /// Share of the memory that may be used for everything together, 0 to 1.
    pub utilization: f64,
    /// Memory in GiB that activations and the framework take.
    pub reserved_gib: f64,
}

/// What fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Whole blocks of the cache; a block holds block_size tokens in all layers.
    pub blocks: u64,
    /// Sequences that fit at the same time.
    pub sequences: u64,
}

/// model, sequences, tokens of each → bytes.
pub type KvBytes = fn(&Model, u64, u64) -> u64;

/// model, GPU, tokens of a block, tokens of a sequence → what fits.
pub type Fits = fn(&Model, &Gpu, u64, u64) -> Capacity;

/// Both functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Memory of the cache.
    pub kv_bytes: KvBytes,
    /// Blocks and sequences.
    pub capacity: Fits,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { kv_bytes: reference::kv_bytes, capacity: reference::capacity };
    golden_of(edges(models(mistakes_of(Problem::new("kv-memory", reference)))))
}

fn mistakes_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("no-factor-two", "keys or values are counted, not both: the factor 2 is missing", mistakes::no_factor_two())
        .mistake("query-heads", "the query heads are counted; only the H_kv key/value heads are cached", mistakes::query_heads())
        .mistake("model-width", "D numbers are counted for each token, layer, key and value, as in old multi-head models; it is H_kv · d_k", mistakes::model_width())
        .mistake("head-dim-from-width", "d_k is taken as D / H; models such as Qwen3 and Gemma have a head_dim of their own", mistakes::head_dim_from_width())
        .mistake("one-layer", "the layers are forgotten: every layer has a cache of its own", mistakes::one_layer())
        .mistake("block-of-one-layer", "a block is counted for one layer; a block of block_size tokens takes its share in every layer", mistakes::block_of_one_layer())
        .mistake("weight-dtype", "the cache is counted in the weights' bytes; it has a dtype of its own", mistakes::weight_dtype())
        .mistake("cache-dtype", "the weights are counted in the cache's bytes; they have a dtype of their own", mistakes::cache_dtype())
        .mistake("batch-forgotten", "kv_bytes is that of one sequence, whatever the batch", mistakes::batch_forgotten())
        .mistake("decimal-gigabytes", "GiB are taken as 10⁹ bytes; a GiB is 2³⁰ = 1 073 741 824, 7 % more", mistakes::decimal_gigabytes())
        .mistake("weights-ignored", "the weights are not subtracted: the cache gets only what they leave", mistakes::weights_ignored())
        .mistake("reserve-ignored", "what activations and the framework take is not subtracted", mistakes::reserve_ignored())
        .mistake("utilization-ignored", "all of the memory is used, whatever the utilization", mistakes::utilization_ignored())
        .mistake("underflow", "weights that do not fit are subtracted all the same: in unsigned numbers the budget wraps around to 16 EiB", mistakes::underflow())
        .mistake("block-rounded-up", "a block that does not fit whole is counted", mistakes::block_rounded_up())
        .mistake("tokens-pooled", "the sequences share out tokens (blocks · block_size / tokens); a block belongs to one sequence, and its empty places are lost to the others", mistakes::tokens_pooled())
        .mistake("blocks-skipped", "the bytes are divided by the bytes of a sequence, as if memory were not handed out in blocks", mistakes::blocks_skipped())
        .mistake("partial-block-dropped", "a sequence's blocks are rounded down: its last tokens have no place", mistakes::partial_block_dropped())
        .mistake("one-block-more", "a sequence takes tokens / block_size + 1 blocks: one too many where the division is exact", mistakes::one_block_more())
        .mistake("sequence-rounded-up", "a sequence that fits only in part is counted", mistakes::sequence_rounded_up())
        .convention("share-of-the-free", "the utilization is a share of what the weights leave, as TensorRT-LLM's free_gpu_memory_fraction is; here it is a share of the whole memory, as in vLLM", mistakes::share_of_the_free())
}

const LLAMA_3_8B: Model = Model {
    layers: 32,
    width: 4096,
    heads: 32,
    kv_heads: 8,
    head_dim: 128,
    parameters: 8_030_261_248,
    weight_bytes: 2,
    cache_bytes: 2,
};

/// A head_dim that is not D / H.
const QWEN3_0_6B: Model = Model {
    layers: 28,
    width: 1024,
    heads: 16,
    kv_heads: 8,
    head_dim: 128,
    parameters: 596_049_920,
    weight_bytes: 2,
    cache_bytes: 2,
};

/// Every number another one; a token takes 2 · 3 · 2 · 7 = 84 bytes.
const TOY: Model = Model {
    layers: 3,
    width: 50,
    heads: 6,
    kv_heads: 2,
    head_dim: 7,
    parameters: 1 << 29,
    weight_bytes: 4,
    cache_bytes: 1,
};

/// A token takes 2 · 2 · 1 · 64 · 4 = 1 KiB.
const ROUND: Model = Model {
    layers: 2,
    width: 128,
    heads: 4,
    kv_heads: 1,
    head_dim: 64,
    parameters: 1 << 28,
    weight_bytes: 1,
    cache_bytes: 4,
};

const CARD: Gpu = Gpu { memory_gib: 24.0, utilization: 0.9, reserved_gib: 1.0 };

fn models(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("Llama-3-8B on 24 GiB", |attempt, case| judged(attempt, case, LLAMA_3_8B, CARD, 16, [1, 8192]))
        .case("the same with a key/value head for every query head", |attempt, case| {
            judged(attempt, case, Model { kv_heads: 32, ..LLAMA_3_8B }, CARD, 16, [2, 1000])
        })
        .case("Llama-3-70B with fp8 weights on 80 GiB", |attempt, case| {
            let model = Model { layers: 80, width: 8192, heads: 64, parameters: 70_553_706_496, ..LLAMA_3_8B };
            let gpu = Gpu { memory_gib: 80.0, utilization: 0.95, reserved_gib: 2.5 };
            judged(attempt, case, Model { weight_bytes: 1, ..model }, gpu, 32, [3, 2_000])
        })
        .case("Qwen3-0.6B: heads wider than D / H", |attempt, case| {
            let gpu = Gpu { memory_gib: 8.0, utilization: 0.8, reserved_gib: 0.75 };
            judged(attempt, case, QWEN3_0_6B, gpu, 16, [5, 4_100])
        })
        .case("multi-query, fp8 cache", |attempt, case| {
            let model = Model { kv_heads: 1, cache_bytes: 1, ..LLAMA_3_8B };
            judged(attempt, case, model, CARD, 64, [7, 100_000])
        })
        .case("every number another one", |attempt, case| {
            let gpu = Gpu { memory_gib: 3.5, utilization: 0.7, reserved_gib: 0.25 };
            judged(attempt, case, TOY, gpu, 5, [4, 1_234])
        })
        .cost("a thousand configurations", |attempt, case| {
            for layers in 1..=1_000 {
                let model = Model { layers, ..TOY };
                let found = (attempt.capacity)(&model, &CARD, 16, 900);
                let bytes = (attempt.kv_bytes)(&model, 3, 900);
                case.observe(&format!("{layers} layers"), Value::ints(&[bytes, found.blocks, found.sequences]));
            }
            Ok(())
        })
}

fn edges(problem: Problem<Attempt>) -> Problem<Attempt> {
    // 1 GiB, half of it usable, 256 MiB of weights: 256 MiB are left, minus the reserve.
    let half =
        |reserved_kib: f64| Gpu { memory_gib: 1.0, utilization: 0.5, reserved_gib: reserved_kib / f64::from(1 << 20) };
    let kib = 256.0 * 1024.0;
    problem
        .case("room for exactly ten blocks and five sequences", move |attempt, case| {
            judged(attempt, case, ROUND, half(kib - 160.0), 16, [5, 32])
        })
        .case("one byte short of ten blocks", move |attempt, case| {
            judged(attempt, case, ROUND, half(kib - 160.0 + 1.0 / 1024.0), 16, [5, 32])
        })
        .case("a token more than two blocks", move |attempt, case| {
            judged(attempt, case, ROUND, half(kib - 175.0), 16, [1, 33])
        })
        .case("a sequence that would fit if there were no blocks", move |attempt, case| {
            judged(attempt, case, ROUND, half(kib - 63.0), 16, [1, 60])
        })
        .case("a sequence of one token", move |attempt, case| {
            judged(attempt, case, ROUND, half(kib - 100.0), 16, [1, 1])
        })
        .case("blocks of one token", move |attempt, case| judged(attempt, case, ROUND, half(kib - 100.0), 1, [2, 3]))
        .case("a sequence longer than the cache", move |attempt, case| {
            judged(attempt, case, ROUND, half(kib - 100.0), 16, [1, 1_000_000])
        })
        .case("weights that do not fit", |attempt, case| {
            let gpu = Gpu { memory_gib: 12.0, utilization: 1.0, reserved_gib: 0.5 };
            judged(attempt, case, LLAMA_3_8B, gpu, 16, [1, 2048])
        })
}

fn judged(
    attempt: &Attempt,
    case: &mut Case,
    model: Model,
    gpu: Gpu,
    block_size: u64,
    [batch, tokens]: [u64; 2],
) -> Result<()> {
    case.given("model", model);
    case.given("gpu", gpu);
    case.given("block_size", block_size);
    case.given("batch", batch);
    case.given("tokens", tokens);
    case.observe("bytes of the batch", Value::ints(&[(attempt.kv_bytes)(&model, batch, tokens)]));
    let found = (attempt.capacity)(&model, &gpu, block_size, tokens);
    case.observe("blocks", Value::ints(&[found.blocks]));
    case.observe("sequences", Value::ints(&[found.sequences]));
    Ok(())
}

fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/kv-memory.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let number = |key: &str| entry[key].as_u64().ok_or(format!("golden fixture: no {key}"));
            let model = Model {
                layers: number("layers")?,
                width: number("width")?,
                heads: number("heads")?,
                kv_heads: number("kv_heads")?,
                head_dim: number("head_dim")?,
                parameters: number("parameters")?,
                weight_bytes: number("weight_bytes")?,
                cache_bytes: number("cache_bytes")?,
            };
            let (batch, tokens) = (number("batch")?, number("tokens")?);
            let bytes = (attempt.kv_bytes)(&model, batch, tokens);
            fixture.expect("bytes", Value::ints(&[number("bytes")?]), Value::ints(&[bytes]));
            if entry["gpu"].is_null() {
                continue;
            }
            let gpu = golden::floats(&entry["gpu"])?;
            let gpu = Gpu { memory_gib: gpu[0], utilization: gpu[1], reserved_gib: gpu[2] };
            let found = (attempt.capacity)(&model, &gpu, number("block_size")?, tokens);
            let expected = [number("blocks")?, number("sequences")?];
            fixture.expect("fits", Value::ints(&expected), Value::ints(&[found.blocks, found.sequences]));
        }
        Ok(())
    })
}
