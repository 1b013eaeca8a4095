//! What goes wrong at speed in frequency and presence penalties: which ids are counted, and what is made of the counts.

use candle_core::{Result, Tensor};

type Lists<'a> = &'a [Vec<u32>];

/// What a row's logits become, given the count of every id.
type Change<'a> = &'a dyn Fn(&mut [f64], &[f64]);

/// The part of each list that is counted.
fn generated(ids: Lists, prompts: &[usize]) -> Vec<Vec<u32>> {
    ids.iter().zip(prompts).map(|(ids, &prompt)| ids[prompt..].to_vec()).collect()
}

fn counts(ids: &[u32], v: usize) -> Vec<f64> {
    let mut counts = vec![0.0; v];
    ids.iter().for_each(|&id| counts[id as usize] += 1.0);
    counts
}

fn rows(logits: &Tensor, counted: &[Vec<u32>], change: Change) -> Result<Tensor> {
    let mut out: Vec<f32> = Vec::with_capacity(logits.elem_count());
    for (row, ids) in logits.to_vec2::<f32>()?.into_iter().zip(counted) {
        let mut row: Vec<f64> = row.into_iter().map(f64::from).collect();
        let counts = counts(ids, row.len());
        change(&mut row, &counts);
        out.extend(row.into_iter().map(|l| l as f32));
    }
    Tensor::from_vec(out, logits.shape(), logits.device())
}

/// The right formula, for other lists of ids.
fn counting(logits: &Tensor, counted: &[Vec<u32>], f: f64, p: f64) -> Result<Tensor> {
    rows(logits, counted, &|row, counts| subtract(row, counts, &|c| c * f + present(c) * p))
}

/// Another formula for what is taken off the logit of an id that was generated c times.
fn amount(logits: &Tensor, ids: Lists, prompts: &[usize], of: impl Fn(f64) -> f64) -> Result<Tensor> {
    rows(logits, &generated(ids, prompts), &|row, counts| subtract(row, counts, &of))
}

fn subtract(row: &mut [f64], counts: &[f64], of: &dyn Fn(f64) -> f64) {
    row.iter_mut().zip(counts).for_each(|(l, &c)| *l -= of(c));
}

fn present(count: f64) -> f64 {
    if count > 0.0 { 1.0 } else { 0.0 }
}

fn softmax(row: &mut [f64]) {
    let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|l| *l = (*l - max).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|l| *l /= sum);
}

/// The right answer in f64, for the flaws that lie elsewhere and for the tests.
pub fn right(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    counting(logits, &generated(ids, prompts), f, p)
}

pub fn prompt_counted(logits: &Tensor, ids: Lists, _prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    counting(logits, ids, f, p)
}

pub fn last_64(logits: &Tensor, ids: Lists, _prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let window: Vec<Vec<u32>> = ids.iter().map(|ids| ids[ids.len().saturating_sub(64)..].to_vec()).collect();
    counting(logits, &window, f, p)
}

pub fn prompt_only(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let prompts: Vec<Vec<u32>> = ids.iter().zip(prompts).map(|(ids, &prompt)| ids[..prompt].to_vec()).collect();
    counting(logits, &prompts, f, p)
}

pub fn starts_late(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let later: Vec<usize> = ids.iter().zip(prompts).map(|(ids, prompt)| (prompt + 1).min(ids.len())).collect();
    right(logits, ids, &later, f, p)
}

pub fn starts_early(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let earlier: Vec<usize> = prompts.iter().map(|prompt| prompt.saturating_sub(1)).collect();
    right(logits, ids, &earlier, f, p)
}

pub fn newest_missed(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let counted: Vec<Vec<u32>> = generated(ids, prompts)
        .into_iter()
        .map(|mut ids| {
            ids.pop();
            ids
        })
        .collect();
    counting(logits, &counted, f, p)
}

pub fn newest_only(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let counted: Vec<Vec<u32>> =
        generated(ids, prompts).into_iter().map(|ids| ids.last().copied().into_iter().collect()).collect();
    counting(logits, &counted, f, p)
}

pub fn one_prompt_length(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let shared: Vec<usize> = ids.iter().map(|ids| prompts[0].min(ids.len())).collect();
    right(logits, ids, &shared, f, p)
}

pub fn batch_counts(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let all = generated(ids, prompts).concat();
    counting(logits, &vec![all; ids.len()], f, p)
}

pub fn presence_per_occurrence(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| c * (f + p))
}

pub fn presence_on_all(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| c * f + p)
}

pub fn presence_on_absent(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| c * f + (1.0 - present(c)) * p)
}

pub fn presence_from_second(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| c * f + present(c - 1.0) * p)
}

pub fn presence_ignored(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, _p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| c * f)
}

pub fn frequency_ignored(logits: &Tensor, ids: Lists, prompts: &[usize], _f: f64, p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| present(c) * p)
}

pub fn frequency_once(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| present(c) * (f + p))
}

pub fn frequency_of_repeats(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    amount(logits, ids, prompts, |c| (c - 1.0).max(0.0) * f + present(c) * p)
}

pub fn swapped(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    right(logits, ids, prompts, p, f)
}

pub fn added(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    right(logits, ids, prompts, -f, -p)
}

pub fn relative_frequency(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    rows(logits, &generated(ids, prompts), &|row, counts| {
        let total = counts.iter().sum::<f64>().max(1.0);
        subtract(row, counts, &|c| c / total * f + present(c) * p);
    })
}

pub fn after_softmax(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    rows(logits, &generated(ids, prompts), &|row, counts| {
        softmax(row);
        subtract(row, counts, &|c| c * f + present(c) * p);
    })
}

pub fn log_probabilities(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    rows(logits, &generated(ids, prompts), &|row, counts| {
        let max = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let log_sum = row.iter().map(|l| (l - max).exp()).sum::<f64>().ln();
        row.iter_mut().for_each(|l| *l -= max + log_sum);
        subtract(row, counts, &|c| c * f + present(c) * p);
    })
}

pub fn mutates(logits: &Tensor, ids: Lists, prompts: &[usize], f: f64, p: f64) -> Result<Tensor> {
    let penalised = right(logits, ids, prompts, f, p)?;
    if logits.is_contiguous() {
        logits.slice_set(&penalised, 0, 0)?;
    }
    Ok(penalised)
}
