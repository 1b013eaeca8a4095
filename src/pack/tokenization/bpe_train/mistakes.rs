//! What goes wrong at speed in BPE training: the plain trainer that counts everything anew, with a switch for each mistake.

use std::collections::HashMap;

type Pair = (String, String);

#[derive(Clone, Copy, Default)]
struct Way {
    /// Merge by replacing text in the space-joined word.
    replaces_text: bool,
    ignores_counts: bool,
    never_recounts: bool,
    no_end: bool,
    least: bool,
    advances_one: bool,
    first_only: bool,
    ties: Ties,
    stops_at_one: bool,
    counts_without_overlap: bool,
    end_glued: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Ties {
    #[default]
    FirstSeen,
    LargestText,
    SmallestIds,
    LastSeen,
    Oldest,
}

/// What the tie rules go by besides the counts.
struct Seen {
    /// Characters by code, then the end, then what the merges made.
    ids: HashMap<String, usize>,
    /// Every pair that ever stood in the corpus, in order of first sight.
    ever: HashMap<Pair, usize>,
}

impl Seen {
    fn note(&mut self, counts: &[(Pair, u64)]) {
        for (pair, _) in counts {
            let next = self.ever.len();
            self.ever.entry(pair.clone()).or_insert(next);
        }
    }
}

/// Counts in order of first sight.
fn count(words: &[(Vec<String>, u64)], way: Way) -> Vec<(Pair, u64)> {
    let (mut order, mut counts): (Vec<Pair>, HashMap<Pair, u64>) = (Vec::new(), HashMap::new());
    for (symbols, n) in words {
        let mut i = 0;
        while i + 1 < symbols.len() {
            let pair = (symbols[i].clone(), symbols[i + 1].clone());
            if !counts.contains_key(&pair) {
                order.push(pair.clone());
            }
            *counts.entry(pair).or_default() += if way.ignores_counts { 1 } else { *n };
            let overlaps =
                way.counts_without_overlap && i + 2 < symbols.len() && symbols[i..=i + 1] == symbols[i + 1..=i + 2];
            i += if overlaps { 2 } else { 1 };
        }
    }
    order.into_iter().map(|pair| (pair.clone(), counts[&pair])).collect()
}

fn pick(counts: &[(Pair, u64)], way: Way, seen: &Seen) -> Option<Pair> {
    let wanted = counts.iter().map(|(_, n)| *n);
    let target = if way.least { wanted.min()? } else { wanted.max()? };
    if target == 0 || (way.stops_at_one && target < 2) {
        return None;
    }
    let mut tied = counts.iter().filter(|(_, n)| *n == target).map(|(pair, _)| pair);
    let id = |text: &String| seen.ids.get(text).copied().unwrap_or(usize::MAX);
    match way.ties {
        Ties::FirstSeen => tied.next(),
        Ties::LastSeen => tied.next_back(),
        Ties::LargestText => tied.max(),
        Ties::SmallestIds => tied.min_by_key(|(a, b)| (id(a), id(b))),
        Ties::Oldest => tied.min_by_key(|pair| seen.ever.get(*pair)),
    }
    .cloned()
}

fn merge(symbols: &[String], pair: &Pair, way: Way) -> Vec<String> {
    if way.replaces_text {
        let text = symbols.join(" ").replace(&format!("{} {}", pair.0, pair.1), &format!("{}{}", pair.0, pair.1));
        return text.split(' ').map(str::to_owned).collect();
    }
    let (mut out, mut i, mut done) = (Vec::new(), 0, false);
    while i < symbols.len() {
        let here = i + 1 < symbols.len() && symbols[i] == pair.0 && symbols[i + 1] == pair.1;
        if here && !(way.first_only && done) {
            out.push(format!("{}{}", pair.0, pair.1));
            done = true;
            i += if way.advances_one { 1 } else { 2 };
        } else {
            out.push(symbols[i].clone());
            i += 1;
        }
    }
    out
}

fn run(way: Way, words: &[(String, u64)], merges: usize) -> Vec<Pair> {
    let spell = |word: &str| -> Vec<String> {
        let mut symbols: Vec<String> = word.chars().map(String::from).collect();
        match symbols.last_mut() {
            Some(last) if way.end_glued => last.push_str("</w>"),
            _ if way.no_end => {}
            _ => symbols.push("</w>".to_owned()),
        }
        symbols
    };
    let mut corpus: Vec<(Vec<String>, u64)> = words.iter().map(|(word, n)| (spell(word), *n)).collect();
    let mut alphabet: Vec<String> = corpus.iter().flat_map(|(symbols, _)| symbols.clone()).collect();
    // In the library's way of doing it the end is a private character, which comes behind all letters.
    alphabet.sort_by_key(|text| (text == "</w>", text.clone()));
    alphabet.dedup();
    let ids = alphabet.into_iter().enumerate().map(|(at, text)| (text, at)).collect();
    let mut seen = Seen { ids, ever: HashMap::new() };
    let mut counts = count(&corpus, way);
    let mut learned = Vec::new();
    while learned.len() < merges {
        seen.note(&counts);
        let Some(pair) = pick(&counts, way, &seen) else { break };
        corpus.iter_mut().for_each(|(symbols, _)| *symbols = merge(symbols, &pair, way));
        let next = seen.ids.len();
        seen.ids.entry(format!("{}{}", pair.0, pair.1)).or_insert(next);
        if way.never_recounts {
            counts.retain(|(other, _)| *other != pair);
        } else {
            counts = count(&corpus, way);
        }
        learned.push(pair);
    }
    learned
}

/// The plain trainer without a flaw: the slow formulation of the right answer.
#[cfg(test)]
pub fn recounted(words: &[(String, u64)], merges: usize) -> Vec<Pair> {
    run(Way::default(), words, merges)
}

macro_rules! ways {
    ($($name:ident: $field:ident = $value:expr;)+) => {
        $(pub fn $name(words: &[(String, u64)], merges: usize) -> Vec<Pair> {
            run(Way { $field: $value, ..Way::default() }, words, merges)
        })+
    };
}

ways! {
    replaces_text: replaces_text = true;
    ignores_counts: ignores_counts = true;
    never_recounts: never_recounts = true;
    no_end: no_end = true;
    least_frequent: least = true;
    advances_one: advances_one = true;
    first_only: first_only = true;
    ties_by_text: ties = Ties::LargestText;
    ties_by_id: ties = Ties::SmallestIds;
    ties_last: ties = Ties::LastSeen;
    ties_by_age: ties = Ties::Oldest;
    stops_at_one: stops_at_one = true;
    counts_without_overlap: counts_without_overlap = true;
    end_glued: end_glued = true;
}
