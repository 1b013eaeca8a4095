//! What must not be rejected: other right answers, in the freedom that the statement leaves.

use super::mistakes::{loops, samplers};
use super::{Attempt, Decoder, GenerationConfig, SampleNextToken, problem, reference};
use crate::judge::Options;
use crate::judge::report::{Line, Report};
use candle_core::{DType, Device, Result, Tensor};

fn judged(attempt: Attempt) -> Report {
    let mut report = Report::default();
    let options = Options { device: Device::Cpu, only: None };
    problem().judge(&attempt, &options, &mut |line: Line| report.push(line));
    report
}

fn assert_accepted(attempt: Attempt) {
    let report = judged(attempt);
    let wrong: Vec<_> = report.cases.iter().filter(|case| !case.result.passed()).collect();
    assert!(report.complete && wrong.is_empty(), "{wrong:?}");
}

/// The mistakes' walk and loop without a flaw: another formulation of both functions.
#[test]
fn the_mistakes_without_their_flaws_are_right() {
    const SAMPLE: SampleNextToken = |l, t, k, p, u| samplers::sample(samplers::Flaw::None, l, t, k, p, u);
    assert_accepted(Attempt {
        sample_next_token: SAMPLE,
        generate: |model, ids, mask, config, u| loops::run(loops::Flaw::None, SAMPLE, model, (ids, mask), config, u),
    });
}

/// Everything in f32, with the softmax and the cumulative sums that a tensor library would take.
fn in_f32(
    logits: &Tensor,
    temperature: f64,
    top_k: usize,
    top_p: f64,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Vec<u32>> {
    let rows = logits.to_vec2::<f32>()?;
    let pick = |row: &Vec<f32>| {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
        if temperature == 0.0 {
            return order[0] as u32;
        }
        let scaled: Vec<f32> = row.iter().map(|&logit| logit / temperature as f32).collect();
        order.truncate(if top_k == 0 { row.len() } else { top_k });
        let softmax = |ids: &[usize]| -> Vec<f32> {
            let weights: Vec<f32> = ids.iter().map(|&id| (scaled[id] - scaled[ids[0]]).exp()).collect();
            let sum: f32 = weights.iter().sum();
            weights.iter().map(|weight| weight / sum).collect()
        };
        if top_p < 1.0 {
            let shares = softmax(&order);
            let before = |rank: usize| shares[..rank].iter().sum::<f32>();
            let keep = (0..order.len()).take_while(|&rank| rank == 0 || before(rank) < top_p as f32).count();
            order.truncate(keep);
        }
        let (shares, u) = (softmax(&order), uniform() as f32);
        let mut by_id: Vec<(usize, f32)> = order.into_iter().zip(shares).collect();
        by_id.sort_by_key(|&(id, _)| id);
        let mut cumulative = 0.0;
        let last = by_id.last().map_or(0, |&(id, _)| id);
        let found = by_id.iter().find(|&&(_, share)| {
            cumulative += share;
            cumulative > u
        });
        found.map_or(last, |&(id, _)| id) as u32
    };
    Ok(rows.iter().map(pick).collect())
}

#[test]
fn a_sampler_in_f32_is_right() {
    assert_accepted(Attempt { sample_next_token: in_f32, generate: reference::generate });
}

/// Logits that are off in the fifth digit, as on another device: no decision of a case may hang on that.
fn nudged(logits: &Tensor) -> Result<Tensor> {
    let noise = (logits.maximum(-1e6)? * 1e3)?.sin()?; // equal logits stay equal
    logits + (noise * 1e-5)?
}

#[test]
fn no_decision_is_close() {
    const NUDGED: SampleNextToken = |l, t, k, p, u| reference::sample_next_token(&nudged(l)?, t, k, p, u);
    assert_accepted(Attempt {
        sample_next_token: NUDGED,
        generate: |model, ids, mask, config, u| loops::run(loops::Flaw::None, NUDGED, model, (ids, mask), config, u),
    });
}

/// Padding at position 5, i64 tensors; finished rows are fed another token, at another position, and are hidden.
struct Free<'a> {
    inner: &'a mut dyn Decoder,
    eos: u32,
    finished: Vec<bool>,
}

impl Decoder for Free<'_> {
    fn context(&self) -> usize {
        self.inner.context()
    }

    fn feed(&mut self, ids: &Tensor, positions: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let (b, n) = ids.dims2()?;
        let width = mask.dim(1)?;
        let (mut ids, mut positions, mut mask) = (
            ids.to_vec2::<u32>()?.concat(),
            positions.to_dtype(DType::I64)?.to_vec2::<i64>()?.concat(),
            mask.to_vec2::<u32>()?,
        );
        self.finished.resize(b, false);
        for row in 0..b {
            let newest = row * n + n - 1;
            self.finished[row] |= width > n && ids[newest] == self.eos;
            if self.finished[row] {
                (ids[newest], positions[newest], mask[row][width - 1]) = (50, 9, 0);
            }
            for column in 0..n {
                if mask[row][width - n + column] == 0 {
                    positions[row * n + column] = 5;
                }
            }
        }
        let device = Device::Cpu;
        let ids = Tensor::from_vec(ids, (b, n), &device)?.to_dtype(DType::I64)?;
        let mask = Tensor::from_vec(mask.concat(), (b, width), &device)?.to_dtype(DType::U8)?;
        self.inner.feed(&ids, &Tensor::from_vec(positions, (b, n), &device)?, &mask)
    }

    fn reset(&mut self) {
        self.inner.reset();
    }
}

fn free(
    model: &mut dyn Decoder,
    ids: &Tensor,
    mask: &Tensor,
    config: &GenerationConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Tensor> {
    let mut model = Free { inner: model, eos: config.eos, finished: Vec::new() };
    reference::generate(&mut model, ids, mask, config, uniform)
}

#[test]
fn what_the_statement_leaves_free_is_free() {
    assert_accepted(Attempt { sample_next_token: reference::sample_next_token, generate: free });
}
