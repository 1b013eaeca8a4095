//! Viterbi segmentation under a unigram language model (Kudo 2018), with unknown characters as SentencePiece treats them.

use std::collections::HashMap;

/// How far below the least probable piece an unknown character lies.
const UNKNOWN_PENALTY: f64 = 10.0;

/// The best segmentation of a prefix: its log-probability, and the last piece.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    start: usize,
    known: bool,
}

/// The pieces of the most probable segmentation.
pub fn segment(text: &str, pieces: &HashMap<String, f64>) -> Vec<String> {
    let at: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
    let n = at.len() - 1; // characters
    let longest = pieces.keys().map(|piece| piece.chars().count()).fold(1, usize::max);
    let unknown = pieces.values().copied().fold(0.0, f64::min) - UNKNOWN_PENALTY;

    let mut best = vec![Best { score: f64::NEG_INFINITY, start: 0, known: true }; n + 1];
    best[0].score = 0.0;
    for end in 1..=n {
        // From the longest last piece to the shortest: with a strict comparison the longest wins a tie.
        for start in end.saturating_sub(longest)..end {
            let (score, known) = match pieces.get(&text[at[start]..at[end]]) {
                Some(&score) => (score, true),
                None if end - start == 1 => (unknown, false),
                None => continue,
            };
            let score = best[start].score + score;
            if score > best[end].score {
                best[end] = Best { score, start, known };
            }
        }
    }

    let mut cuts = Vec::new(); // from right to left
    let mut end = n;
    while end > 0 {
        cuts.push((best[end].start, end, best[end].known));
        end = best[end].start;
    }
    let mut found: Vec<(String, bool)> = Vec::new();
    for (start, end, known) in cuts.into_iter().rev() {
        let piece = &text[at[start]..at[end]];
        match found.last_mut() {
            Some((run, false)) if !known => run.push_str(piece), // unknown characters in a row are one piece
            _ => found.push((piece.to_owned(), known)),
        }
    }
    found.into_iter().map(|(piece, _)| piece).collect()
}
