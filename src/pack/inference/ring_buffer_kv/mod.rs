//! A KV cache of fixed size for sliding-window attention. Witness: F.scaled_dot_product_attention with a window mask.

mod cases;
mod mistakes;
mod reference;

use crate::judge::{self, Problem};
use candle_core::Tensor;
use std::process::ExitCode;

/// A cache of W slots. It may hold numbers of an earlier request in slots that were not written yet.
#[derive(Clone, Debug)]
pub struct Ring {
    /// Keys (B, H, W, d_k).
    pub k: Tensor,
    /// Values (B, H, W, d_v).
    pub v: Tensor,
    /// W.
    pub window: usize,
    /// Tokens so far: the next one stands at this position.
    pub seen: usize,
}

/// seen, window → the position that each slot holds.
pub type SlotPositions = fn(usize, usize) -> Vec<Option<usize>>;

/// q (B, H, n, d_k), k (B, H, n, d_k), v (B, H, n, d_v), slopes (H), ring → (B, H, n, d_v).
pub type WindowStep = fn(&Tensor, &Tensor, &Tensor, &[f32], &mut Ring) -> candle_core::Result<Tensor>;

/// Both functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// What the slots hold.
    pub slot_positions: SlotPositions,
    /// A step of attention.
    pub window_step: WindowStep,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let reference = Attempt { slot_positions: reference::slot_positions, window_step: reference::window_step };
    let problem = known(Problem::new("ring-buffer-kv", reference));
    cases::golden_of(cases::memory(cases::steps(cases::positions(problem))))
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("stale-slots", "all slots are attended from the first token on: until the ring is full, some hold what an earlier request left there", mistakes::stale_slots())
        .mistake("forgets-at-the-wrap", "only slots up to p mod W are attended, also after the ring is full: at each wrap the whole window is forgotten", mistakes::forgets_at_the_wrap())
        .mistake("one-too-few", "the oldest token of the window is left out: W tokens are visible, the query's own included", mistakes::one_too_few())
        .mistake("attends-before-writing", "a token attends before its key is written: it sees the W tokens before it and not itself, and the first token sees nothing", mistakes::attends_before_writing())
        .mistake("slot-off-by-one", "position p is written to slot (p + 1) mod W; it is p mod W", mistakes::slot_off_by_one())
        .mistake("stuck-at-the-end", "when the ring is full, every token is written to the last slot: the others grow old", mistakes::stuck_at_the_end())
        .mistake("seen-capped", "`seen` stops at W: from then on the position is lost, and every token is written to slot 0", mistakes::seen_capped())
        .mistake("counts-calls", "`seen` grows by one a call; a call of n tokens adds n", mistakes::counts_calls())
        .mistake("never-counted", "`seen` never grows, so that every call begins at position 0", mistakes::never_counted())
        .mistake("never-stored", "keys and values are written to a copy, and the ring stays as it was", mistakes::never_stored())
        .mistake("chunk-written-first", "all tokens of a call are written before the first one attends: they overwrite keys that the first ones still have to see", mistakes::chunk_written_first())
        .mistake("chunk-unmasked", "all tokens of a call are written, and then all attend to all slots: they see later tokens, and miss the overwritten ones", mistakes::chunk_unmasked())
        .mistake("chunk-not-wrapped", "the tokens of a call are written in one piece from the first one's slot on, which goes past the end of the ring", mistakes::chunk_not_wrapped())
        .mistake("order-assumed", "the bias takes slots for positions, as if they lay in temporal order: after the first wrap the newest token is in slot p mod W, and older ones lie behind it", mistakes::order_assumed())
        .mistake("slots-apart", "the bias takes the number of slots between two tokens for their distance; after the first wrap the next slot holds the oldest token", mistakes::slots_apart())
        .mistake("bias-forgotten", "the slopes are not used", mistakes::bias_forgotten())
        .mistake("bias-turned", "slope · distance is added: far tokens get more weight; it is subtracted", mistakes::bias_turned())
        .mistake("unscaled", "the scores are not divided by √d_k", mistakes::unscaled())
        .mistake("scaled-by-width", "the scores are divided by d_k and not by its root", mistakes::scaled_by_width())
        .mistake("grows", "all keys and values are kept and the window is cut out of them: right numbers, and memory that grows with the sequence", mistakes::grows())
        .mistake("first-lap", "slot_positions says s for slot s: that holds only until the first wrap", mistakes::first_lap())
        .mistake("in-order", "slot_positions lists the window from the oldest to the newest, as if the slots were in temporal order", mistakes::in_order())
        .mistake("seen-is-newest", "slot_positions takes `seen` for the newest position; that is seen − 1", mistakes::seen_is_newest())
        .mistake("empty-slots-filled", "slot_positions gives a position to slots that were never written", mistakes::empty_slots_filled())
        .convention("one-too-many", "a token sees W tokens before itself, and itself, as in the Mistral paper and with FlashAttention's window_size = (W, 0); here, as in transformers, W counts the token itself", mistakes::one_too_many())
        .convention("shifted", "the window is kept in temporal order and moved by one at every step, as transformers' sliding-window cache does; here position p stays in slot p mod W and nothing moves", mistakes::shifted())
}
