//! Decode tokens a second of the embedded model beside transformers' `generate` on the same weights and cores.
//!
//! `PYTHON=<a python with torch and transformers> cargo bench --bench decode` runs both in turn and prints the ratio; without
//! `PYTHON` it prints our figure alone. The goal is a ratio of 1 or more. On a busy machine give both one thread
//! (`RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1`): PyTorch's threads spin while they wait for each other.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a bench speaks

use logitlings::lab::batch::greedy;
use logitlings::lab::{Cached, Lane, Loaded, Source, embedded};
use logitlings::sampling::{Engine, Settings, Stage};
use std::process::Command;
use std::time::Instant;

const PROMPT: &str = "It is a truth universally acknowledged, that";
const TOKENS: usize = 200;
const ROUNDS: usize = 5;

/// Tokens a second of a greedy decode, prompt included, nothing looked at.
fn bare(loaded: &Loaded, prompt: &[u32]) -> f64 {
    let began = Instant::now();
    let mut source = Cached::new(loaded.model.clone());
    let mut token = greedy(&source.feed(prompt).expect("logits"));
    for _ in 1..TOKENS {
        token = greedy(&source.feed(&[token]).expect("logits"));
    }
    TOKENS as f64 / began.elapsed().as_secs_f64()
}

/// Tokens a second of a lane: every stage traced, every step kept.
fn lane(loaded: &Loaded, prompt: &[u32]) -> f64 {
    let stages = [Stage::Temperature(0.8), Stage::TopK(40), Stage::TopP(0.95)].map(|stage| (stage, true)).to_vec();
    let settings = Settings { stages, rules: Engine::Transformers.rules(), greedy: false };
    let began = Instant::now();
    let mut lane = Lane::new("a", settings, Box::new(Cached::new(loaded.model.clone())), prompt);
    lane.reach(TOKENS, 42).expect("steps");
    TOKENS as f64 / began.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What tests/bench/decode.py measures in one round.
fn theirs(python: &str) -> Result<f64, String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/decode.py");
    let done = Command::new(python).args([script, PROMPT, &TOKENS.to_string()]).output();
    let done = done.map_err(|error| format!("{python}: {error}"))?;
    let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    said.parse().map_err(|_| format!("{python} said {said:?} {}", String::from_utf8_lossy(&done.stderr)))
}

fn main() {
    let loaded = embedded::load().expect("the embedded model loads");
    let prompt = loaded.tokens.encode(PROMPT).expect("tokens");
    bare(&loaded, &prompt);
    let (mut ours, mut traced, mut other) = (Vec::new(), Vec::new(), Vec::new());
    let python = std::env::var("PYTHON").ok();
    for _ in 0..ROUNDS {
        ours.push(bare(&loaded, &prompt));
        traced.push(lane(&loaded, &prompt));
        match python.as_deref().map(theirs) {
            Some(Ok(rate)) => other.push(rate),
            Some(Err(reason)) => eprintln!("{reason}"),
            None => {}
        }
    }
    let other = (!other.is_empty()).then(|| median(other));
    for (name, rate) in [("greedy decode", median(ours)), ("lane, every stage", median(traced))] {
        let ratio = other.map(|other| format!("   {:.2} × transformers", rate / other)).unwrap_or_default();
        println!("{name:<20} {rate:>7.0} tokens/s{ratio}");
    }
    match other {
        Some(other) => {
            println!("transformers         {other:>7.0} tokens/s   (generate, greedy, the same weights in f32)")
        }
        None => println!("transformers was not measured: set PYTHON"),
    }
}
