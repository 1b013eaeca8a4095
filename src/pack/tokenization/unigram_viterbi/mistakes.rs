//! What goes wrong at speed in unigram segmentation: one segmenter, with a switch for each mistake.

use std::collections::HashMap;

type Pieces = HashMap<String, f64>;

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    /// Another formulation of the right answer, for the tests.
    #[cfg(test)]
    Flawless,
    GreedyLongest,
    GreedyBest,
    Minimises,
    FewestPieces,
    NotReversed,
    KeepsLast,
    IgnoresPrefix,
    Multiplies,
    AddsProbabilities,
    TiesShortest,
    TiesLongestFirst,
    LongestLeftOut,
    UnknownLosesAll,
    UnknownDropped,
    UnknownOnlyWhenStuck,
    UnknownCostsNothing,
    UnknownAtMinimum,
    UnknownCostsTen,
    UnknownApart,
    UnknownReplaced,
}

use Flaw::*;

/// A piece of the text, in characters.
#[derive(Clone, Copy)]
struct Cut {
    start: usize,
    end: usize,
    known: bool,
}

struct Search<'a> {
    text: Vec<char>,
    pieces: &'a Pieces,
    unknown: f64,
    longest: usize,
    flaw: Flaw,
}

impl Search<'_> {
    fn text(&self, cut: Cut) -> String {
        self.text[cut.start..cut.end].iter().collect()
    }

    /// The piece's log-probability, or what an unknown character costs; none if it may not be taken.
    fn score(&self, start: usize, end: usize) -> Option<(f64, bool)> {
        let (found, length) = (self.known(start, end), end - start);
        match found {
            Some(score) => Some((score, true)),
            None if length == 1 && !self.forbidden(start) => Some((self.unknown, false)),
            None => None,
        }
    }

    fn known(&self, start: usize, end: usize) -> Option<f64> {
        let piece: String = self.text[start..end].iter().collect();
        (end - start <= self.longest).then(|| self.pieces.get(&piece).copied()).flatten()
    }

    /// Whether the flaw does not let the character at `start` pass as unknown.
    fn forbidden(&self, start: usize) -> bool {
        let ends = start + 1..=self.text.len();
        self.flaw == UnknownLosesAll
            || self.flaw == UnknownOnlyWhenStuck && ends.into_iter().any(|end| self.known(start, end).is_some())
    }

    /// The value of a prefix that grows by a piece.
    fn grown(&self, before: f64, score: f64) -> f64 {
        match self.flaw {
            Minimises => before - score,
            FewestPieces => before - 1.0,
            IgnoresPrefix => score,
            Multiplies => before * score,
            AddsProbabilities => before + score.exp(),
            _ => before + score,
        }
    }

    /// The best cuts, from right to left; none if the end cannot be reached.
    fn viterbi(&self) -> Option<Vec<Cut>> {
        let n = self.text.len();
        let mut best: Vec<Option<(f64, Cut)>> = vec![None; n + 1];
        let first = if self.flaw == Multiplies { 1.0 } else { 0.0 };
        let value = |best: &[Option<(f64, Cut)>], at: usize| match at {
            0 => Some(first),
            _ => best[at].map(|(value, _)| value),
        };
        for end in 1..=n {
            for start in 0..end {
                let (Some(before), Some((score, known))) = (value(&best, start), self.score(start, end)) else {
                    continue;
                };
                let new = self.grown(before, score);
                let better = |old: f64| match self.flaw {
                    KeepsLast => true,
                    TiesShortest => new >= old,
                    _ => new > old,
                };
                if best[end].is_none_or(|(old, _)| better(old)) {
                    best[end] = Some((new, Cut { start, end, known }));
                }
            }
        }
        let (mut cuts, mut end) = (Vec::new(), n);
        while end > 0 {
            let (_, cut) = best[end]?;
            cuts.push(cut);
            end = cut.start;
        }
        Some(cuts)
    }

    /// The best segmentation of every rest of the text, taken from the left: of equals the longest first piece.
    fn rests_first(&self) -> Vec<Cut> {
        let n = self.text.len();
        let mut best: Vec<(f64, usize, bool)> = vec![(f64::NEG_INFINITY, 0, true); n];
        best.push((0.0, n, true));
        for start in (0..n).rev() {
            for end in (start + 1..=n).rev() {
                let Some((score, known)) = self.score(start, end) else { continue };
                if best[end].0 + score > best[start].0 {
                    best[start] = (best[end].0 + score, end, known);
                }
            }
        }
        let (mut cuts, mut start) = (Vec::new(), 0);
        while start < n {
            let (_, end, known) = best[start];
            cuts.push(Cut { start, end, known });
            start = end;
        }
        cuts
    }

    /// At every place the longest piece, or the most probable one.
    fn greedy(&self) -> Vec<Cut> {
        let (mut cuts, mut start) = (Vec::new(), 0);
        while start < self.text.len() {
            let ends = start + 1..=self.text.len();
            let fits = ends.filter_map(|end| self.known(start, end).map(|score| (score, end)));
            let chosen = match self.flaw {
                GreedyBest => fits.reduce(|best, next| if next.0 > best.0 { next } else { best }),
                _ => fits.reduce(|_, next| next),
            };
            let end = chosen.map_or(start + 1, |(_, end)| end);
            cuts.push(Cut { start, end, known: chosen.is_some() });
            start = end;
        }
        cuts
    }

    fn written(&self, cuts: &[Cut]) -> Vec<String> {
        let (mut out, mut in_unknown): (Vec<String>, bool) = (Vec::new(), false);
        for &cut in cuts {
            let text = match self.flaw {
                UnknownDropped if !cut.known => continue,
                UnknownReplaced if !cut.known => "<unk>".to_owned(),
                _ => self.text(cut),
            };
            let fused = !cut.known && in_unknown && self.flaw != UnknownApart;
            in_unknown = !cut.known;
            match out.last_mut() {
                Some(_) if fused && self.flaw == UnknownReplaced => {}
                Some(last) if fused && self.flaw == NotReversed => last.insert_str(0, &text),
                Some(last) if fused => last.push_str(&text),
                _ => out.push(text),
            }
        }
        out
    }
}

fn run(flaw: Flaw, text: &str, pieces: &Pieces) -> Vec<String> {
    let least = pieces.values().copied().fold(0.0, f64::min);
    let unknown = match flaw {
        UnknownCostsNothing => 0.0,
        UnknownAtMinimum => least,
        UnknownCostsTen => -10.0,
        _ => least - 10.0,
    };
    let longest = pieces.keys().map(|piece| piece.chars().count()).max().unwrap_or(0);
    let longest = if flaw == LongestLeftOut { longest.saturating_sub(1) } else { longest };
    let search = Search { text: text.chars().collect(), pieces, unknown, longest, flaw };
    let mut cuts = match flaw {
        GreedyLongest | GreedyBest => search.greedy(),
        TiesLongestFirst => search.rests_first(),
        _ => search.viterbi().unwrap_or_default(),
    };
    if !matches!(flaw, GreedyLongest | GreedyBest | TiesLongestFirst | NotReversed) {
        cuts.reverse();
    }
    search.written(&cuts)
}

/// Offsets of characters are used as offsets of bytes: whatever is not ASCII is cut in the middle.
pub fn slices_bytes(text: &str, pieces: &Pieces) -> Vec<String> {
    let unknown = pieces.values().copied().fold(0.0, f64::min) - 10.0;
    let n = text.len();
    let mut best = vec![(f64::NEG_INFINITY, 0, true); n + 1];
    best[0].0 = 0.0;
    for end in 1..=n {
        for start in 0..end {
            let found = pieces.get(&text[start..end]).copied();
            let Some(score) = found.or((end - start == 1).then_some(unknown)) else { continue };
            if best[start].0 + score > best[end].0 {
                best[end] = (best[start].0 + score, start, found.is_some());
            }
        }
    }
    let (mut out, mut end, mut fuses): (Vec<String>, usize, bool) = (Vec::new(), n, false);
    while end > 0 {
        let (_, start, known) = best[end];
        match out.last_mut() {
            Some(run) if fuses && !known => run.insert_str(0, &text[start..end]),
            _ => out.push(text[start..end].to_owned()),
        }
        (end, fuses) = (start, !known);
    }
    out.reverse();
    out
}

/// The segmenter without a flaw.
#[cfg(test)]
pub fn flawless(text: &str, pieces: &Pieces) -> Vec<String> {
    run(Flawless, text, pieces)
}

macro_rules! flaws {
    ($($name:ident: $flaw:ident;)+) => {
        $(pub fn $name(text: &str, pieces: &Pieces) -> Vec<String> {
            run($flaw, text, pieces)
        })+
    };
}

flaws! {
    greedy_longest: GreedyLongest;
    greedy_best: GreedyBest;
    minimises: Minimises;
    fewest_pieces: FewestPieces;
    not_reversed: NotReversed;
    keeps_last: KeepsLast;
    ignores_prefix: IgnoresPrefix;
    multiplies: Multiplies;
    adds_probabilities: AddsProbabilities;
    ties_shortest: TiesShortest;
    ties_longest_first: TiesLongestFirst;
    longest_left_out: LongestLeftOut;
    unknown_loses_all: UnknownLosesAll;
    unknown_dropped: UnknownDropped;
    unknown_only_when_stuck: UnknownOnlyWhenStuck;
    unknown_costs_nothing: UnknownCostsNothing;
    unknown_at_minimum: UnknownAtMinimum;
    unknown_costs_ten: UnknownCostsTen;
    unknown_apart: UnknownApart;
    unknown_replaced: UnknownReplaced;
}
