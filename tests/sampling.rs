//! The sampling room against transformers' processors, against the engines' known disagreements, and against itself.

use logitlings::sampling::trace::{Error, rank};
use logitlings::sampling::{Engine, History, Settings, Stage, Trace, trace, uniform};
use proptest::prelude::*;

fn settings(engine: Engine, stages: &[Stage]) -> Settings {
    let rules = engine.rules();
    let mut stages = stages.to_vec();
    rules.arrange(&mut stages);
    Settings { stages: stages.into_iter().map(|stage| (stage, true)).collect(), rules, greedy: false }
}

fn run(engine: Engine, logits: &[f32], stages: &[Stage]) -> Result<Trace, Error> {
    trace(logits, &History::default(), &settings(engine, stages), 8)
}

fn kept(engine: Engine, logits: &[f32], stages: &[Stage]) -> Vec<u32> {
    run(engine, logits, stages).expect("a distribution").kept.iter().map(|(id, _)| id).collect()
}

fn logs(probabilities: &[f32]) -> Vec<f32> {
    probabilities.iter().map(|p| p.ln()).collect()
}

#[test]
fn processors_of_transformers() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/processors.json")).expect("a fixture");
    let floats = |json: &serde_json::Value| -> Vec<f32> {
        // What is not finite is a word: "-inf".
        let number = |v: &serde_json::Value| v.as_f64().map_or_else(|| v.as_str()?.parse().ok(), |v| Some(v as f32));
        json.as_array().expect("an array").iter().map(|v| number(v).expect("a number")).collect()
    };
    let prompt: Vec<u32> = floats(&golden["prompt"]).iter().map(|&v| v as u32).collect();
    let cases = golden["cases"].as_array().expect("cases");
    for case in cases {
        let logits = floats(&golden["inputs"][case["logits"].as_u64().expect("an index") as usize]["data"]);
        let stages = case["chain"].as_array().expect("a chain").iter().map(|stage| {
            let value = stage[1].as_f64().expect("a number");
            let stage = match stage[0].as_str().expect("a name") {
                "temperature" => Stage::Temperature(value),
                "top_k" => Stage::TopK(value as usize),
                "top_p" => Stage::TopP(value),
                "min_p" => Stage::MinP(value),
                "typical" => Stage::Typical(value),
                "repetition" => Stage::Repetition { penalty: value },
                other => panic!("the fixture has a stage {other}"),
            };
            (stage, true)
        });
        let settings = Settings { stages: stages.collect(), rules: Engine::Transformers.rules(), greedy: false };
        let found = trace(&logits, &History { prompt: &prompt, generated: &[] }, &settings, 0).expect("a distribution");
        let want: Vec<u32> = floats(&case["kept"]).iter().map(|&v| v as u32).collect();
        let have: Vec<(u32, f64)> = found.kept.iter().filter(|(_, p)| *p > 0.0).collect();
        assert_eq!(have.iter().map(|(id, _)| *id).collect::<Vec<_>>(), want, "{}", case["chain"]);
        for ((id, p), want) in have.iter().zip(floats(&case["probabilities"])) {
            assert!(
                (p - f64::from(want)).abs() <= 1e-5 * f64::from(want),
                "{} token {id}: {p} for {want}",
                case["chain"]
            );
        }
    }
    assert!(cases.len() > 200);
}

#[test]
fn temperature_first_or_last() {
    let stages = [Stage::Temperature(0.5), Stage::TopP(0.8)];
    for engine in Engine::ALL {
        let want: &[u32] = if engine == Engine::LlamaCpp { &[0, 1] } else { &[0] };
        assert_eq!(kept(engine, &[3., 2., 1.], &stages), want, "{}", engine.name());
    }
    let stages = [Stage::Temperature(2.0), Stage::MinP(0.3)];
    assert_eq!(kept(Engine::LlamaCpp, &[3., 2., 1.], &stages), [0, 1]);
    assert_eq!(kept(Engine::Transformers, &[3., 2., 1.], &stages), [0, 1, 2]);
    let stages = [Stage::Temperature(3.0), Stage::MinP(0.1)];
    assert_eq!(kept(Engine::Transformers, &[3., 2., 1., 0., -1.], &stages).len(), 5);
    assert_eq!(kept(Engine::LlamaCpp, &[3., 2., 1., 0., -1.], &stages).len(), 3);
}

#[test]
fn renormalised_between_filters_or_not() {
    let logits = logs(&[0.4, 0.3, 0.2, 0.1]);
    let stages = [Stage::TopK(2), Stage::TopP(0.5)];
    assert_eq!(kept(Engine::Candle, &logits, &stages), [0, 1]);
    let candle = run(Engine::Candle, &logits, &stages).expect("a distribution").kept;
    assert!((candle.probability(0) - 4.0 / 7.0).abs() < 1e-6, "4 to 3 is what is drawn between");
    assert_eq!(kept(Engine::Transformers, &logits, &stages), [0]);
}

#[test]
fn typical_may_drop_the_most_probable() {
    assert_eq!(kept(Engine::Transformers, &logs(&[0.4, 0.2, 0.2, 0.2]), &[Stage::Typical(0.5)]), [1, 2, 3]);
}

#[test]
fn the_boundary_is_reached_exactly() {
    let logits = logs(&[0.5, 0.25, 0.125, 0.125]);
    for engine in Engine::ALL {
        assert_eq!(kept(engine, &logits, &[Stage::TopP(0.5)]), [0], "{}", engine.name());
    }
}

#[test]
fn ties_at_the_kth() {
    let logits = [1., 2., 2., 2., 0.];
    assert_eq!(kept(Engine::Transformers, &logits, &[Stage::TopK(2)]), [1, 2, 3]);
    assert_eq!(kept(Engine::LlamaCpp, &logits, &[Stage::TopK(2)]), [1, 2]);
}

#[test]
fn repetition_penalty_by_hand() {
    let settings = settings(Engine::Transformers, &[Stage::Repetition { penalty: 1.3 }]);
    let history = History { prompt: &[0, 0], generated: &[] };
    let found = trace(&[2., 1., -1.], &history, &settings, 3).expect("a distribution");
    for (id, want) in [(0, 0.60), (1, 0.35), (2, 0.05)] {
        assert!((found.kept.probability(id) - want).abs() < 0.006, "{found:?}");
    }
}

#[test]
fn whose_penalty_counts_the_prompt() {
    let stage = [Stage::FrequencyPresence { frequency: 0.5, presence: 0.3 }];
    let history = History { prompt: &[1, 1, 1], generated: &[2, 2, 3] };
    let logits = [1.0f32, 2., 3., 4.];
    let vllm = trace(&logits, &history, &settings(Engine::Vllm, &stage), 4).expect("a distribution");
    // 1, 2, 1.7, 3.2
    let z: f64 = [1.0f64, 2., 1.7, 3.2].iter().map(|l| l.exp()).sum();
    assert!((vllm.kept.probability(2) - 1.7f64.exp() / z).abs() < 1e-6);
    let llama = trace(&logits, &history, &settings(Engine::LlamaCpp, &stage), 4).expect("a distribution");
    assert!(llama.kept.probability(1) < vllm.kept.probability(1));
}

/// "Sampling" and "beam search" in PACK terms: the same rule on logits and on log-probabilities, which are all negative.
#[test]
fn repetition_penalty_on_log_probabilities() {
    let settings = settings(Engine::Transformers, &[Stage::Repetition { penalty: 1.3 }]);
    let history = History { prompt: &[0], generated: &[] };
    let z = [2.0f32, 1.0, -1.0].iter().map(|l| l.exp()).sum::<f32>().ln();
    let found = trace(&[2.0 - z, 1.0 - z, -1.0 - z], &history, &settings, 3).expect("a distribution");
    for (id, want) in [(0, 0.68), (1, 0.28), (2, 0.04)] {
        assert!((found.kept.probability(id) - want).abs() < 0.006, "{found:?}");
    }
}

#[test]
fn the_window_forgets_what_is_long_past() {
    let stage = [Stage::Repetition { penalty: 2.0 }];
    let long: Vec<u32> = std::iter::once(1).chain(std::iter::repeat_n(0, 64)).collect();
    let history = History { prompt: &long, generated: &[] };
    let p = |engine| trace(&[1.0, 1.0, 1.0], &history, &settings(engine, &stage), 3).expect("one").kept.probability(1);
    assert!(p(Engine::Transformers) < 0.3, "the first token is punished");
    assert!(p(Engine::LlamaCpp) > 0.35 && p(Engine::Candle) > 0.35, "65 tokens back is out of the window");
}

#[test]
fn typical_reaches_or_exceeds() {
    // Distances to the entropy 1.030: .174 for token 1, .336 for token 0, .580 for token 2.
    let logits = logs(&[0.5, 0.3, 0.2]);
    assert_eq!(kept(Engine::Transformers, &logits, &[Stage::Typical(0.3)]), [1]);
    assert_eq!(kept(Engine::LlamaCpp, &logits, &[Stage::Typical(0.3)]), [0, 1]);
}

#[test]
fn temperatures_below_zero() {
    let below = |engine| run(engine, &[1.0, 3.0, 2.0], &[Stage::Temperature(-1.0)]);
    assert!(matches!(below(Engine::Transformers), Err(Error::Parameter { .. })));
    assert!(matches!(below(Engine::Vllm), Err(Error::Parameter { .. })));
    let greedy = below(Engine::LlamaCpp).expect("greedy").kept;
    assert_eq!((greedy.len(), greedy.probability(1)), (1, 1.0));
    let turned = below(Engine::Candle).expect("turned round").kept;
    let z: f64 = [-1.0f64, -3.0, -2.0].iter().map(|l| l.exp()).sum();
    assert!((turned.probability(0) - (-1.0f64).exp() / z).abs() < 1e-6, "{turned:?}");
    assert!(turned.probability(0) > turned.probability(2) && turned.probability(2) > turned.probability(1));
    let hole = run(Engine::Candle, &[1.0, f32::NEG_INFINITY, 2.0], &[Stage::Temperature(-1e-8)]).expect("one").kept;
    assert_eq!((hole.probability(0), hole.probability(1)), (1.0, 0.0), "what is impossible stays so");
}

#[test]
fn vllm_raises_a_tiny_temperature() {
    let raised = run(Engine::Vllm, &[1.0, 1.001], &[Stage::Temperature(1e-4)]).expect("one").kept;
    let plain = run(Engine::Vllm, &[1.0, 1.001], &[Stage::Temperature(1e-2)]).expect("one").kept;
    assert_eq!(raised, plain);
}

#[test]
fn minus_zero_is_zero() {
    assert_eq!(kept(Engine::LlamaCpp, &[-0.0, 0.0, -1.0], &[Stage::TopK(1)]), [0]);
    assert_eq!(kept(Engine::Transformers, &[-0.0, 0.0, -1.0], &[Stage::TopK(1)]), [0, 1]);
}

#[test]
fn greedy_passes_the_filters_over() {
    let mut settings = settings(Engine::Transformers, &[Stage::Repetition { penalty: 9.0 }, Stage::Typical(0.5)]);
    settings.greedy = true;
    // Typical would drop the most probable token; the penalty counts.
    let logits: Vec<f32> = logs(&[0.4, 0.2, 0.2, 0.2]).iter().map(|l| l + 3.0).collect();
    let free = trace(&logits, &History::default(), &settings, 4).expect("one");
    assert_eq!((free.kept.draw(0.99).id, free.entropy, free.stages.len()), (0, 0.0, 2));
    let said = trace(&logits, &History { prompt: &[0], generated: &[] }, &settings, 4).expect("one");
    assert_eq!(said.kept.draw(0.0).id, 1);
}

#[test]
fn penalties_beyond_measure_are_said() {
    let history = History { prompt: &[0, 1], generated: &[0, 1] };
    let run = |stage| trace(&[2.0, -1.0], &history, &settings(Engine::Transformers, &[stage]), 2);
    assert!(matches!(run(Stage::Repetition { penalty: 1e-300 }), Err(Error::Parameter { .. })));
    assert!(run(Stage::Repetition { penalty: 1e300 }).is_ok(), "0 and −inf: token 0 is certain");
    assert_eq!(run(Stage::FrequencyPresence { frequency: 1e300, presence: 0.0 }), Err(Error::Impossible));
    assert!(matches!(run(Stage::FrequencyPresence { frequency: 0.0, presence: -1e300 }), Err(Error::Parameter { .. })));
    assert!(matches!(
        run(Stage::FrequencyPresence { frequency: f64::INFINITY, presence: 0.0 }),
        Err(Error::Parameter { .. })
    ));
}

/// candle's own processor: what it draws is what its rules keep, and nothing kept is never drawn.
#[test]
fn candles_processor_draws_what_its_rules_keep() {
    use candle_core::{Device, Tensor};
    use candle_transformers::generation::{LogitsProcessor, Sampling};
    let logits = [0.3f32, 2.0, -1.0, 1.6, 0.9, 1.6, -3.0, 0.0];
    let tensor = Tensor::from_slice(&logits, logits.len(), &Device::Cpu).expect("a tensor");
    for (k, p, temperature) in [(3, 0.6, 1.0), (5, 0.7, 0.7), (6, 0.5, 2.0), (7, 0.97, 1.0), (2, 0.99, 1.3)] {
        let mut theirs = LogitsProcessor::from_sampling(7, Sampling::TopKThenTopP { k, p, temperature });
        let stages = [Stage::Temperature(temperature), Stage::TopK(k), Stage::TopP(p)];
        let ours = run(Engine::Candle, &logits, &stages).expect("a distribution").kept;
        let mut counts = [0u32; 8];
        (0..4000).for_each(|_| counts[theirs.sample(&tensor).expect("a draw") as usize] += 1);
        for (id, count) in counts.into_iter().enumerate() {
            let (p_ours, share) = (ours.probability(id as u32), f64::from(count) / 4000.0);
            assert!((p_ours - share).abs() < 0.04, "k {k} p {p} T {temperature}, token {id}: {p_ours} and {share}");
            assert_eq!(count > 0, p_ours > 0.0, "k {k} p {p} T {temperature}, token {id}: {p_ours} and {share}");
        }
    }
}

#[test]
fn every_row_has_its_rank() {
    let logits: Vec<f32> = (0..500u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 25) as f32 / 16.0).collect();
    let settings = settings(Engine::Transformers, &[Stage::Temperature(3.0), Stage::Typical(0.2)]);
    let found = trace(&logits, &History::default(), &settings, 16).expect("a distribution");
    assert!(found.rows.len() > 16, "typical leads with others than the model");
    assert!(found.rows.iter().all(|row| row.rank == rank(&logits, row.id)));
}

#[test]
fn what_zero_means() {
    let refused = |engine, stage| matches!(run(engine, &[1., 2., 3.], &[stage]), Err(Error::Refused { .. }));
    assert!(refused(Engine::Transformers, Stage::Temperature(0.0)));
    assert!(refused(Engine::Candle, Stage::Temperature(0.0)));
    assert!(refused(Engine::Candle, Stage::TopK(0)));
    assert!(refused(Engine::Vllm, Stage::TopP(0.0)));
    assert_eq!(kept(Engine::LlamaCpp, &[1., 3., 3.], &[Stage::Temperature(0.0)]), [1]);
    assert_eq!(kept(Engine::Vllm, &[1., 3., 2.], &[Stage::Temperature(1e-6)]), [1]);
    assert_eq!(kept(Engine::Transformers, &[1., 3., 2.], &[Stage::TopP(0.0)]), [1]);
    assert_eq!(kept(Engine::Candle, &[1., 3., 2.], &[Stage::TopP(0.0)]).len(), 3);
    assert_eq!(
        kept(Engine::Transformers, &[1., 3., 2.], &[Stage::TopK(0), Stage::MinP(0.0), Stage::TopP(1.0)]).len(),
        3
    );
}

#[test]
fn broken_numbers_are_said() {
    let any = |logits: &[f32]| run(Engine::Transformers, logits, &[Stage::Temperature(1.0)]);
    const LOW: f32 = f32::NEG_INFINITY;
    assert_eq!(any(&[]), Err(Error::Empty));
    assert_eq!(any(&[1., f32::NAN]), Err(Error::NotANumber { id: 1 }));
    assert_eq!(any(&[1., f32::INFINITY]), Err(Error::Infinite { id: 1 }));
    assert_eq!(any(&[LOW, LOW]), Err(Error::Impossible));
    for bad in [
        Stage::Temperature(-1.0),
        Stage::Temperature(f64::NAN),
        Stage::TopP(1.5),
        Stage::TopP(f64::NAN),
        Stage::MinP(-0.1),
        Stage::Repetition { penalty: 0.0 },
    ] {
        assert!(matches!(run(Engine::Transformers, &[1., 2.], &[bad]), Err(Error::Parameter { .. })), "{bad}");
    }
}

#[test]
fn extremes_give_a_distribution() {
    for stages in [
        vec![Stage::Temperature(1e-8)],
        vec![Stage::Temperature(1e-300)],
        vec![Stage::Temperature(1e30)],
        vec![Stage::Temperature(f64::MAX)],
        vec![Stage::TopK(1_000_000)],
        vec![Stage::TopP(1e-9)],
        vec![Stage::MinP(1.0)],
        vec![Stage::Typical(1e-9)],
        vec![Stage::Typical(1.0)],
    ] {
        let extremes =
            [&[5.0f32][..], &[1e4, -1e4, 0.0], &[2.0, 2.0], &[f32::NEG_INFINITY, 0.0, f32::MIN], &[f32::MAX, f32::MIN]];
        for (logits, engine) in extremes.into_iter().flat_map(|logits| Engine::ALL.map(|engine| (logits, engine))) {
            let found = run(engine, logits, &stages).expect("a distribution");
            let sum: f64 = found.kept.iter().map(|(_, p)| p).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{stages:?} {logits:?}: {sum}");
            assert!(found.stages.iter().all(|s| s.entropy.is_finite() && s.kept > 0), "{stages:?} {logits:?}");
            assert!(found.divergence.is_finite());
        }
    }
}

#[test]
fn the_uniform_belongs_to_its_step() {
    assert_eq!(uniform(42, 3), uniform(42, 3));
    assert_ne!(uniform(42, 3), uniform(42, 4));
    assert_ne!(uniform(42, 3), uniform(43, 3));
    let mean = (0..4000).map(|step| uniform(7, step)).sum::<f64>() / 4000.0;
    assert!((mean - 0.5).abs() < 0.02, "{mean}");
}

#[test]
fn the_draw_is_the_inverse_cdf_in_order_of_id() {
    let found = run(Engine::Transformers, &logs(&[0.2, 0.5, 0.3]), &[]).expect("a distribution");
    assert_eq!([0.0, 0.19, 0.21, 0.69, 0.71, 0.999_999_99].map(|u| found.kept.draw(u).id), [0, 0, 1, 1, 2, 2]);
}

#[test]
fn a_row_says_at_which_stage() {
    let found = run(Engine::Transformers, &logs(&[0.6, 0.3, 0.1]), &[Stage::TopK(2)]).expect("a distribution");
    let row = found.rows.iter().find(|row| row.id == 2).expect("tracked");
    assert_eq!(row.rank, 2);
    assert!((row.probabilities[0].expect("in the raw distribution") - 0.1).abs() < 1e-6);
    assert_eq!(row.probabilities[1], None);
    assert!((found.stages[1].kept_mass - 0.9).abs() < 1e-6);
    assert!((found.divergence - (1.0f64 / 0.9).ln()).abs() < 1e-5);
}

fn some_logits() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-12.0f32..12.0, 1..300)
}

fn some_stages() -> impl Strategy<Value = Vec<Stage>> {
    let stage = prop_oneof![
        (0.05f64..4.0).prop_map(Stage::Temperature),
        (1usize..400).prop_map(Stage::TopK),
        (0.01f64..1.0).prop_map(Stage::TopP),
        (0.0f64..1.0).prop_map(Stage::MinP),
        (0.05f64..1.0).prop_map(Stage::Typical),
    ];
    prop::collection::vec(stage, 0..5)
}

/// Ordinary and extraordinary logits; NaN and +inf now and then.
fn some_value() -> impl Strategy<Value = f32> {
    prop_oneof![
        20 => -12.0f32..12.0,
        2 => Just(f32::NEG_INFINITY),
        1 => prop::sample::select(vec![0.0, -0.0, 1e30, -1e30, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-44]),
        1 => prop::sample::select(vec![f32::INFINITY, f32::NAN, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]),
    ]
}

fn any_stage() -> impl Strategy<Value = Stage> {
    let number = || {
        prop_oneof![
            4 => 0.0f64..2.0,
            1 => prop::sample::select(vec![0.0, 1.0, -1.0, 1e-8, -1e-8, 1e-300, 1e300, f64::MAX, f64::NAN, f64::INFINITY]),
        ]
    };
    prop_oneof![
        number().prop_map(Stage::Temperature),
        prop::sample::select(vec![0usize, 1, 2, 7, 39, 40, usize::MAX]).prop_map(Stage::TopK),
        number().prop_map(Stage::TopP),
        number().prop_map(Stage::MinP),
        number().prop_map(Stage::Typical),
        number().prop_map(|penalty| Stage::Repetition { penalty }),
        (number(), number()).prop_map(|(frequency, presence)| Stage::FrequencyPresence { frequency, presence }),
    ]
}

fn any_engine() -> impl Strategy<Value = Engine> {
    prop::sample::select(Engine::ALL.to_vec())
}

proptest! {
    #[test]
    fn probabilities_sum_to_one_and_sets_shrink(logits in some_logits(), stages in some_stages(), engine in any_engine()) {
        let found = run(engine, &logits, &stages).expect("a distribution");
        let sum: f64 = found.kept.iter().map(|(_, p)| p).sum();
        prop_assert!((sum - 1.0).abs() < 1e-5, "{}", sum);
        prop_assert!(found.stages.windows(2).all(|pair| pair[1].kept <= pair[0].kept && pair[1].kept >= 1));
        prop_assert!(found.stages.iter().all(|s| s.kept_mass > 0.0 && s.kept_mass <= 1.0 && s.entropy >= 0.0));
    }

    /// Whatever is asked of whatever logits: a distribution or an error, and no NaN.
    #[test]
    fn a_result_or_an_error(
        logits in prop::collection::vec(some_value(), 1..40),
        stages in prop::collection::vec(any_stage(), 0..5),
        engine in any_engine(),
        u in 0.0f64..1.0,
    ) {
        let history = History { prompt: &[0, 1, 2], generated: &[1, 3] };
        let Ok(found) = trace(&logits, &history, &settings(engine, &stages), 8) else { return Ok(()) };
        let sum: f64 = found.kept.iter().map(|(_, p)| p).sum();
        prop_assert!((sum - 1.0).abs() < 1e-5, "{}", sum);
        prop_assert!(found.kept.iter().all(|(id, p)| (id as usize) < logits.len() && (0.0..=1.0001).contains(&p)));
        prop_assert!([found.divergence, found.raw_mass, found.entropy].iter().all(|v| v.is_finite() && *v >= 0.0));
        prop_assert!(found.stages.iter().all(|s| s.entropy.is_finite() && s.kept_mass.is_finite() && s.largest > 0.0));
        let rows = found.rows.iter().flat_map(|row| row.probabilities.iter().flatten());
        prop_assert!(rows.clone().all(|p| p.is_finite()));
        let draw = found.kept.draw(u);
        prop_assert!(draw.probability > 0.0 && draw.from <= u && draw.to <= 1.0 + 1e-5);
    }

    #[test]
    fn the_models_mass_on_what_is_kept(logits in some_logits(), stages in some_stages(), engine in any_engine()) {
        let found = run(engine, &logits, &stages).expect("a distribution");
        let z: f64 = logits.iter().map(|l| f64::from(*l).exp()).sum();
        let mass: f64 = found.kept.iter().map(|(id, _)| f64::from(logits[id as usize]).exp() / z).sum();
        prop_assert!((found.raw_mass - mass).abs() < 1e-5, "{} {}", found.raw_mass, mass);
        let kl: f64 = found.kept.iter().filter(|(_, q)| *q > 0.0)
            .map(|(id, q)| q * (q.ln() - f64::from(logits[id as usize]) + z.ln())).sum();
        prop_assert!((found.divergence - kl).abs() < 1e-4 * kl.abs().max(1.0), "{} {}", found.divergence, kl);
    }

    #[test]
    fn permuting_the_vocabulary_permutes_the_result(
        logits in some_logits(),
        stages in some_stages(),
        turn in 0usize..300,
        engine in any_engine(),
    ) {
        // Distinct logits: among equals the lower id is a rule, and a permutation changes ids.
        let logits: Vec<f32> = logits.iter().enumerate().map(|(i, l)| l + i as f32 * 1e-3).collect();
        let n = logits.len();
        let turned: Vec<f32> = (0..n).map(|i| logits[(i + turn) % n]).collect();
        let of = |logits: &[f32]| run(engine, logits, &stages).expect("one");
        let (a, b) = (of(&logits), of(&turned));
        for id in 0..n {
            let (p, q) = (a.kept.probability(((id + turn) % n) as u32), b.kept.probability(id as u32));
            prop_assert!((p - q).abs() < 1e-5, "{} {}", p, q);
        }
    }

    #[test]
    fn top_k_one_is_greedy_at_every_temperature(logits in some_logits(), t in 0.01f64..50.0, u in 0.0f64..1.0) {
        let best = logits.iter().enumerate().fold(0, |best, (i, l)| if *l > logits[best] { i } else { best });
        prop_assume!(logits.iter().filter(|l| **l == logits[best]).count() == 1);
        for engine in Engine::ALL {
            let found = run(engine, &logits, &[Stage::Temperature(t), Stage::TopK(1)]).expect("one");
            prop_assert_eq!(found.kept.draw(u).id as usize, best);
        }
        prop_assert_eq!(rank(&logits, best as u32), 0);
    }
}
