//! The decode loop's mistakes and what they are called. The sampler is right.

use super::super::{Attempt, reference};
use super::loops::{Flaw, run};
use crate::judge::Problem;

/// An attempt with the flaw in its loop.
macro_rules! looped {
    ($flaw:ident) => {
        Attempt {
            sample_next_token: reference::sample_next_token,
            generate: |model, ids, mask, config, uniform| {
                run(Flaw::$flaw, reference::sample_next_token, model, (ids, mask), config, uniform)
            },
        }
    };
}

/// Adds them.
pub fn add(problem: Problem<Attempt>) -> Problem<Attempt> {
    ends(cost(masks(positions(problem))))
}

fn positions(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake(
            "positions-by-column",
            "positions count columns, so padding shifts every shorter row; they are cumsum(mask) − 1",
            looped!(PositionsByColumn),
        )
        .mistake(
            "positions-from-one",
            "positions are off by one: cumsum(mask) without the − 1 starts every row at 1",
            looped!(PositionsFromOne),
        )
        .mistake(
            "positions-minus-one",
            "padding is left at position −1, which no embedding has; set it to any position in range",
            looped!(PositionsMinusOne),
        )
        .mistake(
            "position-frozen",
            "every new token is fed at the prompt's last position; each step is one further",
            looped!(PositionFrozen),
        )
        .mistake(
            "position-lags",
            "the first new token is fed at the prompt's last position again, and all later ones lag by one",
            looped!(PositionLags),
        )
        .mistake(
            "column-while-decoding",
            "new tokens get their column as position; a padded row continues at its own last position + 1",
            looped!(ColumnWhileDecoding),
        )
}

fn masks(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("no-mask", "everything is marked as visible, so the padding is attended to", looped!(NoMask))
        .mistake(
            "mask-from-ids",
            "the mask is made from ids ≠ pad: a pad (or EOS, where they are one) inside a prompt disappears; the mask is given",
            looped!(MaskFromIds),
        )
        .mistake(
            "mask-not-extended",
            "the mask keeps the prompt's length while the cache grows; it needs a column for each new token",
            looped!(MaskNotExtended),
        )
        .mistake(
            "mask-extended-by-zeros",
            "the mask grows by zeros, so new tokens see neither themselves nor each other; it grows by ones",
            looped!(MaskExtendedByZeros),
        )
        .mistake(
            "logits-of-first-column",
            "the next token comes from the logits of the first column, which in a padded row is padding; it is the last",
            looped!(LogitsOfFirstColumn),
        )
        .mistake(
            "logits-at-length",
            "the prompt's logits are read at mask.sum − 1, a habit from padding on the right; on the left the last column is the newest in every row",
            looped!(LogitsAtLength),
        )
}

fn cost(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake(
            "newest-without-cache",
            "the newest token is fed into an empty cache: it sees nothing of the prompt",
            looped!(NewestWithoutCache),
        )
        .mistake(
            "whole-sequence-fed",
            "the whole sequence is fed at every step; the output is right, but the prompt is in the cache and one token a step is enough",
            looped!(WholeSequenceFed),
        )
        .mistake(
            "last-token-fed",
            "the last token is fed although nobody asks what follows it: n new tokens take n calls, and none take none",
            looped!(LastTokenFed),
        )
        .convention(
            "finished-rows-do-not-draw",
            "only unfinished rows are sampled; engines that drop finished rows do so, but here the sampler gets the whole batch every step, so that a row's uniforms do not depend on its neighbours",
            looped!(FinishedRowsDoNotDraw),
        )
}

fn ends(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake(
            "eos-in-prompt-finishes",
            "an EOS in the prompt (or padding, where pad is EOS) marks the row as finished; only a generated one does",
            looped!(EosInPromptFinishes),
        )
        .mistake(
            "pad-in-prompt-finishes",
            "the pad id in a row's prompt marks the row as finished, so every padded row is; only a generated EOS does",
            looped!(PadInPromptFinishes),
        )
        .mistake("finished-rows-go-on", "finished rows go on sampling; they get pad", looped!(FinishedRowsGoOn))
        .mistake(
            "eos-overwritten",
            "the EOS itself is replaced by pad; it stays and pad follows",
            looped!(EosOverwritten),
        )
        .mistake(
            "stop-at-first-finished",
            "the loop ends as soon as any row is finished; the others still have tokens to come",
            looped!(StopAtFirstFinished),
        )
        .mistake(
            "last-eos-lost",
            "the check for the end comes before the append, so the EOS of the last row is lost",
            looped!(LastEosLost),
        )
        .mistake("one-token-too-many", "one token more than max_new_tokens is generated", looped!(OneTokenTooMany))
        .mistake(
            "no-early-stop",
            "the loop runs on to max_new_tokens after every row is finished",
            looped!(NoEarlyStop),
        )
        .mistake(
            "context-ignored",
            "the loop goes on past the model's context; the sequence must end there",
            looped!(ContextIgnored),
        )
        .convention(
            "prompt-left-out",
            "only the new tokens are returned, as serving APIs do; here the prompt stands before them",
            looped!(PromptLeftOut),
        )
}
