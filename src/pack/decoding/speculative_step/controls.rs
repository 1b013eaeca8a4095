//! Negative controls: what wrong verification emits is known, and the judge's test of draws must reject it.

use super::cases::{NEXT, P, Q, rounds, with_uniforms};
use super::{Attempt, mistakes, reference};
use crate::judge::compare::compare;
use crate::judge::value::{Observation, Value};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// Draft tokens with the probability of each.
type Drafts = [(u32, f64)];

const GRID: u32 = 200;

const SAMPLED: [(u32, f64); 3] = [(0, 0.2), (1, 0.3), (2, 0.5)];

/// The exact distribution of the first token, and the probability that the draft stands: all thresholds here are
/// multiples of 1/200, so that the midpoints of such a grid integrate exactly.
fn exact(attempt: Attempt, drafts: &Drafts, q: &[f64]) -> ([f64; 3], f64) {
    let (mut emitted, mut kept) = ([0.0; 3], 0.0);
    for &(draft, share) in drafts {
        for (i, j) in (0..GRID).flat_map(|i| (0..GRID).map(move |j| (i, j))) {
            let uniforms = [i, j].map(|place| (f64::from(place) + 0.5) / f64::from(GRID));
            let (tokens, _) = with_uniforms(&attempt, &[draft], &[q.to_vec()], &[P.to_vec(), NEXT.to_vec()], &uniforms);
            emitted[tokens[0] as usize] += share / f64::from(GRID * GRID);
            kept += if tokens.len() == 2 { share / f64::from(GRID * GRID) } else { 0.0 };
        }
    }
    (emitted, kept)
}

fn assert_near(got: &[f64], expected: &[f64]) {
    assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?} is not {expected:?}");
}

#[test]
fn known_distributions_come_out() {
    let acceptance = |attempt: Attempt, expected: [f64; 3], kept: f64| {
        let (emitted, stood) = exact(attempt, &SAMPLED, &Q);
        assert_near(&emitted, &expected);
        assert_near(&[stood], &[kept]);
    };
    acceptance(reference::speculative_step, P, 0.7);
    acceptance(mistakes::sample_and_match, P, 0.29);
    acceptance(mistakes::resamples_from_target, [0.35, 0.39, 0.26], 0.7);
    assert_near(&exact(mistakes::ratio_inverted, &SAMPLED, &Q).0, &Q);
    assert_near(&exact(mistakes::accepts_everything, &SAMPLED, &Q).0, &Q);
}

#[test]
fn a_draft_that_does_not_follow_its_q_breaks_the_guarantee() {
    let right: Attempt = reference::speculative_step;
    assert_near(&exact(right, &[(2, 1.0)], &Q).0, &[0.6, 0.0, 0.4]); // the argmax of q, called a sample of q
    assert_near(&exact(right, &[(1, 0.375), (2, 0.625)], &Q).0, &[0.375, 0.375, 0.25]); // top 2 of q, raw q in the ratio
    assert_near(&exact(right, &[(2, 1.0)], &[0.0, 0.0, 1.0]).0, &P); // an argmax draft with the q it really has
}

#[test]
fn draws_reject_what_does_not_follow_the_target() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let mut rejected = |attempt: Attempt| {
        let counts = rounds(&attempt, &mut uniform).0;
        let draws = |counts: &[u64]| {
            let probabilities = [&P[..], &[0.0]].concat();
            [Observation { name: "first".to_owned(), value: Value::Draws { counts: counts.to_vec(), probabilities } }]
        };
        !compare(&draws(&counts), &draws(&counts)).is_empty()
    };
    assert!(!rejected(reference::speculative_step));
    assert!(!rejected(mistakes::sample_and_match));
    let wrong: [Attempt; 8] = [
        mistakes::resamples_from_target,
        mistakes::ratio_inverted,
        mistakes::accepts_everything,
        mistakes::accepts_with_p,
        mistakes::absolute_residual,
        mistakes::residual_reversed,
        mistakes::residual_not_normalised,
        mistakes::nothing_on_rejection,
    ];
    for (index, attempt) in wrong.into_iter().enumerate() {
        assert!(rejected(attempt), "wrong implementation {index} is not rejected");
    }
}
