//! What must not be rejected, and how far apart the best two scores are.

use super::{Attempt, mistakes, problem, reference};
use crate::judge::report::{Line, Report};
use crate::judge::{Options, Problem};
use candle_core::{D, Device, Result, Tensor};
use candle_nn::ops::log_softmax;

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

const NONE: [&str; 0] = [];

/// Dot products first, then both lengths; padding is pushed down by an additive mask.
fn lengths_afterwards(
    logits: &Tensor,
    ids: &Tensor,
    hidden: &Tensor,
    context: &Tensor,
    mask: &Tensor,
    alpha: f64,
) -> Result<(Tensor, Vec<u32>)> {
    let p = log_softmax(logits, D::Minus1)?.exp()?.gather(ids, 1)?;
    let length = |x: &Tensor| x.sqr()?.sum(D::Minus1)?.sqrt();
    let lengths = (length(hidden)?.unsqueeze(2)?.broadcast_mul(&length(context)?.unsqueeze(1)?)? + 1e-20)?;
    let cosines = (hidden.matmul(&context.transpose(1, 2)?.contiguous()?)? / lengths)?;
    let low = ((mask.to_dtype(logits.dtype())? - 1.0)? * 1e4)?.unsqueeze(1)?;
    let nearest = cosines.broadcast_add(&low)?.max(2)?;
    let scores = (p.affine(1.0 - alpha, 0.0)? - nearest.affine(alpha, 0.0)?)?;
    let places = scores.argmax(1)?.to_vec1::<u32>()?;
    let ids = ids.to_vec2::<u32>()?;
    Ok((scores, places.iter().zip(&ids).map(|(&place, ids)| ids[place as usize]).collect()))
}

#[test]
fn lengths_after_the_product_are_right() {
    assert_eq!(failed(lengths_afterwards), NONE);
}

#[test]
fn f64_pair_by_pair_is_right() {
    assert_eq!(failed(mistakes::FLAWLESS), NONE);
}

/// The choice is the same if every score is moved by a ten-thousandth, up and down in turn.
#[test]
fn no_choice_hangs_on_nearly_equal_scores() {
    assert_eq!(failed(|l, i, h, c, m, a| moved(l, i, h, c, m, a, 1e-4)), NONE);
    assert_eq!(failed(|l, i, h, c, m, a| moved(l, i, h, c, m, a, -1e-4)), NONE);
}

/// The same for the case that runs on an accelerator only.
#[test]
fn the_large_case_does_not_hang_on_them_either() {
    let problem =
        Problem::new("contrastive-search", reference::contrastive_search as Attempt).case(super::LARGE, super::large);
    let options = Options { device: Device::Cpu, only: None };
    let passed = |attempt: Attempt| {
        let mut report = Report::default();
        problem.judge(&attempt, &options, &mut |line: Line| report.push(line));
        report.passed() == 1
    };
    assert!(passed(|l, i, h, c, m, a| moved(l, i, h, c, m, a, 1e-5)));
    assert!(passed(|l, i, h, c, m, a| moved(l, i, h, c, m, a, -1e-5)));
    assert!(passed(lengths_afterwards));
    assert!(!passed(mistakes::PADDING_INCLUDED));
}

/// The right scores, and the choice that moved ones would give.
fn moved(
    logits: &Tensor,
    ids: &Tensor,
    hidden: &Tensor,
    context: &Tensor,
    mask: &Tensor,
    alpha: f64,
    by: f64,
) -> Result<(Tensor, Vec<u32>)> {
    let (scores, _) = reference::contrastive_search(logits, ids, hidden, context, mask, alpha)?;
    let choose = |(scores, ids): (&Vec<f32>, &Vec<u32>)| {
        let turned = |at: usize| f64::from(scores[at]) + if at.is_multiple_of(2) { by } else { -by };
        let best = (0..ids.len()).fold(0, |best, at| if turned(at) > turned(best) { at } else { best });
        ids[best]
    };
    let chosen = scores.to_vec2()?.iter().zip(&ids.to_vec2()?).map(choose).collect();
    Ok((scores, chosen))
}
