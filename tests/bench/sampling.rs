//! A full trace beside candle's own top-p on the same logits: `cargo bench --bench sampling`.

use candle_core::{Device, Tensor};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use logitlings::sampling::{Engine, History, Settings, Stage, trace};
use std::hint::black_box;

/// Logits with the spread of a language model's: a few high, most low.
fn logits(vocabulary: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f32 + 0.5) / (1u64 << 31) as f32
    };
    (0..vocabulary).map(|_| (-2.0 * unit().ln()).sqrt() * (std::f32::consts::TAU * unit()).cos() * 2.5).collect()
}

fn full(engine: Engine) -> Settings {
    let stages = [
        Stage::Repetition { penalty: 1.1 },
        Stage::FrequencyPresence { frequency: 0.2, presence: 0.1 },
        Stage::Temperature(0.8),
        Stage::TopK(40),
        Stage::TopP(0.95),
        Stage::MinP(0.02),
        Stage::Typical(0.95),
    ];
    Settings { stages: stages.into_iter().map(|stage| (stage, true)).collect(), rules: engine.rules(), greedy: false }
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("sampling");
    let said: Vec<u32> = (0..64).map(|i| i * 37).collect();
    for vocabulary in [50_257, 151_936] {
        let logits = logits(vocabulary);
        let history = History { prompt: &said[..32], generated: &said[32..] };
        let all = full(Engine::Transformers);
        group.bench_with_input(BenchmarkId::new("full trace", vocabulary), &logits, |b, logits| {
            b.iter(|| trace(black_box(logits), &history, &all, 64));
        });
        let nucleus = Settings {
            stages: vec![(Stage::Temperature(0.8), true), (Stage::TopP(0.95), true)],
            ..full(Engine::Transformers)
        };
        group.bench_with_input(BenchmarkId::new("trace of temperature and top-p", vocabulary), &logits, |b, logits| {
            b.iter(|| trace(black_box(logits), &history, &nucleus, 64));
        });
        let tensor = Tensor::from_vec(logits.clone(), vocabulary, &Device::Cpu).expect("a tensor");
        let mut processor = CandleTopP::new(0.8, 0.95);
        group.bench_with_input(BenchmarkId::new("candle's top-p", vocabulary), &tensor, |b, tensor| {
            b.iter(|| processor.sample(black_box(tensor)));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
