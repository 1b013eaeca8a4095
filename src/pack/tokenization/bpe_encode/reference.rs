//! Byte-pair encoding of a word (Sennrich, Haddow and Birch 2016), with a linked list of symbols and a queue of pairs:
//! O(n log n) for n characters.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::iter::successors;

/// The end of a word is a symbol of its own.
const END: &str = "</w>";

/// A stretch of the text, in bytes, and its neighbours.
struct Symbol {
    start: usize,
    end: usize,
    before: Option<usize>,
    behind: Option<usize>,
}

/// The word's symbols until the merges are done.
pub fn bpe_encode(word: &str, merges: &[(String, String)]) -> Vec<String> {
    let ranks: HashMap<(&str, &str), usize> =
        merges.iter().enumerate().map(|(rank, (a, b))| ((a.as_str(), b.as_str()), rank)).collect();
    let text = format!("{word}{END}");
    let mut symbols = spell(word);
    // A pair in the queue is (rank, left symbol, where it ends): the lowest rank comes first, of equals the leftmost.
    let pair = |symbols: &[Symbol], left: usize| {
        let (a, b) = (&symbols[left], &symbols[symbols[left].behind?]);
        let rank = ranks.get(&(&text[a.start..a.end], &text[b.start..b.end]))?;
        Some(Reverse((*rank, left, b.end)))
    };
    let mut queue: BinaryHeap<_> = (0..symbols.len()).filter_map(|left| pair(&symbols, left)).collect();
    while let Some(Reverse((_, left, end))) = queue.pop() {
        // Symbols only grow. If the pair does not end where it did, one of the two has been merged in the meantime.
        let Some(right) = symbols[left].behind.filter(|&right| symbols[right].end == end) else { continue };
        join(&mut symbols, left, right);
        let changed = symbols[left].before.into_iter().chain([left]);
        queue.extend(changed.filter_map(|left| pair(&symbols, left)));
    }
    let alive = successors(Some(0), |&at: &usize| symbols[at].behind);
    alive.map(|at| text[symbols[at].start..symbols[at].end].to_owned()).collect()
}

/// One symbol a character, and the end.
fn spell(word: &str) -> Vec<Symbol> {
    let starts: Vec<usize> = word.char_indices().map(|(start, _)| start).chain([word.len()]).collect();
    let last = starts.len() - 1;
    let symbol = |at: usize| Symbol {
        start: starts[at],
        end: starts.get(at + 1).copied().unwrap_or(word.len() + END.len()),
        before: at.checked_sub(1),
        behind: (at < last).then_some(at + 1),
    };
    (0..starts.len()).map(symbol).collect()
}

/// `left` swallows `right`, which has no neighbours any more.
fn join(symbols: &mut [Symbol], left: usize, right: usize) {
    let behind = symbols[right].behind.take();
    (symbols[left].end, symbols[left].behind) = (symbols[right].end, behind);
    if let Some(behind) = behind {
        symbols[behind].before = Some(left);
    }
}
