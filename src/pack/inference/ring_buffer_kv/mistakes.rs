//! What goes wrong at speed with a ring: one description, and the ways to deviate from it.

use super::reference::{self, slot_positions};
use super::{Attempt, Ring};
use candle_core::{Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// Axis along which the slots lie.
const SLOTS: usize = 2;

/// A query's position, the tokens written by then, a slot, and the number of slots.
#[derive(Clone, Copy)]
struct View {
    query: usize,
    seen: usize,
    slot: usize,
    window: usize,
}

#[derive(Clone, Copy)]
struct Way {
    /// The slot of a position.
    slot: fn(usize, usize) -> usize,
    /// Whether a query looks at a slot.
    visible: fn(View) -> bool,
    /// How far back a slot's key is taken to lie.
    age: fn(View) -> i64,
    /// The bias of a key, from the head's slope and the age.
    bias: fn(f32, f32) -> f32,
    /// What divides the scores, from d_k.
    divisor: fn(f64) -> f64,
    /// Tokens seen after one more, and after a call of n that found this many.
    count: fn(usize, usize) -> usize,
    counted: fn(usize, usize, usize) -> usize,
    /// Whether all tokens of a call are written before the first one attends.
    write_first: bool,
    /// Whether a token attends before it is written.
    attend_first: bool,
}

const RIGHT: Way = Way {
    slot: |position, window| position % window,
    visible: |view| age(view) >= 0 && (view.slot < view.seen) && age(view) < view.window as i64,
    age,
    bias: |slope, age| -slope * age,
    divisor: f64::sqrt,
    count: |seen, _| seen + 1,
    counted: |_, _, after| after,
    write_first: false,
    attend_first: false,
};

/// The age of what a slot really holds; of an empty one, that of the position before the first lap.
fn age(view: View) -> i64 {
    let newest = view.seen as i64 - 1;
    let position = newest - (newest - view.slot as i64).rem_euclid(view.window as i64);
    view.query as i64 - position
}

fn newest(t: &Tensor, token: usize) -> Result<Tensor> {
    t.narrow(SLOTS, token, 1)?.contiguous()
}

fn scored(q: &Tensor, k: &Tensor, v: &Tensor, bias: Vec<f32>, divisor: f64) -> Result<Tensor> {
    let (_, heads, slots, _) = k.dims4()?;
    let bias = Tensor::from_vec(bias, (heads, 1, slots), q.device())?.to_dtype(q.dtype())?;
    let scores = (q.matmul(&k.t()?)? / divisor)?.broadcast_add(&bias)?;
    softmax_last_dim(&scores)?.matmul(v)
}

fn attend(way: &Way, q: &Tensor, query: usize, slopes: &[f32], ring: &Ring) -> Result<Tensor> {
    let (window, dk) = (ring.window, q.dim(3)?);
    let bias = |slope: f32, slot: usize| {
        let view = View { query, seen: ring.seen, slot, window };
        if (way.visible)(view) { (way.bias)(slope, (way.age)(view) as f32) } else { f32::NEG_INFINITY }
    };
    let bias = slopes.iter().flat_map(|&slope| (0..window).map(move |slot| bias(slope, slot))).collect();
    scored(q, &ring.k, &ring.v, bias, (way.divisor)(dk as f64))
}

fn step(way: &Way, q: &Tensor, k: &Tensor, v: &Tensor, slopes: &[f32], ring: &mut Ring) -> Result<Tensor> {
    let (n, window, before) = (q.dim(SLOTS)?, ring.window, ring.seen);
    let mut outputs = Vec::new();
    for token in 0..n {
        if way.attend_first {
            outputs.push(attend(way, &newest(q, token)?, before + token, slopes, ring)?);
        }
        ring.k.slice_set(&newest(k, token)?, SLOTS, (way.slot)(ring.seen, window))?;
        ring.v.slice_set(&newest(v, token)?, SLOTS, (way.slot)(ring.seen, window))?;
        let query = ring.seen;
        ring.seen = (way.count)(ring.seen, window);
        if !way.write_first && !way.attend_first {
            outputs.push(attend(way, &newest(q, token)?, query, slopes, ring)?);
        }
    }
    if way.write_first {
        for token in 0..n {
            outputs.push(attend(way, &newest(q, token)?, before + token, slopes, ring)?);
        }
    }
    ring.seen = (way.counted)(before, n, ring.seen);
    Tensor::cat(&outputs, SLOTS)
}

macro_rules! ways {
    ($($name:ident: { $($field:ident: $value:expr),+ })+) => {
        $(pub const fn $name() -> Attempt {
            const WAY: Way = Way { $($field: $value,)+ ..RIGHT };
            Attempt { slot_positions, window_step: |q, k, v, slopes, ring| step(&WAY, q, k, v, slopes, ring) }
        })+
    };
}

ways! {
    stale_slots: { visible: |_| true }
    forgets_at_the_wrap: { visible: |view| view.slot <= view.query % view.window }
    one_too_few: { visible: |view| (RIGHT.visible)(view) && age(view) + 1 < view.window.max(2) as i64 }
    attends_before_writing: { attend_first: true, visible: |view| view.slot < view.seen }
    slot_off_by_one: { slot: |position, window| (position + 1) % window }
    stuck_at_the_end: { slot: |position, window| position.min(window - 1) }
    seen_capped: { count: |seen, window| (seen + 1).min(window) }
    counts_calls: { counted: |before, _, _| before + 1 }
    never_counted: { counted: |before, _, _| before }
    chunk_written_first: { write_first: true }
    chunk_unmasked: { write_first: true, visible: |view| view.slot < view.seen }
    order_assumed: { age: |view| view.seen.min(view.window) as i64 - 1 - view.slot as i64 }
    slots_apart: { age: |view| ((view.query % view.window) as i64 - view.slot as i64).abs() }
    bias_forgotten: { bias: |_, _| 0.0 }
    bias_turned: { bias: |slope, age| slope * age }
    unscaled: { divisor: |_| 1.0 }
    scaled_by_width: { divisor: |width| width }
}

macro_rules! steps {
    ($($name:ident: $step:expr;)+) => {
        $(pub const fn $name() -> Attempt {
            Attempt { slot_positions, window_step: $step }
        })+
    };
}

steps! {
    one_too_many: |q, k, v, slopes, ring| kept(q, k, v, slopes, ring, Keep::OneMore);
    grows: |q, k, v, slopes, ring| kept(q, k, v, slopes, ring, Keep::Everything);
    shifted: |q, k, v, slopes, ring| kept(q, k, v, slopes, ring, Keep::InOrder);
    chunk_not_wrapped: |q, k, v, slopes, ring| {
        if ring.seen % ring.window + k.dim(SLOTS)? > ring.window {
            candle_core::bail!("slice-set: the chunk goes past the end of the ring");
        }
        reference::window_step(q, k, v, slopes, ring)
    };
    never_stored: |q, k, v, slopes, ring| {
        let mut copy = Ring { k: ring.k.copy()?, v: ring.v.copy()?, ..ring.clone() };
        reference::window_step(q, k, v, slopes, &mut copy)
    };
}

/// What is left of a ring by those who keep another one.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    /// Slots as they should be, and one token more in the attention.
    OneMore,
    /// All tokens, in order.
    Everything,
    /// The newest W tokens, in order.
    InOrder,
}

/// Attention over tokens in temporal order, the newest last.
fn kept(q: &Tensor, k: &Tensor, v: &Tensor, slopes: &[f32], ring: &mut Ring, keep: Keep) -> Result<Tensor> {
    let window = ring.window;
    let mut outputs = Vec::new();
    for token in 0..q.dim(SLOTS)? {
        let slots = ring.k.dim(SLOTS)?;
        let old = ring.seen.min(slots);
        let join = |old: &Tensor, new: &Tensor| Tensor::cat(&[old, &newest(new, token)?], SLOTS);
        let (keys, values) = match keep {
            Keep::OneMore => (join(&unrolled(&ring.k, ring.seen)?, k)?, join(&unrolled(&ring.v, ring.seen)?, v)?),
            _ => {
                let end = |t: &Tensor| t.narrow(SLOTS, slots - old, old);
                (join(&end(&ring.k)?, k)?, join(&end(&ring.v)?, v)?)
            }
        };
        let total = keys.dim(SLOTS)?;
        let seen = total.min(if keep == Keep::OneMore { window + 1 } else { window });
        let cut = |t: &Tensor| t.narrow(SLOTS, total - seen, seen)?.contiguous();
        let bias = slopes.iter().flat_map(|slope| (0..seen).map(move |at| -slope * (seen - 1 - at) as f32)).collect();
        let dk = q.dim(3)? as f64;
        outputs.push(scored(&newest(q, token)?, &cut(&keys)?, &cut(&values)?, bias, dk.sqrt())?);
        match keep {
            Keep::OneMore => {
                ring.k.slice_set(&newest(k, token)?, SLOTS, ring.seen % window)?;
                ring.v.slice_set(&newest(v, token)?, SLOTS, ring.seen % window)?;
            }
            Keep::Everything => (ring.k, ring.v) = (keys, values),
            Keep::InOrder => {
                let moved = |t: &Tensor, new: &Tensor| {
                    Tensor::cat(&[&t.narrow(SLOTS, 1, slots - 1)?, &newest(new, token)?], SLOTS)
                };
                (ring.k, ring.v) = (moved(&ring.k, k)?, moved(&ring.v, v)?);
            }
        }
        ring.seen += 1;
    }
    Tensor::cat(&outputs, SLOTS)
}

/// The slots in use, from the oldest position to the newest.
fn unrolled(t: &Tensor, seen: usize) -> Result<Tensor> {
    let window = t.dim(SLOTS)?;
    let first = if seen <= window { 0 } else { seen % window };
    let slots: Vec<u32> = (0..seen.min(window)).map(|at| ((first + at) % window) as u32).collect();
    t.index_select(&Tensor::new(slots, t.device())?, SLOTS)
}

macro_rules! positions {
    ($($name:ident: $positions:expr;)+) => {
        $(pub const fn $name() -> Attempt {
            Attempt { slot_positions: $positions, window_step: reference::window_step }
        })+
    };
}

positions! {
    first_lap: |seen, window| (0..window).map(|slot| (slot < seen).then_some(slot)).collect();
    in_order: |seen, window| {
        let used = seen.min(window);
        (0..window).map(|slot| (slot < used).then(|| seen - used + slot)).collect()
    };
    seen_is_newest: |seen, window| {
        (0..window).map(|slot| (slot <= seen).then(|| seen - (seen - slot) % window)).collect()
    };
    empty_slots_filled: |seen, window| {
        slot_positions(seen, window).iter().enumerate().map(|(slot, held)| Some(held.unwrap_or(slot))).collect()
    };
}
