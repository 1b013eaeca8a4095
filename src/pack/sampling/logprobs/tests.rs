//! What must not be rejected.

use super::{Attempt, TokenLogprobs, mistakes, problem, reference};

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

const NO_CASE: [&str; 0] = [];

/// In f32 throughout: the maximum is part of the log-sum, the best are taken one by one, and the rank is counted.
fn one_by_one(logits: &[f32], token: u32, top: usize) -> TokenLogprobs {
    let max = logits.iter().copied().fold(f32::MIN, f32::max);
    let log_sum = max + logits.iter().map(|l| (l - max).exp()).sum::<f32>().ln();
    let mut rest: Vec<(u32, f32)> = (0..).zip(logits.iter().map(|l| l - log_sum)).collect();
    let own = logits[token as usize];
    let larger = logits.iter().filter(|&&l| l > own).count();
    let rank = 1 + larger + logits[..token as usize].iter().filter(|&&l| l == own).count();
    let mut list = Vec::new();
    while list.len() < top && !rest.is_empty() {
        let best = (0..rest.len()).fold(0, |best, at| {
            let (a, b) = (rest[at].0 as usize, rest[best].0 as usize);
            if logits[a] > logits[b] { at } else { best }
        });
        list.push(rest.remove(best));
    }
    if rank > top {
        list.push((token, own - log_sum));
    }
    TokenLogprobs { logprob: own - log_sum, rank, top: list }
}

#[test]
fn f32_and_a_selection_one_by_one_are_right() {
    assert_eq!(failed(Attempt { token_logprobs: one_by_one, prompt_logprobs: reference::prompt_logprobs }), NO_CASE);
    let prompt = |logits: &[Vec<f32>], prompt: &[u32], top: usize| {
        let mut entries = vec![None];
        entries.extend((1..prompt.len()).map(|t| Some(one_by_one(&logits[t - 1], prompt[t], top))));
        entries
    };
    assert_eq!(failed(Attempt { token_logprobs: one_by_one, prompt_logprobs: prompt }), NO_CASE);
}

#[test]
fn a_full_sort_is_right() {
    assert_eq!(failed(mistakes::FLAWLESS), NO_CASE);
}
