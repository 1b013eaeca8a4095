//! WordPiece's choice of the next merge (Schuster and Nakajima 2012, in the form that Hugging Face's course gives it).

use std::collections::HashMap;

/// The pair with the largest count(ab) / (count(a) · count(b)), and this score. Of equals the one that is met first.
pub fn best_merge(words: &[(Vec<String>, u64)]) -> Option<(String, String, f64)> {
    let mut symbols: HashMap<&str, u64> = HashMap::new();
    let mut pairs: HashMap<(&str, &str), u64> = HashMap::new();
    let mut met = Vec::new(); // the pairs in the order of first sight: a map has none
    for (word, count) in words {
        for symbol in word {
            *symbols.entry(symbol).or_default() += count;
        }
        for pair in word.windows(2) {
            let pair = (pair[0].as_str(), pair[1].as_str());
            *pairs.entry(pair).or_insert_with(|| {
                met.push(pair);
                0
            }) += count;
        }
    }
    // Floats before the product: two counts of ten digits overflow an integer.
    let score = |(a, b): (&str, &str)| pairs[&(a, b)] as f64 / (symbols[a] as f64 * symbols[b] as f64);
    let mut best: Option<(&str, &str, f64)> = None;
    for (a, b) in met {
        let score = score((a, b));
        if best.is_none_or(|(_, _, most)| score > most) {
            best = Some((a, b, score));
        }
    }
    best.map(|(a, b, score)| (a.to_owned(), b.to_owned(), score))
}
