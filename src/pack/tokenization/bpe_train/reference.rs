//! Byte-pair encoding for words, Sennrich, Haddow and Birch 2016, with counts that are updated and never taken again.

use std::collections::{BTreeSet, HashMap};

/// The end of a word is a symbol of its own.
const END: &str = "</w>";

type Pair = (u32, u32);

/// A word as symbols, and how often it occurs.
struct Word {
    symbols: Vec<u32>,
    count: u64,
}

#[derive(Default)]
struct Counts {
    /// Occurrences of each pair, weighted by the words' counts.
    of: HashMap<Pair, u64>,
    /// Words that hold (or once held) the pair.
    words: HashMap<Pair, BTreeSet<usize>>,
}

impl Counts {
    fn add(&mut self, at: usize, word: &Word) {
        for pair in word.symbols.windows(2) {
            *self.of.entry((pair[0], pair[1])).or_default() += word.count;
            self.words.entry((pair[0], pair[1])).or_default().insert(at);
        }
    }

    fn remove(&mut self, word: &Word) {
        for pair in word.symbols.windows(2) {
            if let Some(count) = self.of.get_mut(&(pair[0], pair[1])) {
                *count -= word.count;
            }
        }
    }

    /// The most frequent pair; of equals the one that is met first, word by word and left to right.
    fn best(&self, words: &[Word]) -> Option<Pair> {
        let most = self.of.values().copied().max().filter(|&most| most > 0)?;
        let tied = self.of.iter().filter(|(_, count)| **count == most).map(|(pair, _)| *pair);
        tied.min_by_key(|pair| self.first_place(*pair, words))
    }

    fn first_place(&self, pair: Pair, words: &[Word]) -> Option<(usize, usize)> {
        let place = |&at: &usize| Some((at, words[at].symbols.windows(2).position(|p| (p[0], p[1]) == pair)?));
        self.words.get(&pair)?.iter().find_map(place)
    }
}

/// The first `merges` merges that the words (with their counts) teach, in the order in which they are learned.
pub fn bpe_train(words: &[(String, u64)], merges: usize) -> Vec<(String, String)> {
    let mut names: Vec<String> = vec![END.to_owned()];
    let mut ids: HashMap<String, u32> = HashMap::from([(END.to_owned(), 0)]);
    let mut symbol = |text: String| {
        *ids.entry(text.clone()).or_insert_with(|| {
            names.push(text);
            (names.len() - 1) as u32
        })
    };
    let spell = |symbol: &mut dyn FnMut(String) -> u32, word: &str| {
        word.chars().map(|c| c.to_string()).chain([END.to_owned()]).map(symbol).collect::<Vec<u32>>()
    };
    let mut corpus: Vec<Word> =
        words.iter().map(|(word, count)| Word { symbols: spell(&mut symbol, word), count: *count }).collect();
    let mut counts = Counts::default();
    corpus.iter().enumerate().for_each(|(at, word)| counts.add(at, word));
    let mut learned = Vec::new();
    while learned.len() < merges {
        let Some(pair) = counts.best(&corpus) else { break };
        let merged = names[pair.0 as usize].clone() + &names[pair.1 as usize];
        learned.push((names[pair.0 as usize].clone(), names[pair.1 as usize].clone()));
        names.push(merged);
        let new = (names.len() - 1) as u32;
        // Only the words that hold the pair change, and with them the counts.
        for at in counts.words.remove(&pair).unwrap_or_default() {
            counts.remove(&corpus[at]);
            corpus[at].symbols = merge(&corpus[at].symbols, pair, new);
            counts.add(at, &corpus[at]);
        }
        counts.of.remove(&pair);
    }
    learned
}

/// Every occurrence from left to right; occurrences that overlap are merged once (a a a → aa a).
fn merge(symbols: &[u32], pair: Pair, new: u32) -> Vec<u32> {
    let (mut out, mut i) = (Vec::with_capacity(symbols.len()), 0);
    while i < symbols.len() {
        if i + 1 < symbols.len() && (symbols[i], symbols[i + 1]) == pair {
            out.push(new);
            i += 2;
        } else {
            out.push(symbols[i]);
            i += 1;
        }
    }
    out
}
