//! Comparison with the hypotheses that transformers returned.

use super::Attempt;
use super::cases::{Table, sequences};
use crate::judge::{Error, Golden, Problem, Result, Tolerance, Value, golden};
use crate::model::{CausalLm, Config, Gpt2};
use candle_core::{DType, Device, IndexOp, Tensor};
use serde_json::Value as Json;

pub(super) const FIXTURE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/beam-search.json"));
const WEIGHTS: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/tiny_gpt2.safetensors"));
const CONFIG: &str = r#"{"vocab_size": 97, "n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 4}"#;

/// Adds the comparison: table models, and the tiny GPT-2.
pub(super) fn compared(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem.golden(FIXTURE, |attempt, fixture| {
        for entry in fixture.entries("tables")? {
            expect_table(attempt, fixture, &entry)?;
        }
        let config = Config::from_json(CONFIG).map_err(|e| e.to_string())?;
        let model = Gpt2::from_safetensors(&config, WEIGHTS, DType::F32, &Device::Cpu).map_err(|e| e.to_string())?;
        for entry in fixture.entries("gpt2")? {
            let mut failure = None;
            let mut logits = |prefixes: &[Vec<u32>]| {
                let rows: Result<Vec<Vec<f64>>> = prefixes.iter().map(|prefix| last_logits(&model, prefix)).collect();
                rows.unwrap_or_else(|error| {
                    failure = Some(error);
                    vec![vec![0.0; 97]; prefixes.len()]
                })
            };
            expect(attempt, fixture, &entry, &mut logits)?;
            failure.map_or(Ok(()), Err)?;
        }
        Ok(())
    })
}

/// Compares what the attempt finds on a stored table with the stored hypotheses.
pub(super) fn expect_table(attempt: &Attempt, fixture: &mut Golden, entry: &Json) -> Result<()> {
    let vocab = golden::shape(&entry["table"])?[0];
    let table = Table::new(vocab, golden::floats(&entry["table"])?);
    expect(attempt, fixture, entry, &mut |prefixes| prefixes.iter().map(|prefix| table.logits(prefix)).collect())
}

fn expect(
    attempt: &Attempt,
    fixture: &mut Golden,
    entry: &Json,
    logits: &mut dyn FnMut(&[Vec<u32>]) -> Vec<Vec<f64>>,
) -> Result<()> {
    let number = |key: &str| entry[key].as_u64().ok_or(format!("golden fixture: no {key}"));
    let tokens =
        |json: &Json| -> Result<Vec<u32>> { Ok(golden::ints(json)?.into_iter().map(|id| id as u32).collect()) };
    let stored = entry["sequences"].as_array().ok_or("golden fixture: no sequences")?;
    let stored: Vec<Vec<u32>> = stored.iter().map(tokens).collect::<Result<_>>()?;
    let (beam, max) = (number("beam")? as usize, number("max_new_tokens")? as usize);
    let found = attempt(logits, &tokens(&entry["prompt"])?, beam, max, number("eos")? as u32);

    fixture.expect("hypotheses", sequences(stored.iter()), sequences(found.iter().map(|(tokens, _)| tokens)));
    let scores = |data: Vec<f64>| Value::Tensor {
        dtype: DType::F64,
        shape: vec![data.len()],
        data,
        tolerance: Tolerance::relative(1e-5), // transformers adds up in f32
    };
    let got = found.iter().map(|(_, score)| *score).collect();
    fixture.expect("scores", scores(golden::floats(&entry["scores"])?), scores(got));
    Ok(())
}

fn last_logits(model: &Gpt2, prefix: &[u32]) -> Result<Vec<f64>> {
    let n = prefix.len();
    let ids = Tensor::from_slice(prefix, (1, n), &Device::Cpu)?;
    let positions = Tensor::arange(0u32, n as u32, &Device::Cpu)?.unsqueeze(0)?;
    let logits = model.forward(&ids, &positions, None, &mut model.new_cache());
    let logits = logits.map_err(|e| Error::Message(e.to_string()))?; // (1, N, V)
    Ok(logits.i((0, n - 1))?.to_dtype(DType::F64)?.to_vec1()?)
}
