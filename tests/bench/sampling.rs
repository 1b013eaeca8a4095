//! A full trace beside candle's own top-p on the same logits: `cargo bench --bench sampling`.
//!
//! The last lines are the ratios: the goal is a third of candle's time or less, and 2 ms or less.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a bench speaks

use candle_core::{Device, Tensor};
use candle_transformers::generation::{LogitsProcessor, Sampling};
use criterion::{BenchmarkId, Criterion};
use logitlings::sampling::{Engine, History, Settings, Stage, trace};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Logits with the spread of a language model's: a few high, most low.
fn logits(vocabulary: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f32 + 0.5) / (1u64 << 31) as f32
    };
    (0..vocabulary).map(|_| (-2.0 * unit().ln()).sqrt() * (std::f32::consts::TAU * unit()).cos() * 2.5).collect()
}

fn settings(stages: &[Stage]) -> Settings {
    let stages = stages.iter().map(|stage| (*stage, true)).collect();
    Settings { stages, rules: Engine::Transformers.rules(), greedy: false }
}

/// Every stage there is.
fn full() -> Settings {
    settings(&[
        Stage::Repetition { penalty: 1.1 },
        Stage::FrequencyPresence { frequency: 0.2, presence: 0.1 },
        Stage::Temperature(0.8),
        Stage::TopK(40),
        Stage::TopP(0.95),
        Stage::MinP(0.02),
        Stage::Typical(0.95),
    ])
}

/// What candle does, and what leaves the most to look at: no top-k in front.
fn nucleus() -> Settings {
    settings(&[Stage::Temperature(0.8), Stage::TopP(0.95)])
}

/// All stages again, with the widest sets: nothing is small before typical.
fn wide() -> Settings {
    settings(&[
        Stage::Repetition { penalty: 1.1 },
        Stage::FrequencyPresence { frequency: 0.2, presence: 0.1 },
        Stage::Temperature(1.0),
        Stage::TopK(50_000),
        Stage::TopP(0.99),
        Stage::MinP(1e-4),
        Stage::Typical(0.95),
    ])
}

fn candle() -> LogitsProcessor {
    LogitsProcessor::from_sampling(1, Sampling::TopP { p: 0.95, temperature: 0.8 })
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("sampling");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2)).sample_size(20);
    let said: Vec<u32> = (0..64).map(|i| i * 37).collect();
    let history = History { prompt: &said[..32], generated: &said[32..] };
    for vocabulary in [50_257, 151_936] {
        let logits = logits(vocabulary);
        for (name, settings) in [("full trace", full()), ("temperature, top-p", nucleus()), ("wide", wide())] {
            group.bench_with_input(BenchmarkId::new(name, vocabulary), &logits, |b, logits| {
                b.iter(|| trace(black_box(logits), &history, &settings, 64));
            });
        }
        let tensor = Tensor::from_vec(logits.clone(), vocabulary, &Device::Cpu).expect("a tensor");
        let mut processor = candle();
        group.bench_with_input(BenchmarkId::new("candle's top-p", vocabulary), &tensor, |b, tensor| {
            b.iter(|| processor.sample(black_box(tensor)));
        });
    }
    group.finish();
}

/// The median time of one call, in ms.
fn median(mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..41)
        .map(|_| {
            let began = Instant::now();
            call();
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Each of ours and candle's in turn, so that both see the same machine.
fn ratios() {
    let said: Vec<u32> = (0..64).map(|i| i * 37).collect();
    let history = History { prompt: &said[..32], generated: &said[32..] };
    for vocabulary in [50_257, 151_936] {
        let logits = logits(vocabulary);
        let tensor = Tensor::from_vec(logits.clone(), vocabulary, &Device::Cpu).expect("a tensor");
        let mut processor = candle();
        let theirs = median(|| drop(black_box(processor.sample(black_box(&tensor)))));
        for (name, settings) in [("full trace", full()), ("temperature, top-p", nucleus()), ("wide", wide())] {
            let ours = median(|| drop(black_box(trace(black_box(&logits), &history, &settings, 64))));
            let ratio = ours / theirs;
            println!("V {vocabulary:>6}  {name:<18} {ours:.3} ms  candle's top-p {theirs:.3} ms  ratio {ratio:.3}");
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    bench(&mut criterion);
    criterion.final_summary();
    ratios();
}
