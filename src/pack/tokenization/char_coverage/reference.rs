//! Character coverage, the rule by which SentencePiece chooses its alphabet (Kudo and Richardson 2018, `--character_coverage`).

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The share of the corpus that the kept characters make up, and the characters that are not kept.
pub fn char_coverage(corpus: &[String], threshold: f64) -> (f64, Vec<char>) {
    let mut counts = BTreeMap::<char, u64>::new();
    corpus.iter().flat_map(|text| text.chars()).for_each(|c| *counts.entry(c).or_default() += 1);
    let total: u64 = counts.values().sum();
    if total == 0 {
        return (1.0, Vec::new()); // there is nothing that is not covered
    }
    // The map is sorted by code point and the sort is stable, so of equal counts the smaller code point comes first.
    let mut ranked: Vec<(char, u64)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(_, count)| Reverse(count));

    let (mut covered, mut kept) = (0, 0);
    while kept < ranked.len() && (covered as f64 / total as f64) < threshold {
        covered += ranked[kept].1;
        kept += 1;
    }
    (covered as f64 / total as f64, ranked[kept..].iter().map(|&(c, _)| c).collect())
}
