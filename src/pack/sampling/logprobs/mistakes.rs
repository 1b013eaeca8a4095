//! What goes wrong at speed with log-probabilities: one implementation, with a switch for each mistake.

use super::{Attempt, TokenLogprobs};
use std::cmp::Ordering::Equal;

#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    /// The right answer by a full sort, for the tests.
    #[cfg(test)]
    Flawless,
    LogOfSoftmax,
    NoMax,
    RawLogits,
    Probabilities,
    BinaryLogarithm,
    NormalisedOverTop,
    NotListed,
    ListedTwice,
    ReplacesLast,
    TokenFirst,
    NotClamped,
    Ascending,
    ListById,
    LargerIdFirst,
    RankFromZero,
    RankInList,
    RankBestOfEquals,
    RankWorstOfEquals,
    NotShifted,
    NotShiftedFirstCleared,
    EntriesShifted,
    FirstDropped,
}

use Flaw::*;

/// Everything in f32, where the flaws of range show.
fn log_softmax(logits: &[f32], over: &[u32], flaw: Flaw) -> Vec<f32> {
    let max = if flaw == NoMax { 0.0 } else { logits.iter().copied().fold(f32::NEG_INFINITY, f32::max) };
    let chosen = over.iter().map(|&id| logits[id as usize]);
    let sum = chosen.map(|l| f64::from((l - max).exp())).sum::<f64>() as f32;
    let value = |l: &f32| match flaw {
        RawLogits => *l,
        LogOfSoftmax => ((l - max).exp() / sum).ln(),
        Probabilities => (l - max).exp() / sum,
        BinaryLogarithm => ((l - max) - sum.ln()) / std::f32::consts::LN_2,
        _ => (l - max) - sum.ln(),
    };
    logits.iter().map(value).collect()
}

/// All ids by falling logit.
fn order(logits: &[f32], flaw: Flaw) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..logits.len() as u32).collect();
    if flaw == LargerIdFirst {
        ids.reverse();
    }
    ids.sort_by(|&a, &b| {
        let falling = logits[b as usize].partial_cmp(&logits[a as usize]).unwrap_or(Equal);
        if flaw == Ascending { falling.reverse() } else { falling }
    });
    ids
}

fn list(ids: &[u32], token: u32, top: usize, flaw: Flaw) -> Vec<u32> {
    let top = if flaw == NotClamped { top } else { top.min(ids.len()) };
    let mut list = ids[..top].to_vec();
    let missing = !list.contains(&token);
    match flaw {
        NotListed => {}
        ReplacesLast if missing && !list.is_empty() => list[top - 1] = token,
        TokenFirst => {
            list.retain(|&id| id != token);
            list.insert(0, token);
        }
        ListById => {
            list.sort_unstable();
            list.extend(missing.then_some(token));
        }
        _ => list.extend((missing || flaw == ListedTwice).then_some(token)),
    }
    list
}

fn rank(logits: &[f32], ids: &[u32], list: &[u32], token: u32, flaw: Flaw) -> usize {
    let own = logits[token as usize];
    let place = |ids: &[u32]| ids.iter().position(|&id| id == token).map_or(0, |at| at + 1);
    match flaw {
        RankFromZero => place(ids) - 1,
        RankInList => place(list),
        RankBestOfEquals => 1 + logits.iter().filter(|&&l| l > own).count(),
        RankWorstOfEquals => logits.iter().filter(|&&l| l >= own).count(),
        _ => place(ids),
    }
}

fn token(logits: &[f32], token: u32, top: usize, flaw: Flaw) -> TokenLogprobs {
    let ids = order(logits, flaw);
    let list = list(&ids, token, top, flaw);
    let over = if flaw == NormalisedOverTop { &list } else { &ids };
    let values = log_softmax(logits, over, flaw);
    TokenLogprobs {
        logprob: values[token as usize],
        rank: rank(logits, &ids, &list, token, flaw),
        top: list.into_iter().map(|id| (id, values[id as usize])).collect(),
    }
}

fn prompt(logits: &[Vec<f32>], prompt: &[u32], top: usize, flaw: Flaw) -> Vec<Option<TokenLogprobs>> {
    let same = || prompt.iter().zip(logits).map(|(&id, row)| Some(token(row, id, top, flaw)));
    let next = prompt[1..].iter().zip(logits).map(|(&id, row)| Some(token(row, id, top, flaw)));
    match flaw {
        NotShifted => same().collect(),
        NotShiftedFirstCleared => std::iter::once(None).chain(same().skip(1)).collect(),
        EntriesShifted => next.chain([None]).collect(),
        FirstDropped => next.collect(),
        _ => std::iter::once(None).chain(next).collect(),
    }
}

macro_rules! flaws {
    ($($(#[$attribute:meta])* $name:ident: $flaw:ident)+) => {
        $($(#[$attribute])* pub const $name: Attempt = Attempt {
            token_logprobs: |logits, id, top| token(logits, id, top, Flaw::$flaw),
            prompt_logprobs: |logits, ids, top| prompt(logits, ids, top, Flaw::$flaw),
        };)+
    };
}

flaws! {
    #[cfg(test)] FLAWLESS: Flawless
    LOG_OF_SOFTMAX: LogOfSoftmax
    NO_MAX: NoMax
    RAW_LOGITS: RawLogits
    PROBABILITIES: Probabilities
    BINARY_LOGARITHM: BinaryLogarithm
    NORMALISED_OVER_TOP: NormalisedOverTop
    NOT_LISTED: NotListed
    LISTED_TWICE: ListedTwice
    REPLACES_LAST: ReplacesLast
    TOKEN_FIRST: TokenFirst
    NOT_CLAMPED: NotClamped
    ASCENDING: Ascending
    LIST_BY_ID: ListById
    LARGER_ID_FIRST: LargerIdFirst
    RANK_FROM_ZERO: RankFromZero
    RANK_IN_LIST: RankInList
    RANK_BEST_OF_EQUALS: RankBestOfEquals
    RANK_WORST_OF_EQUALS: RankWorstOfEquals
    NOT_SHIFTED: NotShifted
    NOT_SHIFTED_FIRST_CLEARED: NotShiftedFirstCleared
    ENTRIES_SHIFTED: EntriesShifted
    FIRST_DROPPED: FirstDropped
}
