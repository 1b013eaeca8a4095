//! What goes wrong at speed in constrained decoding. Each mistake is the right three functions with one of them replaced.

use super::{Attempt, Dfa, reference};

pub const RIGHT: Attempt =
    Attempt { token_masks: reference::token_masks, mask_logits: reference::mask_logits, advance: reference::advance };

/// Masks by two rules: whether a text may come next, and whether EOS may, whose text is given.
fn masks(
    dfa: &Dfa,
    vocab: &[&str],
    eos: u32,
    reads: impl Fn(usize, &str) -> bool,
    ends: impl Fn(usize, &str) -> bool,
) -> Vec<Vec<bool>> {
    let rule = |state: usize, (id, text): (usize, &&str)| {
        if id == eos as usize { ends(state, text) } else { reads(state, text) }
    };
    (0..dfa.states()).map(|state| vocab.iter().enumerate().map(|token| rule(state, token)).collect()).collect()
}

fn fits(dfa: &Dfa, state: usize, text: &str) -> bool {
    !text.is_empty() && reference::advance(dfa, state, text).is_some()
}

/// The states of a walk, from the one after the first character on, as far as it goes.
fn visited(dfa: &Dfa, state: usize, text: &str) -> Vec<usize> {
    let mut at = Some(state);
    text.chars()
        .map_while(|c| {
            at = at.and_then(|state| dfa.next(state, c));
            at
        })
        .collect()
}

fn reading(dfa: &Dfa, vocab: &[&str], eos: u32, reads: impl Fn(usize, &str) -> bool) -> Vec<Vec<bool>> {
    masks(dfa, vocab, eos, reads, |state, _| dfa.accepts(state))
}

fn ending(dfa: &Dfa, vocab: &[&str], eos: u32, ends: impl Fn(usize, &str) -> bool) -> Vec<Vec<bool>> {
    masks(dfa, vocab, eos, |state, text| fits(dfa, state, text), ends)
}

/// Other masks.
macro_rules! masking {
    ($($name:ident: |$dfa:ident, $vocab:ident, $eos:ident| $body:expr;)+) => {
        $(pub const $name: Attempt = Attempt { token_masks: |$dfa, $vocab, $eos| $body, ..RIGHT };)+
    };
}

masking! {
    FIRST_CHARACTER: |dfa, vocab, eos| reading(dfa, vocab, eos, |state, text| !visited(dfa, state, text).is_empty());
    EVERY_CHARACTER_ALONE: |dfa, vocab, eos| reading(dfa, vocab, eos, |state, text| {
        !text.is_empty() && text.chars().all(|c| dfa.next(state, c).is_some())
    });
    MUST_ACCEPT: |dfa, vocab, eos| reading(dfa, vocab, eos, |state, text| {
        fits(dfa, state, text) && reference::advance(dfa, state, text).is_some_and(|end| dfa.accepts(end))
    });
    ACCEPTED_ON_THE_WAY: |dfa, vocab, eos| reading(dfa, vocab, eos, |state, text| {
        fits(dfa, state, text) || visited(dfa, state, text).iter().any(|&at| dfa.accepts(at))
    });
    FROM_THE_START: |dfa, vocab, eos| reading(dfa, vocab, eos, |_, text| fits(dfa, 0, text));
    EMPTY_ALLOWED: |dfa, vocab, eos| reading(dfa, vocab, eos, |state, text| {
        reference::advance(dfa, state, text).is_some()
    });
    SINGLE_CHARACTERS_ONLY: |dfa, vocab, eos| reading(dfa, vocab, eos, |state, text| {
        text.chars().count() == 1 && fits(dfa, state, text)
    });
    BYTES: |dfa, vocab, eos| reading(dfa, vocab, eos, |state, text| {
        !text.is_empty() && text.bytes().try_fold(state, |state, byte| dfa.next(state, byte as char)).is_some()
    });
    EOS_EVERYWHERE: |dfa, vocab, eos| ending(dfa, vocab, eos, |_, _| true);
    EOS_NOWHERE: |dfa, vocab, eos| ending(dfa, vocab, eos, |_, _| false);
    EOS_AS_TEXT: |dfa, vocab, eos| ending(dfa, vocab, eos, |state, text| fits(dfa, state, text));
    EOS_ALSO_AS_TEXT: |dfa, vocab, eos| ending(dfa, vocab, eos, |state, text| {
        dfa.accepts(state) || fits(dfa, state, text)
    });
    EOS_IF_NOTHING_ELSE: |dfa, vocab, eos| ending(dfa, vocab, eos, |state, _| {
        let other = |(id, text): (usize, &&str)| id != eos as usize && fits(dfa, state, text);
        dfa.accepts(state) && !vocab.iter().enumerate().any(other)
    });
    EOS_ALONE: |dfa, vocab, eos| masks(dfa, vocab, eos, |state, text| !dfa.accepts(state) && fits(dfa, state, text), |state, _| dfa.accepts(state));
    TRANSPOSED: |dfa, vocab, eos| {
        let masks = reference::token_masks(dfa, vocab, eos);
        (0..vocab.len()).map(|id| masks.iter().map(|mask| mask[id]).collect()).collect()
    };
}

fn each(logits: &[f32], allowed: &[bool], padding: bool, forbidden: impl Fn(f32) -> f32) -> Vec<f32> {
    let may = |id: usize| allowed.get(id).copied().unwrap_or(padding);
    logits.iter().enumerate().map(|(id, &logit)| if may(id) { logit } else { forbidden(logit) }).collect()
}

/// Other masked logits.
macro_rules! masked {
    ($($name:ident: |$logits:ident, $allowed:ident| $body:expr;)+) => {
        $(pub const $name: Attempt = Attempt { mask_logits: |$logits, $allowed| $body, ..RIGHT };)+
    };
}

masked! {
    UNMASKED: |logits, allowed| each(logits, allowed, false, |logit| logit + 0.0);
    ZERO_FOR_FORBIDDEN: |logits, allowed| each(logits, allowed, false, |_| 0.0);
    ONE_SUBTRACTED: |logits, allowed| each(logits, allowed, false, |logit| logit - 1.0);
    TEN_THOUSAND_SUBTRACTED: |logits, allowed| each(logits, allowed, false, |logit| logit - 1e4);
    INVERTED: |logits, allowed| {
        let inverted: Vec<bool> = allowed.iter().map(|allowed| !allowed).collect();
        each(logits, &inverted, false, |_| f32::NEG_INFINITY)
    };
    PADDING_ALLOWED: |logits, allowed| each(logits, allowed, true, |_| f32::NEG_INFINITY);
    PADDING_DROPPED: |logits, allowed| {
        each(&logits[..logits.len().min(allowed.len())], allowed, false, |_| f32::NEG_INFINITY)
    };
}

/// Other steps.
macro_rules! advancing {
    ($($name:ident: |$dfa:ident, $state:ident, $text:ident| $body:expr;)+) => {
        $(pub const $name: Attempt = Attempt { advance: |$dfa, $state, $text| $body, ..RIGHT };)+
    };
}

advancing! {
    ONE_CHARACTER: |dfa, state, text| text.chars().next().map_or(Some(state), |c| dfa.next(state, c));
    LAST_CHARACTER: |dfa, state, text| text.chars().last().map_or(Some(state), |c| dfa.next(state, c));
    STEP_FROM_THE_START: |dfa, _state, text| reference::advance(dfa, 0, text);
    UNREADABLE_SKIPPED: |dfa, state, text| {
        Some(text.chars().fold(state, |state, c| dfa.next(state, c).unwrap_or(state)))
    };
    STOPS_QUIETLY: |dfa, state, text| Some(visited(dfa, state, text).last().copied().unwrap_or(state));
    BACKWARDS: |dfa, state, text| text.chars().rev().try_fold(state, |state, c| dfa.next(state, c));
    BYTES_STEPPED: |dfa, state, text| text.bytes().try_fold(state, |state, byte| dfa.next(state, byte as char));
}
