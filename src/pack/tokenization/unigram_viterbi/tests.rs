//! The reference beside a search through every cut, which knows nothing of prefixes.

use super::{letters, made_up, mistakes, reference};
use crate::judge::Case;
use candle_core::Device;
use std::collections::HashMap;

/// The best of all 2^(n − 1) cuts: the largest sum, then the longest last piece, the longest last but one, and so on.
fn of_every_cut(text: &str, pieces: &HashMap<String, f64>) -> Vec<String> {
    let text: Vec<char> = text.chars().collect();
    let unknown = pieces.values().copied().fold(0.0, f64::min) - 10.0;
    let mut best: Option<(f64, Vec<usize>, Vec<String>)> = None;
    for cuts in 0..1u32 << text.len().saturating_sub(1) {
        let ends = (1..=text.len()).filter(|&end| end == text.len() || cuts >> (end - 1) & 1 == 1);
        let (mut sum, mut lengths, mut found): (f64, Vec<usize>, Vec<String>) = (0.0, Vec::new(), Vec::new());
        let (mut start, mut in_unknown) = (0, false);
        for end in ends {
            let piece: String = text[start..end].iter().collect();
            let known = pieces.get(&piece);
            sum += known.copied().unwrap_or(if end - start == 1 { unknown } else { f64::NEG_INFINITY });
            match found.last_mut() {
                Some(run) if in_unknown && known.is_none() => run.push_str(&piece),
                _ => found.push(piece),
            }
            lengths.insert(0, end - start);
            (start, in_unknown) = (end, known.is_none());
        }
        if best.as_ref().is_none_or(|(most, longest, _)| (sum, &lengths) > (*most, longest)) {
            best = Some((sum, lengths, found));
        }
    }
    best.map(|(_, _, found)| found).unwrap_or_default()
}

#[test]
fn the_best_of_every_cut() {
    let mut case = Case::new("unigram-viterbi", "the best of every cut", &Device::Cpu);
    for _ in 0..60 {
        let pieces = made_up(&mut case, 30);
        for length in 0..11 {
            let text = letters(&mut case, "abcabcd", length);
            let found = reference::segment(&text, &pieces);
            assert_eq!(found, of_every_cut(&text, &pieces), "{text} {pieces:?}");
            assert_eq!(found, mistakes::flawless(&text, &pieces), "{text} {pieces:?}");
            assert_eq!(found.concat(), text);
        }
    }
}
