//! The cases: uniforms given one by one, grids of them, and seeded draws whose distribution is tested.

use super::Attempt;
use crate::judge::{Case, Problem, Result, Value};

/// The example of the statement.
pub(super) const P: [f64; 3] = [0.5, 0.3, 0.2];
/// What its draft tokens are drawn from.
pub(super) const Q: [f64; 3] = [0.2, 0.3, 0.5];
/// The target's row after it.
pub(super) const NEXT: [f64; 3] = [0.1, 0.2, 0.7];

const ROUNDS: usize = 20_000;

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    edges(problem)
        .case("every uniform of a grid, three tokens", |attempt, case| grid(attempt, case, &Q, &[&P, &NEXT]))
        .case("every uniform of a grid, four tokens", |attempt, case| {
            grid(attempt, case, &[0.7, 0.1, 0.1, 0.1], &[&[0.2, 0.3, 0.4, 0.1], &[0.25, 0.25, 0.25, 0.25]])
        })
        .case("drafts of four out of seven tokens", |attempt, case| {
            for round in 0..32 {
                let (q, p) = (random_rows(case, 4, 7), random_rows(case, 5, 7));
                let p =
                    p.iter().enumerate().map(|(i, row)| q.get(i).map_or(row.clone(), |q| halfway(row, q))).collect();
                let draft: Vec<u32> = q.iter().map(|row| invert(row, case.uniform())).collect();
                let uniforms: Vec<f64> = (0..5).map(|_| case.uniform()).collect();
                step(attempt, case, &format!("round {round}: "), &draft, q, p, &uniforms);
            }
            Ok(())
        })
        .case("what is emitted follows the target", |attempt, case| {
            let counts = rounds(attempt, &mut case.source());
            case.given("drafts drawn from q", Q);
            case.given("target rows", [P, NEXT]);
            let or_none = |row: [f64; 3]| [row.as_slice(), &[0.0]].concat();
            for (name, row, counts) in [("first token", P, counts.0), ("second token, if there is one", NEXT, counts.1)]
            {
                case.observe(name, Value::Draws { counts: counts.to_vec(), probabilities: or_none(row) });
            }
            Ok(())
        })
        .cost("drafts of 8 out of 8192 tokens", |attempt, case| {
            let (mut q, mut p) = (random_rows(case, 8, 8192), random_rows(case, 9, 8192));
            (0..7).for_each(|i| q[i].clone_from(&p[i])); // the first seven are accepted, the last one is resampled
            (q[7][5], p[7][5]) = (q[7][5] + p[7][5], 0.0);
            let tokens = attempt(&[5; 8], &q, &p, &mut case.source());
            case.observe("tokens", Value::ints(&tokens));
            Ok(())
        })
}

fn edges(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("accepted, then one more, by hand", |attempt, case| {
            step(attempt, case, "", &[2], vec![Q.to_vec()], vec![P.to_vec(), NEXT.to_vec()], &[0.39, 0.25]);
            Ok(())
        })
        .case("rejected, by hand", |attempt, case| {
            step(attempt, case, "", &[2], vec![Q.to_vec()], vec![P.to_vec(), NEXT.to_vec()], &[0.41, 0.9]);
            Ok(())
        })
        .case("the second of three is rejected", |attempt, case| {
            let q = vec![Q.to_vec(), vec![0.6, 0.3, 0.1], Q.to_vec()];
            let p = vec![P.to_vec(), vec![0.1, 0.5, 0.4], P.to_vec(), NEXT.to_vec()];
            step(attempt, case, "", &[0, 0, 1], q, p, &[0.99, 0.5, 0.7, 0.1, 0.2]);
            Ok(())
        })
        .case("p = q: always accepted", |attempt, case| {
            let rows = vec![vec![0.125, 0.25, 0.5, 0.125], vec![0.25, 0.25, 0.0, 0.5]];
            let target = [rows.clone(), vec![vec![0.0, 0.5, 0.25, 0.25]]].concat();
            step(attempt, case, "", &[0, 3], rows, target, &[1.0 - f64::EPSILON, 0.999, 0.6]);
            Ok(())
        })
        .case("disjoint supports: always rejected", |attempt, case| {
            let (q, p) = (vec![vec![0.5, 0.5, 0.0, 0.0]], vec![vec![0.0, 0.0, 0.25, 0.75], vec![0.25; 4]]);
            for (name, u) in [("smallest u: ", 0.0), ("middle u: ", 0.5)] {
                step(attempt, case, name, &[1], q.clone(), p.clone(), &[u, 0.0]);
            }
            Ok(())
        })
        .case("a draft token with q = 0", |attempt, case| {
            let (q, p) = (vec![vec![0.5, 0.5, 0.0, 0.0]], vec![vec![0.25, 0.5, 0.25, 0.0], vec![0.0, 0.0, 0.5, 0.5]]);
            step(attempt, case, "p > 0: ", &[2], q.clone(), p.clone(), &[0.75, 0.75]);
            step(attempt, case, "p = 0: ", &[3], q, p, &[0.25, 0.75]);
            Ok(())
        })
        .case("u is exactly p/q", |attempt, case| {
            let (q, p) = (vec![vec![0.5, 0.25, 0.25]], vec![vec![0.25, 0.25, 0.5], NEXT.to_vec()]);
            step(attempt, case, "", &[0], q, p, &[0.5, 0.3]);
            Ok(())
        })
        .case("rounding leaves no residual", |attempt, case| {
            // Rejected by the last bit, and p exceeds q nowhere.
            let (q, p) = (vec![vec![0.5, 0.5]], vec![vec![0.5, 0.5 - f64::EPSILON / 4.0], vec![0.5, 0.5]]);
            step(attempt, case, "", &[1], q, p, &[1.0 - f64::EPSILON / 2.0, 0.2]);
            Ok(())
        })
        .case("no draft at all", |attempt, case| {
            step(attempt, case, "", &[], Vec::new(), vec![NEXT.to_vec()], &[0.25]);
            Ok(())
        })
}

/// One step with the given uniforms; observes the tokens and how many uniforms were drawn.
fn step(
    attempt: &Attempt,
    case: &mut Case,
    name: &str,
    draft: &[u32],
    q: Vec<Vec<f64>>,
    p: Vec<Vec<f64>>,
    uniforms: &[f64],
) {
    let draft = case.given(&format!("{name}draft"), draft);
    let (q, p) = (case.given(&format!("{name}draft_probs"), q), case.given(&format!("{name}target_probs"), p));
    let uniforms = case.given(&format!("{name}uniforms"), uniforms);
    let (tokens, drawn) = with_uniforms(attempt, draft, &q, &p, uniforms);
    case.observe(&format!("{name}tokens"), Value::ints(&tokens));
    case.observe(&format!("{name}uniforms drawn"), Value::ints(&[drawn]));
}

/// Tokens, and how many uniforms were drawn; after the given ones comes 0.5.
pub(super) fn with_uniforms(
    attempt: &Attempt,
    draft: &[u32],
    q: &[Vec<f64>],
    p: &[Vec<f64>],
    uniforms: &[f64],
) -> (Vec<u32>, usize) {
    let mut drawn = 0;
    let tokens = attempt(draft, q, p, &mut || {
        drawn += 1;
        uniforms.get(drawn - 1).copied().unwrap_or(0.5)
    });
    (tokens, drawn)
}

/// Every draft token with 10 × 10 uniforms in the middle of their tenths; one row of tokens each, −1 where there is none.
fn grid(attempt: &Attempt, case: &mut Case, q: &[f64], p: &[&[f64]; 2]) -> Result<()> {
    let (q, p) = (case.given("draft_probs", vec![q.to_vec()]), case.given("target_probs", p.map(<[f64]>::to_vec)));
    case.given("first and second uniform", "0.05, 0.15, … 0.95 each");
    for token in 0..q[0].len() as u32 {
        let mut data = Vec::new();
        for (first, second) in (0..10).flat_map(|i| (0..10).map(move |j| (i, j))) {
            let uniforms = [(f64::from(first) + 0.5) / 10.0, (f64::from(second) + 0.5) / 10.0];
            let tokens = with_uniforms(attempt, &[token], &q, &p, &uniforms).0;
            data.extend((0..2).map(|i| tokens.get(i).map_or(-1, |&id| i64::from(id))));
        }
        case.observe(&format!("tokens for the draft {token}"), Value::Ints { shape: vec![100, 2], data });
    }
    Ok(())
}

/// How often each token came first and second in many rounds with a draft of one token; the last count is "none".
pub(super) fn rounds(attempt: &Attempt, uniform: &mut dyn FnMut() -> f64) -> ([u64; 4], [u64; 4]) {
    let (q, p) = ([Q.to_vec()], [P.to_vec(), NEXT.to_vec()]);
    let (mut first, mut second) = ([0; 4], [0; 4]);
    for _ in 0..ROUNDS {
        let draft = invert(&Q, uniform());
        let tokens = attempt(&[draft], &q, &p, uniform);
        first[tokens.first().map_or(3, |&id| id.min(3) as usize)] += 1;
        if let Some(&id) = tokens.get(1) {
            second[id.min(3) as usize] += 1;
        }
    }
    (first, second)
}

/// Draws from `weights`, which sum to 1.
fn invert(weights: &[f64], u: f64) -> u32 {
    let mut cumulative = 0.0;
    let passes = |weight: &f64| {
        cumulative += weight;
        cumulative > u
    };
    weights.iter().position(passes).unwrap_or(weights.len() - 1) as u32
}

/// Random distributions over `size` tokens.
fn random_rows(case: &mut Case, rows: usize, size: usize) -> Vec<Vec<f64>> {
    let mut row = || {
        let weights: Vec<f64> = (0..size).map(|_| (2.0 * case.uniform()).exp() - 1.0).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    };
    (0..rows).map(|_| row()).collect()
}

fn halfway(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| (a + b) / 2.0).collect()
}
