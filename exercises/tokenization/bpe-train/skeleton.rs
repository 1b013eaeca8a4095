//! Byte-pair encoding: learn the merges.

/// Words with their counts → the first `merges` merges, in the order in which they are learned.
pub fn bpe_train(words: &[(String, u64)], merges: usize) -> Vec<(String, String)> {
    let _ = (words, merges);
    todo!("count the pairs, merge the most frequent one, and again")
}

logitlings::attempt!(tokenization::bpe_train, bpe_train);
