//! What is tried: the slots, steps of all sizes against the window, and the memory of a long sequence.

use super::{Attempt, Ring};
use crate::judge::{Case, Problem, Result, Tolerance, Value, golden};
use candle_core::{DType, Tensor};

/// What the slots hold.
pub fn positions(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("what three slots hold, token after token", |attempt, case| {
            (0..=10).for_each(|seen| held(attempt, case, seen, 3));
            Ok(())
        })
        .case("what slots hold much later", |attempt, case| {
            [(1, 1), (9, 1), (13, 16), (16, 16), (17, 16), (1000, 7), (100_003, 5)]
                .into_iter()
                .for_each(|(seen, window)| held(attempt, case, seen, window));
            Ok(())
        })
}

/// Sizes of a case: B, H, W, d_k, d_v.
type Sizes = [usize; 5];

/// Steps of attention.
pub fn steps(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("two slots, four tokens, by hand", |attempt, case| {
            let mut tensor = |name: &str, data: [f32; 4]| case.tensor(name, &data, (1, 1, 4, 1));
            let qkv =
                [tensor("q", [1., 1., 2., -1.])?, tensor("k", [0., 1., 2., -1.])?, tensor("v", [10., 20., 30., 40.])?];
            let ring = Ring {
                k: case.tensor("ring.k", &[5., -7.], (1, 1, 2, 1))?,
                v: case.tensor("ring.v", &[100., 200.], (1, 1, 2, 1))?,
                window: case.given("ring.window", 2),
                seen: 0,
            };
            case.given("slopes", [0.5f32]);
            judged(attempt, case, ring, &qkv, &[0.5], &[1; 4])
        })
        .case("token by token, every axis of another size", |attempt, case| {
            random(attempt, case, [2, 3, 4, 2, 5], &[0.5, 0.25, 1.0], &[1; 11])
        })
        .case("no bias", |attempt, case| random(attempt, case, [2, 1, 3, 4, 4], &[0.0], &[1; 9]))
        .case("not full yet", |attempt, case| random(attempt, case, [1, 2, 16, 3, 2], &[0.1, 0.0], &[2, 1, 1, 1]))
        .case("full, and one more", |attempt, case| random(attempt, case, [1, 2, 5, 2, 3], &[0.3, 0.6], &[1; 6]))
        .case("chunks across the end of the ring", |attempt, case| {
            random(attempt, case, [2, 2, 5, 4, 3], &[0.2, 0.7], &[3, 4, 1, 2, 2])
        })
        .case("a chunk as long as the window", |attempt, case| {
            random(attempt, case, [1, 2, 4, 3, 5], &[0.4, 0.0], &[4, 4, 1])
        })
        .case("a prompt longer than the window", |attempt, case| {
            random(attempt, case, [2, 2, 4, 3, 2], &[0.25, 0.5], &[11, 1, 1])
        })
        .case("a window of one", |attempt, case| random(attempt, case, [1, 2, 1, 3, 2], &[0.5, 0.1], &[1, 1, 3]))
        .case("large scores", |attempt, case| {
            let (ring, [q, k, v]) = inputs(case, [1, 2, 3, 4, 2], 7)?;
            case.given("slopes", [0.5f32, 2.0]);
            let qkv = [(q * 40.0)?, (k * 40.0)?, v];
            judged(attempt, case, ring, &qkv, &[0.5, 2.0], &[2, 1, 1, 3])
        })
        .gpu_case("bf16, 8 heads of 64, a window of 128", |attempt, case| {
            let (ring, qkv) = inputs(case, [2, 8, 128, 64, 64], 150)?;
            let half = |t: &Tensor| t.to_dtype(DType::BF16);
            let ring = Ring { k: half(&ring.k)?, v: half(&ring.v)?, ..ring };
            let slopes: Vec<f32> = (1..=8).map(|head| 0.5f32.powi(head)).collect();
            judged(attempt, case, ring, &[half(&qkv[0])?, half(&qkv[1])?, half(&qkv[2])?], &slopes, &[140, 1, 9])
        })
        .cost("4 heads of 64, a window of 16, a prompt of 24, then 8 tokens", |attempt, case| {
            let (mut ring, qkv) = inputs(case, [1, 4, 16, 64, 64], 32)?;
            let lengths: Vec<usize> = std::iter::once(24).chain([1; 8]).collect();
            case.observe_tensor("output", &run(attempt, &mut ring, &qkv, &[0.5, 0.25, 0.1, 0.0], &lengths)?.0)
        })
}

/// Tokens of the long sequence.
const LONG: usize = 200;

/// A long sequence in a small ring.
pub fn memory(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem.case("two hundred tokens in a ring of four", |attempt, case| {
        // The ring takes 32 KiB; keys and values of all tokens would take 1.6 MiB. Ten tokens come again and again.
        let (mut ring, qkv) = inputs(case, [1, 8, 4, 128, 128], 10)?;
        let slopes = case.given("slopes", [0.5, 0.25, 0.0, 0.125, 1.0, 0.75, 0.1, 0.3]);
        case.given("token of step s", "s mod 10");
        let mut step = |at: usize| -> Result<Tensor> {
            let [q, k, v] = part(&qkv, at % 10, 1)?;
            Ok((attempt.window_step)(&q, &k, &v, &slopes, &mut ring)?)
        };
        // The first tokens let the matrix kernels take their buffers, which are no part of the attempt.
        (0..10).try_for_each(|at| step(at).map(|_| ()))?;
        let last =
            case.within_memory("peak memory", 512 << 10, || (10..LONG).try_fold(None, |_, at| step(at).map(Some)))?;
        case.observe_tensor("output of the last token", &last.ok_or("no token")?)?;
        case.observe("shape of ring.k", Value::Shape(ring.k.dims().to_vec()));
        Ok(())
    })
}

fn held(attempt: &Attempt, case: &mut Case, seen: usize, window: usize) {
    let found = (attempt.slot_positions)(seen, window);
    case.observe(&format!("after {seen} tokens, window {window}"), numbered(&found));
}

/// −1 stands for an empty slot.
fn numbered(held: &[Option<usize>]) -> Value {
    Value::ints(&held.iter().map(|slot| slot.map_or(-1, |position| position as i64)).collect::<Vec<i64>>())
}

/// A ring with what an earlier request left in it, and q, k, v of all tokens.
fn inputs(case: &mut Case, [b, heads, window, dk, dv]: Sizes, tokens: usize) -> Result<(Ring, [Tensor; 3])> {
    let ring = Ring {
        k: case.randn_scaled("ring.k", (b, heads, window, dk), 0.0, 2.0)?,
        v: case.randn_scaled("ring.v", (b, heads, window, dv), 5.0, 2.0)?,
        window: case.given("ring.window", window),
        seen: 0,
    };
    let qkv = [
        case.randn("q", (b, heads, tokens, dk))?,
        case.randn("k", (b, heads, tokens, dk))?,
        case.randn("v", (b, heads, tokens, dv))?,
    ];
    Ok((ring, qkv))
}

fn part(qkv: &[Tensor; 3], start: usize, n: usize) -> Result<[Tensor; 3]> {
    let cut = |t: &Tensor| t.narrow(2, start, n)?.contiguous();
    Ok([cut(&qkv[0])?, cut(&qkv[1])?, cut(&qkv[2])?])
}

/// Outputs of all steps (B, H, T, d_v), and how many slots the ring had after each.
fn run(
    attempt: &Attempt,
    ring: &mut Ring,
    qkv: &[Tensor; 3],
    slopes: &[f32],
    lengths: &[usize],
) -> Result<(Tensor, Vec<usize>)> {
    let (mut outputs, mut slots, mut start) = (Vec::new(), Vec::new(), 0);
    for &n in lengths {
        let [q, k, v] = part(qkv, start, n)?;
        outputs.push((attempt.window_step)(&q, &k, &v, slopes, ring)?);
        slots.push(ring.k.dims().get(2).copied().unwrap_or(0));
        start += n;
    }
    Ok((Tensor::cat(&outputs, 2)?, slots))
}

fn random(attempt: &Attempt, case: &mut Case, sizes: Sizes, slopes: &[f32], lengths: &[usize]) -> Result<()> {
    let (ring, qkv) = inputs(case, sizes, lengths.iter().sum())?;
    case.given("slopes", slopes);
    judged(attempt, case, ring, &qkv, slopes, lengths)
}

fn judged(
    attempt: &Attempt,
    case: &mut Case,
    mut ring: Ring,
    qkv: &[Tensor; 3],
    slopes: &[f32],
    lengths: &[usize],
) -> Result<()> {
    let lengths = case.given("tokens of each step", lengths);
    let window = ring.window;
    let (output, slots) = run(attempt, &mut ring, qkv, slopes, lengths)?;
    observe(case, "output", &output)?;
    case.observe("slots after each step", Value::ints(&slots));
    case.observe("seen", Value::ints(&[ring.seen]));
    // What stands in slots that no token was written to is free.
    let used = window.min(lengths.iter().sum());
    let used = |t: &Tensor| if t.dims().get(2) == Some(&window) { t.narrow(2, 0, used) } else { Ok(t.clone()) };
    observe(case, "ring.k", &used(&ring.k)?)?;
    observe(case, "ring.v", &used(&ring.v)?)
}

/// Wider in bf16: scores and softmax may each be rounded to it.
fn observe(case: &mut Case, name: &str, tensor: &Tensor) -> Result<()> {
    let tolerance =
        if tensor.dtype() == DType::BF16 { Tolerance::relative(5e-2) } else { Tolerance::of(tensor.dtype()) };
    case.observe(name, Value::tensor_within(tensor, tolerance)?);
    Ok(())
}

/// Outputs of whole sequences to 1e-5, slots exactly.
pub fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/ring-buffer-kv.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let part = |name: &str| golden::tensor(&entry[name]);
            let qkv = [part("q")?, part("k")?, part("v")?];
            let slopes: Vec<f32> =
                entry["slopes"].as_array().into_iter().flatten().filter_map(|v| v.as_f64()).map(|v| v as f32).collect();
            let lengths: Vec<usize> = golden::ints(&entry["steps"])?.into_iter().map(|n| n as usize).collect();
            let window = entry["window"].as_u64().ok_or("golden fixture: no window")? as usize;
            let empty = |t: &Tensor| -> Result<Tensor> {
                let (b, heads, _, width) = t.dims4()?;
                Ok(Tensor::ones((b, heads, window, width), t.dtype(), t.device())?)
            };
            let mut ring = Ring { k: empty(&qkv[1])?, v: empty(&qkv[2])?, window, seen: 0 };
            let (output, _) = run(attempt, &mut ring, &qkv, &slopes, &lengths)?;
            fixture.expect_tensor("output", &entry["output"], &output, 1e-5)?;
        }
        for entry in fixture.entries("slots")? {
            let number = |key: &str| entry[key].as_u64().map(|n| n as usize).ok_or("golden fixture: no number");
            let found = (attempt.slot_positions)(number("seen")?, number("window")?);
            fixture.expect("slots", Value::ints(&golden::ints(&entry["held"])?), numbered(&found));
        }
        Ok(())
    })
}
