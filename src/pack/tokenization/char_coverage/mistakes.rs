//! What goes wrong at speed in choosing an alphabet.

use std::cmp::Reverse;

type Ranked = [(char, u64)];

/// The parts, each of which can be got wrong on its own.
#[derive(Clone, Copy)]
struct Way {
    /// What is counted.
    characters: fn(&[String]) -> Vec<char>,
    /// Sorts the counts, which come in the order of first sight.
    rank: fn(&mut Ranked),
    /// How many of the ranked are kept, given their total and the threshold.
    keep: fn(&Ranked, u64, f64) -> usize,
    /// The share that is returned, given the ranked, how many of them are kept, and the total.
    share: fn(&Ranked, usize, u64) -> f64,
    /// What is returned for no characters.
    nothing: f64,
}

const RIGHT: Way = Way { characters: all, rank: by_count, keep: until_reached, share, nothing: 1.0 };

fn all(corpus: &[String]) -> Vec<char> {
    corpus.iter().flat_map(|text| text.chars()).collect()
}

fn by_count(ranked: &mut Ranked) {
    ranked.sort_by_key(|&(c, count)| (Reverse(count), c));
}

fn share(ranked: &Ranked, kept: usize, total: u64) -> f64 {
    ranked[..kept].iter().map(|(_, count)| count).sum::<u64>() as f64 / total as f64
}

fn until_reached(ranked: &Ranked, total: u64, threshold: f64) -> usize {
    (0..ranked.len()).find(|&kept| share(ranked, kept, total) >= threshold).unwrap_or(ranked.len())
}

fn share_of_kinds(ranked: &Ranked, kept: usize, _: u64) -> f64 {
    kept as f64 / ranked.len() as f64
}

/// The ranked counts, and their total.
fn counted(corpus: &[String], way: Way) -> (Vec<(char, u64)>, u64) {
    let mut counts: Vec<(char, u64)> = Vec::new();
    let characters = (way.characters)(corpus);
    for &c in &characters {
        match counts.iter_mut().find(|(other, _)| *other == c) {
            Some((_, count)) => *count += 1,
            None => counts.push((c, 1)),
        }
    }
    (way.rank)(&mut counts);
    (counts, characters.len() as u64)
}

fn run(way: Way, corpus: &[String], threshold: f64) -> (f64, Vec<char>) {
    let (ranked, total) = counted(corpus, way);
    if total == 0 {
        return (way.nothing, Vec::new());
    }
    let kept = (way.keep)(&ranked, total, threshold);
    ((way.share)(&ranked, kept, total), ranked[kept..].iter().map(|&(c, _)| c).collect())
}

macro_rules! ways {
    ($($name:ident: $($field:ident = $value:expr),+;)+) => {
        $(pub fn $name(corpus: &[String], threshold: f64) -> (f64, Vec<char>) {
            run(Way { $($field: $value),+, ..RIGHT }, corpus, threshold)
        })+
    };
}

ways! {
    one_more_at_equality: keep = |ranked, total, threshold| {
        (0..ranked.len()).find(|&kept| share(ranked, kept, total) > threshold).unwrap_or(ranked.len())
    };
    stops_before: keep = |ranked, total, threshold| {
        (0..ranked.len()).find(|&kept| share(ranked, kept + 1, total) > threshold).unwrap_or(ranked.len())
    };
    first_always_kept: keep = |ranked, total, threshold| until_reached(ranked, total, threshold).max(1);
    own_share: keep = |ranked, total, threshold| {
        ranked.iter().position(|&(_, count)| (count as f64 / total as f64) < threshold).unwrap_or(ranked.len())
    };
    own_share_of_the_rest: keep = |ranked, total, threshold| {
        ranked.iter().position(|&(_, count)| (count as f64 / total as f64) < 1.0 - threshold).unwrap_or(ranked.len())
    };
    kinds: keep = |ranked, total, threshold| {
        (0..ranked.len()).find(|&kept| share_of_kinds(ranked, kept, total) >= threshold).unwrap_or(ranked.len())
    }, share = share_of_kinds;
    share_of_kinds_returned: share = share_of_kinds;
    order_of_sight: rank = |_| ();
    order_of_codes: rank = |ranked| ranked.sort_unstable();
    ascending: rank = |ranked| ranked.sort_by_key(|&(c, count)| (count, c));
    ties_by_sight: rank = |ranked| ranked.sort_by_key(|&(_, count)| Reverse(count));
    ties_by_largest: rank = |ranked| ranked.sort_by_key(|&(c, count)| Reverse((count, c)));
    nothing_divides: nothing = f64::NAN;
    nothing_is_zero: nothing = 0.0;
    no_white_space: characters = |corpus| all(corpus).into_iter().filter(|c| !c.is_whitespace()).collect();
    bytes: characters = |corpus| corpus.iter().flat_map(|text| text.bytes()).map(char::from).collect();
    lower_case: characters = |corpus| all(corpus).into_iter().flat_map(char::to_lowercase).collect();
    once_a_text: characters = |corpus| {
        corpus.iter().flat_map(|text| text.chars().collect::<std::collections::BTreeSet<char>>()).collect()
    };
}

pub fn kept_returned(corpus: &[String], threshold: f64) -> (f64, Vec<char>) {
    let (ranked, total) = counted(corpus, RIGHT);
    if total == 0 {
        return (1.0, Vec::new());
    }
    let kept = until_reached(&ranked, total, threshold);
    (share(&ranked, kept, total), ranked[..kept].iter().map(|&(c, _)| c).collect())
}
