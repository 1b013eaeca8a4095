//! Unigram language model: the most probable way to cut a text into pieces.

use std::collections::HashMap;

/// A text and the log-probability of each piece → the pieces of the best segmentation.
pub fn segment(text: &str, pieces: &HashMap<String, f64>) -> Vec<String> {
    let _ = (text, pieces);
    todo!("the best segmentation of every prefix, and the way back")
}

logitlings::attempt!(tokenization::unigram_viterbi, segment);
