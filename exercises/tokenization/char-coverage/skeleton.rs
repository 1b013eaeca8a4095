//! Character coverage: which characters a tokenizer's alphabet must hold, and which it can leave out.

/// Keeps the most frequent characters until they make up the share `threshold` of the corpus. Returns the share that is kept
/// and the characters that are not, in any order.
pub fn char_coverage(corpus: &[String], threshold: f64) -> (f64, Vec<char>) {
    let _ = (corpus, threshold);
    todo!("count, sort, keep while the share is below the threshold")
}

logitlings::attempt!(tokenization::char_coverage, char_coverage);
