//! The cases: requests whose texts end after a number of tokens that only the engine knows.

use super::{Attempt, Limits, Request};
use crate::judge::{Case, Problem, Result, Value};

/// Arrival, prompt, max_new, and the token that ends the text (counted from 1; past max_new it never comes).
pub(super) type Row = (usize, usize, usize, usize);

/// Longer than any schedule here. What runs so often does not end.
const TOO_LONG: usize = 100_000;

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    blocks(order(problem))
        .case("thirty requests at random, scarce blocks", |attempt, case| {
            let rows = random(case, 30, 40);
            served(attempt, case, (6, 4, 14), &rows)
        })
        .case("forty requests at random, a small batch", |attempt, case| {
            let rows = random(case, 40, 120);
            served(attempt, case, (3, 5, 60), &rows)
        })
        .cost("2000 requests, a batch of 64", |attempt, case| {
            let rows = random(case, 2000, 900);
            let (last, calls) = run(attempt, (64, 16, 400), &rows);
            case.observe("last steps", last);
            case.observe("steps run", Value::ints(&[calls.len()]));
            Ok(())
        })
}

fn order(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the first example", |attempt, case| {
            served(attempt, case, (2, 16, 100), &[(0, 3, 9, 3), (0, 5, 9, 1), (0, 2, 9, 2), (2, 4, 9, 1)])
        })
        .case("ended by the text, ended by max_new", |attempt, case| {
            served(attempt, case, (3, 8, 50), &[(0, 1, 4, 2), (0, 1, 3, 7), (0, 2, 5, 5), (1, 2, 1, 9), (1, 3, 6, 1)])
        })
        .case("the list is in no order", |attempt, case| {
            let rows = [(7, 2, 3, 9), (3, 4, 2, 9), (0, 1, 6, 9), (3, 1, 4, 9), (1, 2, 2, 1), (0, 9, 5, 4)];
            served(attempt, case, (2, 4, 40), &rows)
        })
        .case("one at a time", |attempt, case| {
            served(attempt, case, (1, 4, 9), &[(0, 2, 3, 9), (0, 1, 1, 9), (4, 1, 2, 1), (4, 5, 2, 9)])
        })
        .case("time passes with nothing to do", |attempt, case| {
            served(attempt, case, (4, 4, 20), &[(2, 2, 2, 9), (9, 3, 3, 2), (9, 1, 1, 9), (30, 2, 2, 9)])
        })
        .case("everybody at once, room for everybody", |attempt, case| {
            let rows: Vec<Row> = (0..6).map(|n| (0, n + 1, 6 - n, 4)).collect();
            served(attempt, case, (8, 2, 64), &rows)
        })
        .case("a long answer and many short ones", |attempt, case| {
            let mut rows = vec![(0, 3, 14, 13)];
            rows.extend((0..9).map(|n| (n / 2, 2, 3, 1 + n % 3)));
            served(attempt, case, (3, 4, 60), &rows)
        })
        .case("no requests", |attempt, case| served(attempt, case, (2, 4, 8), &[]))
}

fn blocks(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the second example", |attempt, case| {
            served(attempt, case, (4, 4, 5), &[(0, 6, 4, 2), (0, 7, 2, 9), (0, 2, 2, 9)])
        })
        .case("nobody overtakes", |attempt, case| {
            let rows = [(0, 6, 6, 9), (1, 10, 8, 9), (1, 1, 2, 9), (2, 1, 2, 9), (3, 2, 4, 3), (3, 1, 1, 9)];
            served(attempt, case, (5, 3, 7), &rows)
        })
        .case("exactly the blocks that there are", |attempt, case| {
            served(attempt, case, (4, 4, 6), &[(0, 9, 3, 9), (0, 8, 4, 9), (0, 21, 3, 2), (1, 4, 4, 9)])
        })
        .case("partly filled blocks count whole", |attempt, case| {
            served(attempt, case, (6, 8, 4), &[(0, 5, 4, 9), (0, 6, 3, 9), (0, 7, 2, 9), (0, 1, 2, 9), (0, 7, 6, 1)])
        })
        .case("reserved for what it may become", |attempt, case| {
            served(attempt, case, (5, 2, 10), &[(0, 2, 8, 4), (0, 1, 6, 9), (0, 3, 4, 3), (0, 2, 2, 9)])
        })
        .case("larger than the pool", |attempt, case| {
            served(
                attempt,
                case,
                (3, 4, 5),
                &[(0, 3, 3, 9), (0, 18, 3, 1), (1, 4, 2, 9), (5, 100, 100, 1), (6, 19, 1, 9)],
            )
        })
        .case("no pool at all", |attempt, case| served(attempt, case, (3, 4, 0), &[(0, 1, 1, 1), (4, 2, 2, 1)]))
}

/// Arrivals up to `latest`, prompts of up to 20 tokens, one to twelve new ones.
fn random(case: &mut Case, count: usize, latest: i64) -> Vec<Row> {
    let mut row = |_| {
        let max_new = case.int(1..13);
        (case.int(0..latest) as usize, case.int(1..21) as usize, max_new as usize, case.int(1..max_new + 4) as usize)
    };
    (0..count).map(&mut row).collect()
}

/// What came of it: the last steps (−1 for a refused request), and what was run.
pub(super) fn run(attempt: &Attempt, limits: (usize, usize, usize), rows: &[Row]) -> (Value, Vec<String>) {
    let requests: Vec<Request> =
        rows.iter().map(|&(arrival, prompt, max_new, _)| Request { arrival, prompt, max_new }).collect();
    let limits = Limits { batch: limits.0, block_size: limits.1, blocks: limits.2 };
    let (mut calls, mut made) = (Vec::new(), vec![0; rows.len()]);
    let last = attempt(&requests, &limits, &mut |step, batch| {
        assert!(calls.len() < TOO_LONG, "{TOO_LONG} steps have been run: the schedule does not end");
        let mut sorted = batch.to_vec();
        sorted.sort_unstable();
        let list: Vec<String> = sorted.iter().map(usize::to_string).collect();
        calls.push(if list.is_empty() {
            format!("step {step}: nobody")
        } else {
            format!("step {step}: {}", list.join(" "))
        });
        let mut token = |request: usize| {
            assert!(request < rows.len(), "there is no request {request}");
            made[request] += 1;
            made[request] >= rows[request].3
        };
        batch.iter().map(|&request| token(request)).collect()
    });
    let last: Vec<i64> = last.into_iter().map(|step| step.map_or(-1, |step| step as i64)).collect();
    (Value::ints(&last), calls)
}

fn served(attempt: &Attempt, case: &mut Case, limits: (usize, usize, usize), rows: &[Row]) -> Result<()> {
    case.given("(batch, block_size, blocks)", limits);
    case.given("(arrival, prompt, max_new, token that ends the text)", rows);
    let (last, calls) = run(attempt, limits, rows);
    case.observe("steps", Value::calls(&calls));
    case.observe("last step of each request, −1 if refused", last);
    Ok(())
}
