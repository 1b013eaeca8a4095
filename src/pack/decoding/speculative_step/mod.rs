//! The verification step of speculative decoding. Witness: transformers' `_speculative_sampling`.

mod cases;
#[cfg(test)]
mod controls;
mod mistakes;
mod reference;

use crate::judge::{self, Problem, golden};
use std::process::ExitCode;

/// Draft tokens (k), draft probabilities (k rows of V), target probabilities (k + 1 rows of V), source of uniforms → the
/// accepted tokens and one more.
pub type Attempt = fn(&[u32], &[Vec<f64>], &[Vec<f64>], &mut dyn FnMut() -> f64) -> Vec<u32>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("speculative-step", reference::speculative_step as Attempt);
    cases::all(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/speculative-step.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let draft: Vec<u32> = golden::ints(&entry["draft"])?.into_iter().map(|id| id as u32).collect();
                let (q, p) = (rows(&entry["q"])?, rows(&entry["p"])?);
                let uniforms = entry["uniforms"].as_array().ok_or("golden fixture: no uniforms")?;
                let mut uniforms = uniforms.iter().filter_map(serde_json::Value::as_f64);
                let mut drawn = 0;
                let tokens = attempt(&draft, &q, &p, &mut || {
                    drawn += 1;
                    uniforms.next().unwrap_or(0.0)
                });
                fixture.expect(
                    "tokens",
                    judge::Value::ints(&golden::ints(&entry["tokens"])?),
                    judge::Value::ints(&tokens),
                );
                let stored = entry["uniforms"].as_array().map_or(0, Vec::len);
                fixture.expect("uniforms drawn", judge::Value::ints(&[stored]), judge::Value::ints(&[drawn]));
            }
            Ok(())
        },
    )
}

/// The rows of a stored matrix.
fn rows(json: &serde_json::Value) -> judge::Result<Vec<Vec<f64>>> {
    let width = golden::shape(json)?.last().copied().unwrap_or(1);
    Ok(golden::floats(json)?.chunks(width).map(<[f64]>::to_vec).collect())
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("bonus-from-last-tested-row", "after k acceptances the extra token is drawn from the target's k-th row, which belongs to the last draft token; its own row is the (k + 1)-th", mistakes::bonus_from_last_tested_row)
        .mistake("bonus-from-draft", "after k acceptances the extra token is drawn from the draft's distribution; it must come from the target's last row", mistakes::bonus_from_draft)
        .mistake("no-bonus", "after k acceptances no extra token is emitted, although the target pass has already paid for it", mistakes::no_bonus)
        .mistake("ratio-inverted", "the draft token is accepted with probability q/p; it is p/q: p = (.5, .3, .2) and q = (.2, .3, .5) then emit (.2, .3, .5), the draft's own distribution", mistakes::ratio_inverted)
        .mistake("accepts-with-p", "the draft token is accepted with probability p and not p/q", mistakes::accepts_with_p)
        .mistake("accepts-if-larger", "the draft token is accepted exactly if p ≥ q; if p < q it must still be accepted with probability p/q", mistakes::accepts_if_larger)
        .mistake("accepts-everything", "every draft token is accepted: the output follows the draft model", mistakes::accepts_everything)
        .mistake("accepts-zero-over-zero", "a token with p = q = 0 is accepted: 0/0 is NaN, and NaN.min(1.0) is 1 in Rust", mistakes::accepts_zero_over_zero)
        .mistake("draws-when-needed", "no uniform is drawn where p ≥ q: the same distribution, but here each tested token uses one, so that draws stay in step", mistakes::draws_when_needed)
        .mistake("resamples-from-target", "after a rejection the token is drawn from p and not from the residual (p − q)₊: tokens with p > q then come too rarely, (.35, .39, .26) instead of (.5, .3, .2)", mistakes::resamples_from_target)
        .mistake("absolute-residual", "the residual is |p − q|: where q > p the rejected mass would be given back; negative differences are 0", mistakes::absolute_residual)
        .mistake("residual-reversed", "the residual is (q − p)₊; it is what the target has more than the draft, (p − q)₊", mistakes::residual_reversed)
        .mistake("residual-not-normalised", "the uniform is compared with the cumulative residual as it is; it sums to less than 1 and has to be normalised", mistakes::residual_not_normalised)
        .mistake("residual-argmax", "after a rejection the most probable token of the residual is taken; it must be drawn", mistakes::residual_argmax)
        .mistake("empty-residual", "where rounding leaves no residual the division gives NaN; fall back to p", mistakes::empty_residual)
        .mistake("zero-weight-drawn", "the draw takes the first id whose cumulative weight is ≥ the threshold: u = 0 then picks id 0 even if its probability is 0", mistakes::zero_weight_drawn)
        .mistake("continues", "testing goes on after a rejection: later draft tokens were conditioned on the token that was thrown away", mistakes::continues)
        .mistake("nothing-on-rejection", "a rejection ends the step without a token; one must be drawn from the residual", mistakes::nothing_on_rejection)
        .mistake("uniform-used-twice", "the uniform that rejected the draft is used again for the residual: after a rejection it is no longer uniform", mistakes::uniform_used_twice)
        .convention(
            "all-uniforms-first",
            "k uniforms are drawn before the first test, as transformers does for a whole draft at once; here a token's uniform is drawn when it is tested",
            mistakes::all_uniforms_first,
        )
        .convention(
            "accepts-at-equality",
            "a draft token is accepted if u ≤ p/q, as transformers does; here u < p/q, so that u = 0 cannot accept a token of probability 0",
            mistakes::accepts_at_equality,
        )
        .convention(
            "sample-and-match",
            "a token is drawn from p and the draft kept while it is the same, as llama.cpp does: lossless too, but it accepts with probability Σ p·q and not Σ min(p, q), .29 instead of .7 for p = (.5, .3, .2), q = (.2, .3, .5)",
            mistakes::sample_and_match,
        )
}
