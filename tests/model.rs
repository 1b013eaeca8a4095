//! The model room against transformers (tests/golden/makers/model.py) and against itself.

use candle_core::{DType, Device, Result, Tensor};
use logitlings::judge::golden;
use logitlings::model::{Cache, CausalLm, Config, Error, Gpt2};
use serde_json::Value as Json;

const WEIGHTS: &[u8] = include_bytes!("golden/tiny_gpt2.safetensors");
const CONFIG: &str =
    r#"{"model_type": "gpt2", "vocab_size": 97, "n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 4}"#;
const CONTEXT: usize = 128;

fn tiny() -> Gpt2 {
    let config = Config::from_json(CONFIG).expect("the config is right");
    Gpt2::from_safetensors(&config, WEIGHTS, DType::F32, &Device::Cpu).expect("the weights are right")
}

fn runs() -> Vec<Json> {
    let fixture: Json = serde_json::from_str(include_str!("golden/model.json")).expect("the fixture is JSON");
    fixture["runs"].as_array().expect("the fixture has runs").clone()
}

fn read(run: &Json, key: &str) -> Tensor {
    golden::tensor(&run[key]).and_then(|t| Ok(t.to_dtype(DType::I64)?)).expect("a tensor of integers")
}

fn ids(rows: &[&[u32]]) -> Tensor {
    Tensor::new(rows.concat(), &Device::Cpu).and_then(|t| t.reshape((rows.len(), ()))).expect("rows of one length")
}

/// Positions `from`, `from` + 1, … for one row of `n`.
fn positions(from: u32, n: u32) -> Tensor {
    ids(&[&(from..from + n).collect::<Vec<u32>>()])
}

fn far(a: &Tensor, b: &Tensor) -> f32 {
    assert_eq!(a.dims(), b.dims());
    let gap = |a: &Tensor, b: &Tensor| -> Result<f32> { (a - b)?.abs()?.flatten_all()?.max(0)?.to_scalar() };
    gap(a, b).expect("two f32 tensors")
}

/// The real positions of (B, T, …): those that `mask` (B, T) does not hide, stacked.
fn real(tensor: &Tensor, mask: &Tensor) -> Tensor {
    let rows = mask.to_dtype(DType::U8).and_then(|m| m.to_vec2::<u8>()).expect("a mask");
    let pick = |b: usize, t: usize| tensor.get(b).and_then(|row| row.get(t)).expect("in range");
    let places = rows.iter().enumerate().flat_map(|(b, row)| (0..row.len()).map(move |t| (b, t)));
    let kept: Vec<Tensor> = places.filter(|&(b, t)| rows[b][t] != 0).map(|(b, t)| pick(b, t)).collect();
    Tensor::stack(&kept, 0).expect("equal shapes")
}

#[test]
fn logits_of_all_positions_and_attention_agree_with_transformers() {
    let model = tiny();
    for run in runs() {
        let (input, mask) = (read(&run, "input_ids"), read(&run, "attention_mask"));
        let mut cache = model.new_cache();
        let (logits, maps) = model
            .forward_with_attention(&input, &read(&run, "position_ids"), Some(&mask), &mut cache)
            .expect("the fixture's inputs are legal");
        let expected = golden::tensor(&run["logits"]).expect("a tensor");
        assert!(far(&real(&expected, &mask), &real(&logits, &mask)) < 1e-4);
        assert_eq!(maps.len(), 2);
        for (map, expected) in maps.iter().zip(run["attention"].as_array().expect("maps")) {
            let by_query = |map: &Tensor| real(&map.transpose(1, 2).expect("four axes"), &mask); // (·, H, P + T)
            let expected = golden::tensor(expected).expect("a tensor");
            assert!(far(&by_query(&expected), &by_query(map)) < 1e-5);
        }
    }
}

#[test]
fn padding_gives_no_nan_and_changes_nothing() {
    let model = tiny();
    let run = &runs()[1];
    let (input, mask) = (read(run, "input_ids"), read(run, "attention_mask"));
    let logits =
        model.forward(&input, &read(run, "position_ids"), Some(&mask), &mut model.new_cache()).expect("legal inputs");
    let sum = logits.sum_all().and_then(|sum| sum.to_scalar::<f32>()).expect("a number");
    assert!(sum.is_finite(), "a padding token's NaN");
    for (row, prompt) in [&[5, 25, 1][..], &[12, 80, 13, 64], &[11]].into_iter().enumerate() {
        let n = prompt.len();
        let alone = model
            .forward(&ids(&[prompt]), &positions(0, n as u32), None, &mut model.new_cache())
            .expect("legal inputs");
        let padded = logits.get(row).and_then(|l| l.narrow(0, 4 - n, n)).expect("in range");
        assert!(far(&alone.squeeze(0).expect("one row"), &padded) < 1e-5);
    }
}

/// Feeds one row from `from` on, in pieces of these sizes, and returns the logits of all of them.
fn in_pieces(model: &Gpt2, tokens: &[u32], sizes: &[usize], cache: &mut Cache) -> Tensor {
    let mut logits = Vec::new();
    let mut at = 0;
    for &size in sizes {
        let place = positions(cache.len() as u32, size as u32);
        logits.push(model.forward(&ids(&[&tokens[at..at + size]]), &place, None, cache).expect("legal inputs"));
        at += size;
    }
    Tensor::cat(&logits, 1).expect("equal shapes")
}

#[test]
fn cached_pieces_equal_the_full_forward() {
    let model = tiny();
    let tokens: Vec<u32> = (0..12).map(|i| (i * 37 + 5) % 97).collect();
    let full = in_pieces(&model, &tokens, &[12], &mut model.new_cache());
    for sizes in [&[1; 12][..], &[7, 1, 1, 1, 1, 1], &[3, 4, 5], &[11, 1]] {
        let mut cache = model.new_cache();
        assert!(far(&full, &in_pieces(&model, &tokens, sizes, &mut cache)) < 1e-5, "{sizes:?}");
        assert_eq!((cache.len(), cache.rows()), (12, Some(1)));
        assert_eq!(cache.bytes(), 2 * 2 * 12 * 32 * 4); // keys and values, two layers, 12 tokens of width 32 in f32
    }
}

#[test]
fn cached_steps_of_a_padded_batch_equal_the_full_forward() {
    let model = tiny();
    let run = &runs()[1];
    let (input, mask, places) = (read(run, "input_ids"), read(run, "attention_mask"), read(run, "position_ids"));
    let full = model.forward(&input, &places, Some(&mask), &mut model.new_cache()).expect("legal inputs");
    let mut cache = model.new_cache();
    let mut steps = Vec::new();
    for t in 0..4 {
        let column = |tensor: &Tensor| tensor.narrow(1, t, 1).expect("in range");
        let seen = mask.narrow(1, 0, t + 1).expect("in range");
        steps.push(model.forward(&column(&input), &column(&places), Some(&seen), &mut cache).expect("legal inputs"));
    }
    let steps = Tensor::cat(&steps, 1).expect("equal shapes");
    assert!(far(&real(&full, &mask), &real(&steps, &mask)) < 1e-5);
}

#[test]
fn branches_of_a_cache_do_not_disturb_each_other() {
    let model = tiny();
    let mut trunk = model.new_cache();
    in_pieces(&model, &[5, 9, 33, 2], &[4], &mut trunk);
    let mut left = trunk.clone();
    let mut right = trunk.clone();
    in_pieces(&model, &[7, 8], &[1, 1], &mut left);
    let from_right = in_pieces(&model, &[60, 61], &[1, 1], &mut right);
    assert_eq!((trunk.len(), left.len(), right.len()), (4, 6, 6));
    let fresh = in_pieces(&model, &[5, 9, 33, 2, 60, 61], &[6], &mut model.new_cache());
    assert!(far(&fresh.narrow(1, 4, 2).expect("in range"), &from_right) < 1e-5);

    left.truncate(4).expect("shorter");
    assert_eq!(left.bytes(), trunk.bytes());
    let again = in_pieces(&model, &[60, 61], &[2], &mut left);
    assert!(far(&from_right, &again) < 1e-5);
    left.truncate(100).expect("not longer");
    assert_eq!(left.len(), 6);
    left.truncate(0).expect("empty");
    assert!(left.is_empty() && left.bytes() == 0 && left.rows().is_none());
}

#[test]
fn the_future_does_not_reach_the_past() {
    let model = tiny();
    let first = in_pieces(&model, &[5, 9, 33, 2], &[4], &mut model.new_cache());
    let second = in_pieces(&model, &[5, 9, 33, 71], &[4], &mut model.new_cache());
    let cut = |logits: &Tensor| logits.narrow(1, 0, 3).expect("in range");
    assert!(far(&cut(&first), &cut(&second)) == 0.0);
    assert!(far(&first, &second) > 0.1);
}

#[test]
fn what_cannot_be_computed_is_an_error_and_leaves_the_cache_alone() {
    let model = tiny();
    let mut cache = model.new_cache();
    let tokens: Vec<u32> = vec![3; CONTEXT];
    in_pieces(&model, &tokens, &[CONTEXT - 1], &mut cache);
    let last = ids(&[&[3, 3]]);
    let mut refused = |input: &Tensor, places: &Tensor, mask: Option<&Tensor>| {
        let error = model.forward(input, places, mask, &mut cache).expect_err("must be refused").to_string();
        assert_eq!(cache.len(), CONTEXT - 1);
        error
    };
    assert_eq!(
        refused(&last, &positions(126, 2), None),
        "the context ends at 128 tokens: 127 are cached, 2 more do not fit"
    );
    let (one, place) = (ids(&[&[3]]), positions(127, 1));
    assert_eq!(
        refused(&one, &positions(128, 1), None),
        "position id 128 is out of range: the model has positions 0 to 127"
    );
    assert!(refused(&one, &(place.to_dtype(DType::I64).expect("ids") - 128.0).expect("ids"), None).contains("id -1"));
    assert!(refused(&ids(&[&[97]]), &place, None).contains("token id 97"));
    assert!(refused(&one, &place, Some(&ids(&[&[1]]))).contains("attention_mask has shape [1, 1] where [1, 128]"));
    assert!(refused(&one, &last, None).contains("position_ids has shape [1, 2] where [1, 1]"));
    assert!(refused(&ids(&[&[3], &[3]]), &ids(&[&[1], &[1]]), None).contains("it holds 1 rows and 2 are fed"));
    assert!(refused(&one.to_dtype(DType::F32).expect("ids"), &place, None).contains("integers"));
    let empty = Tensor::zeros((1, 0), DType::U32, &Device::Cpu).expect("no elements");
    assert!(refused(&empty, &empty, None).contains("at least one"));
    assert!(model.forward(&one, &place, None, &mut cache).is_ok());
}

#[test]
fn files_that_are_wrong_are_named() {
    let config = Config::from_json(CONFIG).expect("the config is right");
    let load = |config: &Config, bytes: &[u8]| Gpt2::from_safetensors(config, bytes, DType::F32, &Device::Cpu);
    let cut = load(&config, &WEIGHTS[..WEIGHTS.len() - 1]).expect_err("a truncated file");
    assert!(matches!(cut, Error::NotSafetensors(_)), "{cut}");
    assert!(matches!(load(&config, b"<html>"), Err(Error::NotSafetensors(_))));
    let deeper = load(&Config { n_layer: 3, ..config.clone() }, WEIGHTS).expect_err("no third layer");
    assert_eq!(deeper.to_string(), "the weights have no tensor \"transformer.h.2.ln_1.weight\"");
    let wider = load(&Config { vocab_size: 98, ..config.clone() }, WEIGHTS).expect_err("another vocabulary");
    assert!(wider.to_string().contains("[97, 32]; the config asks for [98, 32]"), "{wider}");
    for (field, word) in [("\"n_head\": 4", "\"n_head\": 5"), ("gpt2", "llama"), ("\"n_layer\": 2", "\"n_layer\": 0")] {
        assert!(matches!(Config::from_json(&CONFIG.replace(field, word)), Err(Error::Config(_))), "{word}");
    }
}
