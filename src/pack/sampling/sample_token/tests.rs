//! What must not be rejected, and what the statistical case alone must reject.

use super::{Attempt, mistakes, problem, reference};
use crate::judge::report::{Line, Report};
use crate::judge::{Options, Problem};
use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::ops::softmax;

type Uniform<'a> = &'a mut dyn FnMut() -> f64;

fn judged(attempt: Attempt, only: Option<&str>) -> Report {
    let mut report = Report::default();
    let options = Options { device: Device::Cpu, only: only.map(str::to_owned) };
    problem().judge(&attempt, &options, &mut |line: Line| report.push(line));
    assert!(!report.cases.is_empty());
    report
}

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    let report = judged(attempt, None);
    report.cases.into_iter().filter(|case| !case.result.passed()).map(|case| case.name).collect()
}

const NONE: [&str; 0] = [];

/// The way of transformers' warpers, in f32 and with tensor operations only.
fn with_tensors(logits: &Tensor, t: f64, k: usize, p: f64, uniform: Uniform) -> Result<Vec<u32>> {
    let (b, v) = logits.dims2()?;
    let hidden = Tensor::full(f32::NEG_INFINITY, (b, v), logits.device())?;
    if t == 0.0 {
        return logits.argmax(D::Minus1)?.to_vec1();
    }
    let mut logits = (logits / t)?;
    if k > 0 {
        let (sorted, _) = logits.sort_last_dim(false)?;
        let kth = sorted.narrow(1, k.min(v) - 1, 1)?;
        logits = logits.broadcast_lt(&kth)?.where_cond(&hidden, &logits)?;
    }
    if p < 1.0 {
        let order = logits.arg_sort_last_dim(false)?; // (B, V)
        let sorted = softmax(&logits.gather(&order, 1)?, D::Minus1)?;
        let before = (sorted.cumsum(D::Minus1)? - &sorted)?;
        let removed = before.ge(p)?.to_dtype(DType::F32)?;
        let removed = Tensor::cat(&[removed.narrow(1, 0, 1)?.zeros_like()?, removed.narrow(1, 1, v - 1)?], 1)?;
        let removed = Tensor::zeros((b, v), DType::F32, logits.device())?.scatter_add(&order, &removed, 1)?;
        logits = removed.gt(0.0)?.where_cond(&hidden, &logits)?;
    }
    let probabilities = softmax(&logits, D::Minus1)?.to_vec2::<f32>()?;
    let pick = |row: &Vec<f32>| {
        let (u, mut cumulative) = (uniform() as f32, 0.0);
        let last = row.iter().rposition(|&p| p > 0.0).unwrap_or(0);
        let reached = row.iter().position(|p| {
            cumulative += p;
            cumulative > u
        });
        reached.unwrap_or(last) as u32
    };
    Ok(probabilities.iter().map(pick).collect())
}

#[test]
fn tensors_in_f32_are_right() {
    assert_eq!(failed(with_tensors), NONE);
}

#[test]
fn the_mistakes_without_their_flaws_are_right() {
    assert_eq!(failed(|l, t, k, p, u| mistakes::run(mistakes::Flaw::Flawless, l, t, k, p, u)), NONE);
}

fn moved(by: f64, logits: &Tensor, t: f64, k: usize, p: f64, uniform: Uniform) -> Result<Vec<u32>> {
    let below_one = 1.0 - f64::EPSILON / 2.0;
    reference::sample_token(logits, t, k, p, &mut || (uniform() + by).clamp(0.0, below_one))
}

/// Another p, where the filter is on.
fn nudged(p: f64, by: f64) -> f64 {
    if p < 1.0 { p + by } else { p }
}

/// No draw and no filter may hang on the sixth digit of a probability: another order of summing must not decide.
#[test]
fn nothing_hangs_on_the_sixth_digit() {
    assert_eq!(failed(|l, t, k, p, u| moved(4e-6, l, t, k, p, u)), NONE);
    assert_eq!(failed(|l, t, k, p, u| moved(-4e-6, l, t, k, p, u)), NONE);
    assert_eq!(failed(|l, t, k, p, u| reference::sample_token(&(l * (1.0 + 4e-6))?, t, k, p, u)), NONE);
    assert_eq!(failed(|l, t, k, p, u| reference::sample_token(l, t, k, nudged(p, -4e-6), u)), NONE);
    // The one mass that is reached exactly, .25 + .25, is exact in every float.
    let exact = failed(|l, t, k, p, u| reference::sample_token(l, t, k, nudged(p, 4e-6), u));
    assert_eq!(exact, ["a mass that is reached exactly"]);
}

/// The same for the case that runs on an accelerator only.
#[test]
fn the_large_case_does_not_hang_on_it_either() {
    let differs = |attempt: Attempt| {
        let large =
            Problem::new("sample-token", reference::sample_token as Attempt).case("a vocabulary of 4096", super::large);
        let mut report = Report::default();
        large.judge(&attempt, &Options { device: Device::Cpu, only: None }, &mut |line| report.push(line));
        report.first_failure().map(|case| format!("{:?}", case.result))
    };
    assert_eq!(differs(with_tensors), None);
    assert_eq!(differs(|l, t, k, p, u| moved(4e-6, l, t, k, p, u)), None);
    assert_eq!(differs(|l, t, k, p, u| moved(-4e-6, l, t, k, p, u)), None);
    assert!(differs(mistakes::top_k_ignored).is_some());
}

/// The negative control: twenty thousand draws tell a distribution from its neighbour.
#[test]
fn the_draws_reject_another_distribution() {
    let accepted = |attempt: Attempt| judged(attempt, Some("twenty thousand draws")).passed() == 1;
    assert!(accepted(reference::sample_token));
    assert!(accepted(with_tensors));
    // The same distribution by another road: not what the sweeps ask for, and yet not to be rejected here.
    assert!(accepted(mistakes::rank_order));
    assert!(!accepted(|l, t, k, p, u| reference::sample_token(l, t * 0.85, k, p, u)));
    assert!(!accepted(mistakes::even_among_kept));
    assert!(!accepted(mistakes::top_k_ignored));
    assert!(!accepted(mistakes::top_p_ignored));
    assert!(!accepted(mistakes::crossing_excluded));
    assert!(!accepted(mistakes::not_renormalised));
    assert!(!accepted(mistakes::one_draw_for_all));
}
