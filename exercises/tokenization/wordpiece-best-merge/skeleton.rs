//! WordPiece training: which pair of symbols is merged next?

/// Words as lists of symbols, with their counts → the best pair and its score; `None` if no two symbols are neighbours.
pub fn best_merge(words: &[(Vec<String>, u64)]) -> Option<(String, String, f64)> {
    let _ = words;
    todo!("count the symbols and the pairs, and take the largest count(ab) / (count(a) · count(b))")
}

logitlings::attempt!(tokenization::wordpiece_best_merge, best_merge);
