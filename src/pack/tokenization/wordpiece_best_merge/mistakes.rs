//! What goes wrong at speed in choosing WordPiece's next merge: one chooser, with a switch for each mistake.

use std::collections::HashMap;

type Words = [(Vec<String>, u64)];
type Pair<'a> = (&'a str, &'a str);

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    /// Another formulation of the right answer, for the tests.
    #[cfg(test)]
    Flawless,
    RawFrequency,
    DividesByFirst,
    DividesBySecond,
    DividesBySum,
    DividesBySmaller,
    SquareRoot,
    SymbolsUnweighted,
    PairsUnweighted,
    CountsIgnored,
    OnceAWord,
    SidesOfPairs,
    LoneSymbolsSkipped,
    WithoutOverlap,
    Minimum,
    TiesLast,
    TiesByText,
    WholeNumbers,
    ProductOverflows,
    ProductIn32Bits,
}

use Flaw::*;

#[derive(Default)]
struct Counts<'a> {
    symbols: HashMap<&'a str, u64>,
    pairs: HashMap<Pair<'a>, u64>,
    /// Occurrences as the left and as the right half of a pair.
    left: HashMap<&'a str, u64>,
    right: HashMap<&'a str, u64>,
    /// The pairs in the order of first sight.
    met: Vec<Pair<'a>>,
}

impl<'a> Counts<'a> {
    fn add_pair(&mut self, pair: Pair<'a>, n: u64) {
        if !self.pairs.contains_key(&pair) {
            self.met.push(pair);
        }
        *self.pairs.entry(pair).or_default() += n;
        *self.left.entry(pair.0).or_default() += n;
        *self.right.entry(pair.1).or_default() += n;
    }

    fn add_word(&mut self, word: &'a [String], n: u64, flaw: Flaw) {
        if flaw == LoneSymbolsSkipped && word.len() == 1 {
            return;
        }
        let of_symbol = if matches!(flaw, SymbolsUnweighted | CountsIgnored) { 1 } else { n };
        let of_pair = if matches!(flaw, PairsUnweighted | CountsIgnored) { 1 } else { n };
        let seen = |at: usize| flaw == OnceAWord && word[..at].contains(&word[at]);
        for at in (0..word.len()).filter(|&at| !seen(at)) {
            *self.symbols.entry(&word[at]).or_default() += of_symbol;
        }
        let mut at = 0;
        while at + 1 < word.len() {
            let pair = &word[at..at + 2];
            if flaw != OnceAWord || !word[..=at].windows(2).any(|earlier| earlier == pair) {
                self.add_pair((&pair[0], &pair[1]), of_pair);
            }
            let overlaps = flaw == WithoutOverlap && word.get(at + 1..at + 3) == Some(pair);
            at += if overlaps { 2 } else { 1 };
        }
    }

    fn score(&self, pair: Pair, flaw: Flaw) -> f64 {
        let (ab, a, b) = (self.pairs[&pair], self.symbols[pair.0], self.symbols[pair.1]);
        let (x, y) = (a as f64, b as f64);
        ab as f64
            / match flaw {
                RawFrequency => 1.0,
                DividesByFirst => x,
                DividesBySecond => y,
                DividesBySum => x + y,
                DividesBySmaller => x.min(y),
                SquareRoot => (x * y).sqrt(),
                SidesOfPairs => self.left[pair.0] as f64 * self.right[pair.1] as f64,
                WholeNumbers => return (u128::from(ab) / (u128::from(a) * u128::from(b))) as f64,
                ProductOverflows => a.wrapping_mul(b) as f64,
                ProductIn32Bits => f64::from((a as u32).wrapping_mul(b as u32)),
                _ => x * y,
            }
    }
}

fn run(flaw: Flaw, words: &Words) -> Option<(String, String, f64)> {
    let mut counts = Counts::default();
    words.iter().for_each(|(word, n)| counts.add_word(word, *n, flaw));
    let mut order = counts.met.clone();
    if flaw == TiesByText {
        order.sort_unstable();
    }
    let scored = order.into_iter().map(|(a, b)| (a, b, counts.score((a, b), flaw)));
    let better = |new: f64, old: f64| match flaw {
        Minimum => new < old,
        TiesLast => new >= old,
        _ => new > old,
    };
    let best = scored.reduce(|best, next| if better(next.2, best.2) { next } else { best })?;
    Some((best.0.to_owned(), best.1.to_owned(), best.2))
}

/// The chooser without a flaw.
#[cfg(test)]
pub fn flawless(words: &Words) -> Option<(String, String, f64)> {
    run(Flawless, words)
}

/// The score as a difference of logarithms, which rounds in other places.
#[cfg(test)]
pub fn by_logarithms(words: &Words) -> Option<(String, String, f64)> {
    let mut counts = Counts::default();
    words.iter().for_each(|(word, n)| counts.add_word(word, *n, Flawless));
    let ln = |n: u64| (n as f64).ln();
    let score = |&(a, b): &Pair| ln(counts.pairs[&(a, b)]) - ln(counts.symbols[a]) - ln(counts.symbols[b]);
    let scored = counts.met.iter().map(|pair| (pair, score(pair)));
    let best = scored.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    Some((best.0.0.to_owned(), best.0.1.to_owned(), best.1.exp()))
}

macro_rules! flaws {
    ($($name:ident: $flaw:ident;)+) => {
        $(pub fn $name(words: &Words) -> Option<(String, String, f64)> {
            run($flaw, words)
        })+
    };
}

flaws! {
    raw_frequency: RawFrequency;
    divides_by_first: DividesByFirst;
    divides_by_second: DividesBySecond;
    divides_by_sum: DividesBySum;
    divides_by_smaller: DividesBySmaller;
    square_root: SquareRoot;
    symbols_unweighted: SymbolsUnweighted;
    pairs_unweighted: PairsUnweighted;
    counts_ignored: CountsIgnored;
    once_a_word: OnceAWord;
    sides_of_pairs: SidesOfPairs;
    lone_symbols_skipped: LoneSymbolsSkipped;
    without_overlap: WithoutOverlap;
    minimum: Minimum;
    ties_last: TiesLast;
    ties_by_text: TiesByText;
    whole_numbers: WholeNumbers;
    product_overflows: ProductOverflows;
    product_in_32_bits: ProductIn32Bits;
}
