//! What must not be rejected.

use super::{Attempt, letters, made_up, mistakes, problem, reference};
use crate::judge::Case;
use candle_core::Device;

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 10)
}

/// The merges of the cases are as the statement says, so that every way of replaying them is right.
#[test]
fn other_formulations_are_right() {
    assert_eq!(failed(mistakes::looked_again), [""; 0]);
    assert_eq!(failed(mistakes::one_pass), [""; 0]);
}

/// Queue, repeated search and a single pass over the merges agree, over many merges and words.
#[test]
fn three_formulations_agree() {
    let mut case = Case::new("bpe-encode", "three formulations agree", &Device::Cpu);
    for _ in 0..150 {
        let merges = made_up(&mut case, "abc", 30);
        for length in 0..20 {
            let word = letters(&mut case, "abcx", length);
            let symbols = reference::bpe_encode(&word, &merges);
            assert_eq!(symbols, mistakes::looked_again(&word, &merges), "{word} {merges:?}");
            assert_eq!(symbols, mistakes::one_pass(&word, &merges), "{word} {merges:?}");
            assert_eq!(symbols.concat(), format!("{word}</w>"));
        }
    }
}
