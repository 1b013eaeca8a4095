//! What must not be rejected, what an exhaustive search says, and what the named conventions are.

use super::cases::Table;
use super::golden::{FIXTURE, expect_table};
use super::{Attempt, mistakes, problem, reference};
use crate::judge::Golden;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use std::collections::{BTreeSet, BinaryHeap};

type Hypotheses = Vec<(Vec<u32>, f64)>;
type Logits<'a> = &'a mut dyn FnMut(&[Vec<u32>]) -> Vec<Vec<f64>>;

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

/// A number of the heap, larger is better; of equals the one that was made first.
#[derive(PartialEq)]
struct Place(f64, usize);

impl Eq for Place {}
impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Place {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

/// Another way of writing it: a heap over all candidates, log-sum-exp without a softmax, rows fed in reverse.
fn with_a_heap(logits: Logits, prompt: &[u32], beam: usize, max: usize, eos: u32) -> Hypotheses {
    let (mut live, mut done): (Hypotheses, Hypotheses) = (vec![(prompt.to_vec(), 0.0)], Vec::new());
    for left in (0..max).rev() {
        let mut rows = logits(&live.iter().rev().map(|(tokens, _)| tokens.clone()).collect::<Vec<_>>());
        rows.reverse();
        let mut made: Vec<(usize, u32)> = Vec::new();
        let mut heap = BinaryHeap::new();
        for (parent, row) in rows.iter().enumerate() {
            let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.iter().rev().map(|l| (l - top).exp2_of_e()).sum();
            for (id, logit) in row.iter().enumerate().filter(|(_, logit)| logit.is_finite()) {
                heap.push(Place(live[parent].1 + (logit - (top + sum.ln())), made.len()));
                made.push((parent, id as u32));
            }
        }
        let (mut next, mut rank): (Hypotheses, usize) = (Vec::new(), 0);
        while let Some(Place(score, index)) = heap.pop() {
            let (parent, token) = made[index];
            let mut tokens = live[parent].0.clone();
            tokens.push(token);
            if rank < beam && (token == eos || left == 0) {
                let at = done.iter().position(|(_, other)| *other < score).unwrap_or(done.len());
                done.insert(at, (tokens.clone(), score));
            }
            if token != eos {
                next.push((tokens, score));
            }
            rank += 1;
            if next.len() == beam {
                break;
            }
        }
        done.truncate(beam);
        live = next;
        if live.is_empty() || (done.len() == beam && done[beam - 1].1 >= live[0].1) {
            break;
        }
    }
    if max == 0 { live } else { done }
}

trait Exp2 {
    fn exp2_of_e(self) -> Self;
}

impl Exp2 for f64 {
    /// eˣ by way of 2ˣ.
    fn exp2_of_e(self) -> f64 {
        (self * std::f64::consts::LOG2_E).exp2()
    }
}

const NONE: [&str; 0] = [];

#[test]
fn a_heap_is_right() {
    assert_eq!(failed(with_a_heap), NONE);
}

#[test]
fn the_mistakes_without_their_flaws_are_right() {
    assert_eq!(failed(|l, p, b, m, e| mistakes::run(mistakes::Flaw::Flawless, l, p, b, m, e)), NONE);
}

/// The reference with logits that are larger by N parts in 10¹².
fn nudged<const N: i8>(logits: Logits, prompt: &[u32], beam: usize, max: usize, eos: u32) -> Hypotheses {
    let factor = 1.0 + f64::from(N) * 1e-12;
    let mut nudged = |prefixes: &[Vec<u32>]| {
        let mut rows = logits(prefixes);
        rows.iter_mut().flatten().for_each(|logit| *logit *= factor);
        rows
    };
    reference::beam_search(&mut nudged, prompt, beam, max, eos)
}

/// No order may hang on the last digits of a score: another way of computing it must not decide.
#[test]
fn nothing_hangs_on_the_last_digits() {
    let attempts: [Attempt; 6] = [nudged::<1>, nudged::<3>, nudged::<20>, nudged::<-1>, nudged::<-7>, nudged::<-20>];
    for attempt in attempts {
        assert_eq!(failed(attempt), NONE);
    }
}

/// Every sequence that ends in EOS or is `max` tokens long, with its log-probability, best first.
fn exhaustive(table: &Table, prompt: &[u32], max: usize, eos: u32) -> Hypotheses {
    let (mut open, mut found): (Hypotheses, Hypotheses) = (vec![(prompt.to_vec(), 0.0)], Vec::new());
    while let Some((tokens, score)) = open.pop() {
        let row = table.logits(&tokens);
        let sum: f64 = row.iter().map(|l| l.exp()).sum();
        for (id, logit) in row.iter().enumerate() {
            let next = ([&tokens[..], &[id as u32]].concat(), score + logit - sum.ln());
            let ends = id as u32 == eos || next.0.len() == prompt.len() + max;
            if ends { found.push(next) } else { open.push(next) }
        }
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

/// A beam as wide as there are sequences finds them all, in the order of their probability.
#[test]
fn a_wide_beam_is_an_exhaustive_search() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for vocab in [2, 3, 4] {
        let logits = (0..vocab * vocab * vocab).map(|_| f64::from(rng.next_u32() % 4001) / 1000.0 - 2.0).collect();
        let table = Table::new(vocab, logits);
        let all = exhaustive(&table, &[0], 4, 1);
        let mut forward = |prefixes: &[Vec<u32>]| prefixes.iter().map(|p| table.logits(p)).collect();
        let found = reference::beam_search(&mut forward, &[0], 400, 4, 1);
        assert_eq!(found.len(), all.len());
        assert!(found.iter().zip(&all).all(|(a, b)| (a.1 - b.1).abs() < 1e-12));
        // The order of equally probable ones is free.
        let tokens = |list: &Hypotheses| list.iter().map(|hypothesis| hypothesis.0.clone()).collect::<BTreeSet<_>>();
        assert_eq!(tokens(&found), tokens(&all));
    }
}

/// What the verdict calls transformers' defaults is what the library does.
#[test]
fn the_conventions_of_transformers_are_its_own() -> crate::judge::Result<()> {
    let mut fixture = Golden::new(FIXTURE)?;
    let conventions: [(&str, Attempt); 2] =
        [("length_normalised", mistakes::length_normalised), ("early_stopping", mistakes::early_stopping)];
    for (key, convention) in conventions {
        for entry in fixture.entries(key)? {
            expect_table(&convention, &mut fixture, &entry)?;
        }
    }
    assert_eq!(fixture.wrong, NONE);
    // And it is not what is asked for.
    for entry in fixture.entries("length_normalised")? {
        expect_table(&(reference::beam_search as Attempt), &mut fixture, &entry)?;
    }
    assert!(!fixture.wrong.is_empty());
    Ok(())
}
