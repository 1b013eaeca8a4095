//! The cases: what the sampler does with a sweep of uniforms, and what the decode loop does with the tiny GPT-2.

use super::decoder::{Decoder, LoggedGpt2};
use super::{Attempt, GenerationConfig};
use crate::judge::{Case, Golden, Problem, Result, Value, golden};
use candle_core::{DType, Device, Tensor};
use serde_json::Value as Json;

/// Temperature, top-k, top-p.
type Setting = (f64, usize, f64);

/// How many uniforms a sweep hands in for every row: enough to see each kept token and its share.
const SWEEP: usize = 40;

/// Three rows without ties, each in another order, both signs, none of them sorted.
const ROWS: [[f32; 7]; 3] = [
    [0.9, -1.3, 2.1, 0.2, -0.4, 1.6, -2.2],
    [-3.1, 1.2, -0.8, 0.4, 2.4, -1.5, 1.9],
    [1.1, 2.6, -0.6, -2.4, 0.3, -1.2, 1.7],
];

const INF: f32 = f32::INFINITY;

/// The sampler alone.
pub fn sampler(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("sampler: by hand", |attempt, case| {
            let logits = [4.0f32, 1.0, 3.0, 2.0].map(f32::ln);
            sweep(attempt, case, &[logits], &[(1.0, 3, 0.7), (0.5, 3, 0.7)])
        })
        .case("sampler: temperature 0, the first of equal maxima, no draw", |attempt, case| {
            let tied = [[-1.0, 3.0, 0.5, 3.0, 3.0], [2.0, -2.0, 1.0, 2.0, 0.0], [-5.0, -4.0, -3.0, -2.0, -1.0]];
            sweep(attempt, case, &tied, &[(0.0, 0, 1.0), (0.0, 3, 0.5)])
        })
        .case("sampler: temperature 0.5, 1 and 2", |attempt, case| {
            sweep(attempt, case, &ROWS, &[(0.5, 0, 1.0), (1.0, 0, 1.0), (2.0, 0, 1.0)])
        })
        .case("sampler: top-k 1, 3, V and more than V", |attempt, case| {
            sweep(attempt, case, &ROWS, &[(1.5, 1, 1.0), (1.5, 3, 1.0), (1.5, 7, 1.0), (1.5, 50, 1.0)])
        })
        .case("sampler: top-k among equal logits", |attempt, case| {
            let tied = [[-1.0, 1.5, 0.5, 1.5, 1.5], [0.5, 0.5, 0.5, 0.5, 0.5], [2.0, -0.5, 2.0, -0.5, -0.5]];
            sweep(attempt, case, &tied, &[(1.0, 1, 1.0), (0.7, 2, 1.0), (2.0, 3, 1.0)])
        })
        .case("sampler: top-p", |attempt, case| {
            sweep(attempt, case, &ROWS, &[(1.0, 0, 0.9), (1.0, 0, 0.6), (1.0, 0, 0.05), (1.0, 0, 0.0)])
        })
        .case("sampler: the mass before a token is exactly p", |attempt, case| {
            // Equal logits: every share and every sum of shares is exact.
            let equal = [[0.75; 4], [0.75, 0.75, -INF, -INF], [-INF, -1.5, -1.5, -INF]];
            sweep(attempt, case, &equal, &[(1.0, 0, 0.5), (3.0, 0, 0.25), (1.0, 2, 0.5)])
        })
        .case("sampler: temperature, then top-k, then top-p", |attempt, case| {
            sweep(attempt, case, &ROWS, &[(2.0, 4, 0.75), (0.6, 5, 0.9), (1.5, 3, 0.6), (3.0, 2, 0.55)])
        })
        .case("sampler: top-p 1 keeps the tail", |attempt, case| {
            // The tail's share is below what an f32 can add to 1, and it comes first in the order of ids.
            let logits = case.tensor("logits", &[-20.0, -19.5, -19.7, 0.0, -21.0], (1, 5))?;
            case.given("temperature, top_k, top_p", (1.0, 0, 1.0));
            let uniforms = case.given("uniforms", [1e-9, 3.5e-9, 6.5e-9, 0.5]);
            let pick = |u: &f64| (attempt.sample_next_token)(&logits, 1.0, 0, 1.0, &mut || *u);
            let tokens: Vec<Vec<u32>> = uniforms.iter().map(pick).collect::<candle_core::Result<_>>()?;
            case.observe("tokens", Value::ints(&tokens.concat()));
            Ok(())
        })
        .case("sampler: logits near ten thousand", |attempt, case| {
            let large = [[9999.0, 10001.0, 10000.0, 9000.0], [-9999.0, -10000.5, -10000.0, -20000.0]];
            sweep(attempt, case, &large, &[(1.0, 0, 1.0), (0.5, 3, 0.95)])
        })
        .gpu_case("sampler: a vocabulary of 50 257", |attempt, case| {
            let logits = case.randn_scaled("logits", (4, 50_257), 0.0, 3.0)?;
            for (name, (temperature, top_k, top_p)) in [("top-k", (1.0, 50, 1.0)), ("both", (0.7, 200, 0.9))] {
                let mut uniform = case.source();
                let tokens = (attempt.sample_next_token)(&logits, temperature, top_k, top_p, &mut uniform)?;
                case.observe(name, Value::ints(&tokens));
            }
            Ok(())
        })
}

/// Lets the judge see the tokens of every setting for a grid of uniforms, another one in every row.
fn sweep<const V: usize>(attempt: &Attempt, case: &mut Case, rows: &[[f32; V]], settings: &[Setting]) -> Result<()> {
    let logits = case.tensor("logits", &rows.concat(), (rows.len(), V))?;
    case.given("temperature, top_k, top_p", settings);
    case.given("uniforms", "row r of call i gets the fractional part of (i + ½)/40 + 0.37·r");
    for &(temperature, top_k, top_p) in settings {
        let mut drawn = 0;
        let mut tokens = Vec::new();
        for call in 0..SWEEP {
            let mut row = 0;
            let mut uniform = || {
                row += 1;
                ((call as f64 + 0.5) / SWEEP as f64 + 0.37 * f64::from(row - 1)).fract()
            };
            tokens.extend((attempt.sample_next_token)(&logits, temperature, top_k, top_p, &mut uniform)?);
            drawn += row;
        }
        let name = format!("temperature {temperature}, top-k {top_k}, top-p {top_p}");
        case.observe(&format!("tokens at {name}"), Value::ints(&tokens));
        case.observe(&format!("uniforms drawn at {name}"), Value::ints(&[drawn]));
    }
    Ok(())
}

/// Lengths 3, 7, 5 and 1.
const PROMPTS: [&[u32]; 4] = [&[27, 17, 33], &[12, 5, 25, 1, 80, 13, 64], &[3, 82, 0, 55, 88], &[11]];

/// The same with 37 and 0 inside, and 37 at an end.
const SPECIAL: [&[u32]; 4] = [&[37, 17, 33], &[12, 5, 37, 1, 80, 0, 64], &[3, 82, 0, 55, 37], &[11]];

/// The decode loop.
pub fn generation(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("one row", |attempt, case| decode(attempt, case, &PROMPTS[..1], greedy(12, 37, 0)))
        .case("a prompt of one token", |attempt, case| decode(attempt, case, &PROMPTS[3..], greedy(12, 86, 0)))
        .case("a padded batch, pad is not EOS", |attempt, case| decode(attempt, case, &PROMPTS, greedy(12, 37, 0)))
        .case("a padded batch, pad is EOS", |attempt, case| decode(attempt, case, &PROMPTS, greedy(12, 86, 86)))
        .case("EOS and pad inside the prompts", |attempt, case| decode(attempt, case, &SPECIAL, greedy(9, 37, 0)))
        .case("EOS inside the prompts, pad is EOS", |attempt, case| decode(attempt, case, &SPECIAL, greedy(9, 37, 37)))
        .case("every length from 1 to 7", |attempt, case| {
            let prompts: Vec<Vec<u32>> =
                (1..=7).map(|n| (0..n).map(|i| (13 * n + 29 * i + 4) % 97).collect()).collect();
            decode(attempt, case, &prompts, greedy(8, 67, 1))
        })
        .case("no row is padded", |attempt, case| {
            decode(attempt, case, &[&[40, 2, 71, 9, 66], &[8, 93, 5, 50, 21], &[3, 82, 0, 55, 88]], greedy(8, 32, 0))
        })
        .case("no new tokens", |attempt, case| decode(attempt, case, &PROMPTS, greedy(0, 37, 0)))
        .case("one new token", |attempt, case| decode(attempt, case, &PROMPTS, greedy(1, 37, 0)))
        .case("every row ends with its first token", |attempt, case| {
            decode(attempt, case, &PROMPTS[..2], greedy(12, 86, 0))
        })
        .case("the last row ends with the last token allowed", |attempt, case| {
            decode(attempt, case, &PROMPTS, greedy(4, 37, 0))
        })
        .case("the context ends first", |attempt, case| decode_within(10, attempt, case, &PROMPTS, greedy(50, 96, 0)))
        .case("the prompt fills the context", |attempt, case| {
            decode_within(7, attempt, case, &PROMPTS[..2], greedy(5, 96, 0))
        })
        .case("sampled: temperature 0.8, top-k 20, top-p 0.9", |attempt, case| {
            let config = GenerationConfig { temperature: 0.8, top_k: 20, top_p: 0.9, ..greedy(10, 37, 0) };
            decode(attempt, case, &PROMPTS, config)
        })
        .case("sampled: rows end one after the other", |attempt, case| {
            let config = GenerationConfig { temperature: 1.2, top_k: 3, ..greedy(12, 86, 0) };
            decode(attempt, case, &PROMPTS, config)
        })
        .case("sampled: top-k 1 at temperature 2 is greedy", |attempt, case| {
            let config = GenerationConfig { temperature: 2.0, top_k: 1, ..greedy(6, 34, 0) };
            decode(attempt, case, &PROMPTS[..3], config)
        })
        .gpu_case("16 rows of 1 to 61 tokens, 48 new ones", |attempt, case| {
            let prompts: Vec<Vec<u32>> =
                (0..16).map(|n| (0..4 * n + 1).map(|i| (7 * n + 5 * i) % 97).collect()).collect();
            let config = GenerationConfig { temperature: 0.9, top_p: 0.95, ..greedy(48, 37, 0) };
            decode(attempt, case, &prompts, config)
        })
        .cost("4 rows of 32 tokens, 24 new ones", |attempt, case| {
            let prompts: Vec<Vec<u32>> = (0..4).map(|n| (0..32).map(|i| (11 * n + 5 * i) % 97).collect()).collect();
            decode(attempt, case, &prompts, greedy(24, 96, 0))
        })
}

fn greedy(max_new_tokens: usize, eos: u32, pad: u32) -> GenerationConfig {
    GenerationConfig { max_new_tokens, eos, pad, temperature: 0.0, top_k: 0, top_p: 1.0 }
}

fn decode<P: AsRef<[u32]>>(attempt: &Attempt, case: &mut Case, prompts: &[P], config: GenerationConfig) -> Result<()> {
    decode_within(usize::MAX, attempt, case, prompts, config)
}

/// Runs `generate` on the prompts, padded on the left, with a model of this context (at most its own), and lets the judge
/// see what came out, what the model was fed and how many uniforms were drawn.
fn decode_within<P: AsRef<[u32]>>(
    context: usize,
    attempt: &Attempt,
    case: &mut Case,
    prompts: &[P],
    config: GenerationConfig,
) -> Result<()> {
    let width = prompts.iter().map(|prompt| prompt.as_ref().len()).max().unwrap_or(0);
    let padded = |of: &dyn Fn(&[u32]) -> Vec<u32>, filler: u32| -> Vec<u32> {
        let row = |prompt: &P| [vec![filler; width - prompt.as_ref().len()], of(prompt.as_ref())].concat();
        prompts.iter().flat_map(row).collect()
    };
    let ids = padded(&<[u32]>::to_vec, config.pad);
    let mask = padded(&|prompt| vec![1; prompt.len()], 0);
    let input_ids = case.ids("input_ids", &ids, (prompts.len(), width))?;
    let attention_mask = case.ids("attention_mask", &mask, (prompts.len(), width))?;
    let config = case.given("config", config);

    let mut model = LoggedGpt2::new(config.eos, context, case.device())?;
    case.given("model.context()", model.context());
    let (mut source, mut drawn) = (case.source(), 0);
    let mut uniform = || {
        drawn += 1;
        source()
    };
    let output = (attempt.generate)(&mut model, &input_ids, &attention_mask, &config, &mut uniform)?;
    case.observe_tensor("output", &output)?;
    case.observe("calls of the model", Value::calls(model.calls()));
    case.observe("uniforms drawn", Value::ints(&[drawn]));
    let same = |tensor: &Tensor, before: &[u32]| {
        Ok::<bool, candle_core::Error>(tensor.flatten_all()?.to_vec1::<u32>()? == before)
    };
    case.observe("inputs untouched", Value::Flag(same(&input_ids, &ids)? && same(&attention_mask, &mask)?));
    Ok(())
}

/// transformers' greedy `generate` on the same weights, and its logits warpers.
pub fn golden(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/decode-notebook.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("greedy")? {
            golden_greedy(attempt, &entry, fixture)?;
        }
        for entry in fixture.entries("sampler")? {
            golden_sampler(attempt, &entry, fixture)?;
        }
        Ok(())
    })
}

fn golden_greedy(attempt: &Attempt, entry: &Json, fixture: &mut Golden) -> Result<()> {
    let ids = |key: &str| golden::tensor_as(&entry[key], DType::U32);
    let number = |key: &str| entry[key].as_u64().ok_or(format!("golden fixture: no number \"{key}\""));
    let config = greedy(number("max_new_tokens")? as usize, number("eos")? as u32, number("pad")? as u32);
    let mut model = LoggedGpt2::new(config.eos, usize::MAX, &Device::Cpu)?;
    let output = (attempt.generate)(&mut model, &ids("input_ids")?, &ids("attention_mask")?, &config, &mut || 0.5)?;
    fixture.expect("generate", Value::tensor(&ids("output")?)?, Value::tensor(&output)?);
    Ok(())
}

fn golden_sampler(attempt: &Attempt, entry: &Json, fixture: &mut Golden) -> Result<()> {
    let float = |key: &str| entry[key].as_f64().ok_or(format!("golden fixture: no number \"{key}\""));
    let logits = golden::tensor(&entry["logits"])?;
    let uniforms = entry["uniforms"].as_array().ok_or("golden fixture: no uniforms")?;
    let mut uniforms = uniforms.iter().filter_map(Json::as_f64);
    let expected = golden::tensor_as(&entry["tokens"], DType::U32)?;
    let mut tokens = Vec::new();
    while tokens.len() < expected.elem_count() {
        let mut uniform = || uniforms.next().unwrap_or(f64::NAN);
        let (temperature, top_k, top_p) = (float("temperature")?, float("top_k")? as usize, float("top_p")?);
        tokens.extend((attempt.sample_next_token)(&logits, temperature, top_k, top_p, &mut uniform)?);
    }
    fixture.expect("sample_next_token", Value::tensor(&expected.flatten_all()?)?, Value::ints(&tokens));
    Ok(())
}
