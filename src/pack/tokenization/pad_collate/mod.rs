//! A padded batch and its mask. Witness: torch.nn.utils.rnn.pad_sequence, and nn.MultiheadAttention for the polarity.

mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::Tensor;
use std::process::ExitCode;

/// B sequences, the id of padding → ids (B, T) and key-padding mask (B, T), both on the CPU.
pub type Attempt = fn(&[Vec<i64>], i64) -> candle_core::Result<(Tensor, Tensor)>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    cases(known(Problem::new("pad-collate", reference::pad_collate as Attempt))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/pad-collate.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let sequences: Vec<Vec<i64>> =
                    serde_json::from_value(entry["sequences"].clone()).map_err(|e| e.to_string())?;
                let (ids, mask) = attempt(&sequences, entry["pad"].as_i64().ok_or("golden fixture: no pad")?)?;
                for (name, got) in [("ids", ids), ("mask", mask)] {
                    let shape = golden::shape(&entry[name])?;
                    let data = golden::ints(&entry[name]["data"])?;
                    fixture.expect(name, Value::Ints { shape, data }, Value::tensor(&got)?);
                }
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .convention("mask-inverted", "the mask is 1 where there is a token, as transformers' attention_mask (and the boolean mask of scaled_dot_product_attention) has it; a key-padding mask is 1 where there is padding", mistakes::mask_inverted)
        .mistake("mask-from-ids", "the mask is 1 wherever the id is the pad's: a real token may have that id (often pad is EOS), and it is then not seen", mistakes::mask_from_ids)
        .mistake("trailing-pads", "every pad id at the end of a row counts as padding, even those that were in the sequence; only the length knows", mistakes::trailing_pads)
        .mistake("nothing-masked", "nothing is masked, so tokens attend to padding", mistakes::nothing_masked)
        .mistake("last-token-masked", "the mask begins one column early and hides each sequence's last token", mistakes::last_token_masked)
        .mistake("first-pad-unmasked", "the mask begins one column late: the first pad of each row is seen", mistakes::first_pad_unmasked)
        .convention("left-padding", "the padding stands on the left, as decoding wants it; asked for is padding on the right", mistakes::left_padding)
        .mistake("left-ids-right-mask", "the ids are padded on the left and the mask on the right: it hides tokens and shows padding", mistakes::left_ids_right_mask)
        .mistake("length-of-first", "T is the length of the first sequence, so longer ones are cut", mistakes::length_of_first)
        .mistake("length-of-shortest", "T is the length of the shortest sequence, so all others are cut", mistakes::length_of_shortest)
        .mistake("pads-with-zero", "the rest is filled with 0 whatever the pad id is", mistakes::pads_with_zero)
        .convention("multiple-of-eight", "T is rounded up to a multiple of 8, as pad_to_multiple_of does for tensor cores; asked for is the longest length", mistakes::multiple_of_eight)
        .convention("time-first", "the tensors are (T, B), as pad_sequence makes them unless batch_first is set; asked for is (B, T)", mistakes::time_first)
        .mistake("mask-time-first", "the ids are (B, T) but the mask is (T, B)", mistakes::mask_time_first)
        .mistake("sorted-by-length", "the rows are sorted by length (pack_padded_sequence once wanted that), so they no longer belong to their labels; the order is to be kept", mistakes::sorted_by_length)
        .mistake("empty-rows-dropped", "empty sequences are left out, so every row behind one has moved up; an empty sequence is a row of padding", mistakes::empty_rows_dropped)
        .mistake("empty-batch-fails", "a batch of no sequences fails, because the maximum of nothing is taken; it is (0, 0)", mistakes::empty_batch_fails)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("two sequences", |attempt, case| judged(attempt, case, &[&[1, 2, 3], &[4, 5]], -1))
        .case("tokens with the id of padding", |attempt, case| {
            judged(attempt, case, &[&[0, 7], &[0], &[5, 0, 0, 1]], 0)
        })
        .case("the pad's id at the end of a sequence", |attempt, case| {
            judged(attempt, case, &[&[8, 2, 2], &[2, 9, 4, 4, 1], &[2, 2]], 2)
        })
        .case("the longest in the middle", |attempt, case| {
            judged(attempt, case, &[&[11, 12], &[21, 22, 23, 24], &[31], &[41, 42, 43]], 99)
        })
        .case("the longest at the end", |attempt, case| judged(attempt, case, &[&[1], &[2, 3], &[4, 5, 6, 7, 8]], -100))
        .case("all of one length", |attempt, case| judged(attempt, case, &[&[1, 2, 3], &[3, 2, 1]], 0))
        .case("an empty sequence among others", |attempt, case| judged(attempt, case, &[&[5, 6], &[], &[7], &[]], 3))
        .case("one sequence", |attempt, case| judged(attempt, case, &[&[9, 8, 7, 6]], 0))
        .case("one token", |attempt, case| judged(attempt, case, &[&[4]], 4))
        .case("nothing but empty sequences", |attempt, case| judged(attempt, case, &[&[], &[], &[]], 0))
        .case("an empty batch", |attempt, case| judged(attempt, case, &[], 0))
        .case("eleven sequences of up to nine tokens", |attempt, case| {
            let sequences = made_up(case, 11, 10);
            case.given("sequences", &sequences);
            collated(attempt, case, &sequences, 5)
        })
        .cost("256 sequences of up to 1024 tokens", |attempt, case| {
            let sequences = made_up(case, 256, 1025);
            collated(attempt, case, &sequences, 5)
        })
}

fn judged(attempt: &Attempt, case: &mut Case, sequences: &[&[i64]], pad: i64) -> Result<()> {
    let sequences: Vec<Vec<i64>> = sequences.iter().map(|sequence| sequence.to_vec()).collect();
    case.given("sequences", &sequences);
    collated(attempt, case, &sequences, pad)
}

fn collated(attempt: &Attempt, case: &mut Case, sequences: &[Vec<i64>], pad: i64) -> Result<()> {
    let (ids, mask) = attempt(sequences, case.given("pad", pad))?;
    case.observe_tensor("ids", &ids)?;
    case.observe_tensor("key-padding mask", &mask)
}

/// Sequences of 0 to `end` − 1 ids, the pad's among them.
fn made_up(case: &mut Case, count: usize, end: i64) -> Vec<Vec<i64>> {
    let mut sequence = |_| {
        let length = case.int(0..end);
        (0..length).map(|_| case.int(0..8)).collect()
    };
    (0..count).map(&mut sequence).collect()
}
