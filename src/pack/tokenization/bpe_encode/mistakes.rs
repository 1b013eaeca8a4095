//! What goes wrong at speed in BPE encoding: the plain encoder that looks at every pair again, with a switch for each mistake.

use std::collections::HashMap;

type Merges = [(String, String)];
type Ranks<'a> = HashMap<(&'a str, &'a str), usize>;

const END: &str = "</w>";

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    /// Another formulation of the right answer, for the tests.
    #[cfg(test)]
    Flawless,
    HighestRank,
    RankIgnored,
    Rightmost,
    MostFrequent,
    OneMerge,
    DropsNext,
    ReplacesText,
    LongestMatch,
    FirstOnly,
    StopsAtMissing,
    AdvancesOne,
    NoEnd,
    EndLast,
    EndInPieces,
    EndGlued,
    EmptyIsNothing,
    Bytes,
    UnknownDropped,
    UnknownReplaced,
}

use Flaw::*;

fn spell(word: &str, flaw: Flaw) -> Vec<String> {
    let mut symbols: Vec<String> = match flaw {
        Bytes => word.bytes().map(|byte| char::from(byte).to_string()).collect(),
        EndInPieces => return format!("{word}{END}").chars().map(String::from).collect(),
        _ => word.chars().map(String::from).collect(),
    };
    match symbols.last_mut() {
        Some(last) if flaw == EndGlued => last.push_str(END),
        _ if matches!(flaw, NoEnd | EndLast) => {}
        _ => symbols.push(END.to_owned()),
    }
    symbols
}

/// Where the next pair to join begins.
fn choose(symbols: &[String], ranks: &Ranks, flaw: Flaw) -> Option<usize> {
    let rank = |at: usize| ranks.get(&(symbols[at].as_str(), symbols[at + 1].as_str())).copied();
    let mut ranked = (0..symbols.len().saturating_sub(1)).filter_map(|at| Some((rank(at)?, at)));
    match flaw {
        RankIgnored => ranked.next(),
        HighestRank => ranked.max_by_key(|&(rank, at)| (rank, usize::MAX - at)),
        Rightmost => ranked.min_by_key(|&(rank, at)| (rank, usize::MAX - at)),
        MostFrequent => {
            let ranked: Vec<(usize, usize)> = ranked.collect();
            let count = |rank: usize| ranked.iter().filter(|(other, _)| *other == rank).count();
            ranked.iter().copied().min_by_key(|&(rank, at)| (usize::MAX - count(rank), rank, at))
        }
        _ => ranked.min(),
    }
    .map(|(_, at)| at)
}

fn joined(symbols: &[String], at: usize) -> String {
    format!("{}{}", symbols[at], symbols[at + 1])
}

/// Chooses and joins until there is nothing to choose.
fn by_rank(mut symbols: Vec<String>, merges: &Merges, flaw: Flaw) -> Vec<String> {
    let ranks: Ranks = merges.iter().enumerate().map(|(rank, (a, b))| ((a.as_str(), b.as_str()), rank)).collect();
    while let Some(at) = choose(&symbols, &ranks, flaw) {
        let new = joined(&symbols, at);
        if flaw == ReplacesText {
            let text = symbols.join(" ").replace(&format!("{} {}", symbols[at], symbols[at + 1]), &new);
            symbols = text.split(' ').map(str::to_owned).collect();
            continue;
        }
        let width = if flaw == DropsNext { 3 } else { 2 };
        symbols.splice(at..symbols.len().min(at + width), [new]);
        if flaw == OneMerge {
            break;
        }
    }
    symbols
}

/// One pass over the merges in their order, each joined wherever it is found.
fn in_order(mut symbols: Vec<String>, merges: &Merges, flaw: Flaw) -> Vec<String> {
    for (a, b) in merges {
        let (mut out, mut at, mut found) = (Vec::new(), 0, false);
        while at < symbols.len() {
            let here = at + 1 < symbols.len() && symbols[at] == *a && symbols[at + 1] == *b;
            if here && !(flaw == FirstOnly && found) {
                out.push(joined(&symbols, at));
                found = true;
                at += if flaw == AdvancesOne { 1 } else { 2 };
            } else {
                out.push(symbols[at].clone());
                at += 1;
            }
        }
        symbols = out;
        if flaw == StopsAtMissing && !found {
            break;
        }
    }
    symbols
}

/// The longest known text at every place, as WordPiece does it.
fn longest_match(word: &str, merges: &Merges) -> Vec<String> {
    let known: Vec<String> = merges.iter().map(|(a, b)| format!("{a}{b}")).chain([END.to_owned()]).collect();
    let (text, mut out) = (format!("{word}{END}"), Vec::new());
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let found = known.iter().filter(|piece| rest.starts_with(*piece)).map(String::len).max();
        let (piece, behind) = rest.split_at(found.unwrap_or(first.len_utf8()));
        out.push(piece.to_owned());
        rest = behind;
    }
    out
}

fn run(flaw: Flaw, word: &str, merges: &Merges) -> Vec<String> {
    if flaw == EmptyIsNothing && word.is_empty() {
        return Vec::new();
    }
    let known = |symbol: &String| symbol == END || merges.iter().any(|(a, b)| symbol == a || symbol == b);
    let mut symbols = spell(word, flaw);
    match flaw {
        UnknownDropped => symbols.retain(known),
        UnknownReplaced => symbols.iter_mut().filter(|s| !known(s)).for_each(|s| *s = "<unk>".to_owned()),
        _ => {}
    }
    let mut symbols = match flaw {
        LongestMatch => longest_match(word, merges),
        FirstOnly | StopsAtMissing | AdvancesOne => in_order(symbols, merges, flaw),
        _ => by_rank(symbols, merges, flaw),
    };
    if flaw == EndLast {
        symbols.push(END.to_owned());
    }
    symbols
}

/// Every pair looked at again for every merge: the slow formulation of the right answer.
#[cfg(test)]
pub fn looked_again(word: &str, merges: &Merges) -> Vec<String> {
    run(Flawless, word, merges)
}

/// One pass over the merges, each joined everywhere: right as long as the merges are as a trainer leaves them.
#[cfg(test)]
pub fn one_pass(word: &str, merges: &Merges) -> Vec<String> {
    in_order(spell(word, Flawless), merges, Flawless)
}

macro_rules! flaws {
    ($($name:ident: $flaw:ident;)+) => {
        $(pub fn $name(word: &str, merges: &Merges) -> Vec<String> {
            run($flaw, word, merges)
        })+
    };
}

flaws! {
    highest_rank: HighestRank;
    rank_ignored: RankIgnored;
    rightmost: Rightmost;
    most_frequent: MostFrequent;
    one_merge: OneMerge;
    drops_next: DropsNext;
    replaces_text: ReplacesText;
    longest: LongestMatch;
    first_only: FirstOnly;
    stops_at_missing: StopsAtMissing;
    advances_one: AdvancesOne;
    no_end: NoEnd;
    end_last: EndLast;
    end_in_pieces: EndInPieces;
    end_glued: EndGlued;
    empty_is_nothing: EmptyIsNothing;
    bytes: Bytes;
    unknown_dropped: UnknownDropped;
    unknown_replaced: UnknownReplaced;
}
