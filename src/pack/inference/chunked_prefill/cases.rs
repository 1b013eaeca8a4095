//! The cases: single steps, and runs in which the judge plays the engine.

use super::{Attempt, Request, Work};
use crate::judge::{Case, Problem, Result, Value};

/// When a request arrives, its prompt, how much of it is cached then, and how many tokens it generates.
pub(super) type Row = (usize, usize, usize, usize);

/// A run that makes no progress ends here.
const MOST_STEPS: usize = 300;

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    masks(steps(runs(problem))).cost("300 steps of 600 requests, a mask of 512 on 2048", |attempt, case| {
        let mut row = |n: usize| (n / 4, case.int(1..4000) as usize, 0, case.int(1..200) as usize);
        let rows: Vec<Row> = (0..600).map(&mut row).collect();
        let lines = run(attempt, 512, &rows);
        case.observe("steps", Value::text(&lines[lines.len() - 3..]));
        let seen = (attempt.chunk_mask)(2048, 512).iter().flatten().filter(|seen| **seen).count();
        case.observe("pairs seen", Value::ints(&[seen]));
        Ok(())
    })
}

fn runs(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the example", |attempt, case| {
            played(attempt, case, 8, &[(0, 1, 0, 9), (0, 1, 0, 9), (0, 1, 0, 9), (1, 10, 0, 3), (1, 4, 0, 2)])
        })
        .case("one prompt in pieces", |attempt, case| played(attempt, case, 4, &[(0, 11, 0, 3)]))
        .case("a prompt that fits exactly", |attempt, case| {
            played(attempt, case, 6, &[(0, 6, 0, 2), (0, 5, 0, 1), (3, 12, 0, 2)])
        })
        .case("a long prompt, and short ones behind it", |attempt, case| {
            played(attempt, case, 7, &[(0, 2, 0, 8), (1, 23, 0, 2), (1, 3, 0, 2), (2, 1, 0, 4), (4, 9, 0, 3)])
        })
        .case("a short prompt overtakes nobody, and decodes before the long one", |attempt, case| {
            played(attempt, case, 5, &[(0, 9, 0, 5), (0, 3, 0, 6), (1, 17, 0, 2), (2, 2, 0, 7)])
        })
        .case("the beginning is cached already", |attempt, case| {
            played(attempt, case, 5, &[(0, 12, 8, 3), (0, 9, 8, 2), (1, 20, 3, 2), (1, 6, 4, 1)])
        })
        .case("as many decodes as the budget", |attempt, case| {
            played(attempt, case, 3, &[(0, 1, 0, 6), (0, 1, 0, 4), (0, 1, 0, 9), (1, 8, 0, 3)])
        })
        .case("a budget of one", |attempt, case| played(attempt, case, 1, &[(0, 3, 0, 2), (0, 2, 0, 3), (4, 1, 0, 1)]))
        .case("a budget larger than everything", |attempt, case| {
            played(attempt, case, 500, &[(0, 40, 0, 2), (0, 7, 6, 3), (1, 90, 0, 1)])
        })
        .case("twenty requests at random", |attempt, case| {
            let mut row = |_| {
                let prompt = case.int(1..40);
                (case.int(0..30) as usize, prompt as usize, case.int(0..prompt) as usize / 2, case.int(1..9) as usize)
            };
            let mut rows: Vec<Row> = (0..20).map(&mut row).collect();
            rows.sort_by_key(|row| row.0);
            played(attempt, case, 13, &rows)
        })
}

fn steps(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("nobody is there", |attempt, case| step(attempt, case, 8, &[]))
        .case("more decodes than the budget", |attempt, case| {
            step(attempt, case, 3, &[(9, 4), (5, 7), (1, 1), (6, 0), (2, 30), (3, 3), (8, 2)])
        })
        .case("decodes behind prompts in the list", |attempt, case| {
            step(attempt, case, 6, &[(30, 10), (4, 2), (5, 9), (1, 1), (7, 7)])
        })
        .case("pieces of several prompts", |attempt, case| {
            step(attempt, case, 20, &[(6, 3), (9, 9), (4, 0), (7, 6), (50, 20), (3, 0), (2, 2)])
        })
}

fn masks(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("masks", |attempt, case| {
            for (start, tokens) in [(3, 2), (0, 4), (0, 1), (6, 1), (1, 5), (9, 3)] {
                case.given("(start, tokens)", (start, tokens));
                let mask = (attempt.chunk_mask)(start, tokens);
                case.observe(&format!("mask of {tokens} on {start}"), ints(&mask));
            }
            Ok(())
        })
        .case("the pieces of a prompt make up its causal mask", |attempt, case| {
            let pieces = case.given("pieces", [3usize, 4, 1, 5]);
            let (mut rows, mut start) = (Vec::new(), 0);
            for tokens in pieces {
                let mask = (attempt.chunk_mask)(start, tokens);
                rows.extend(mask.into_iter().map(|mut row| {
                    row.resize(13, false); // keys that are not there yet
                    row
                }));
                start += tokens;
            }
            case.observe("mask", ints(&rows));
            Ok(())
        })
}

/// A mask as integers; rows of unequal length cannot have a shape and become the flat list.
pub(super) fn ints(mask: &[Vec<bool>]) -> Value {
    let data: Vec<i64> = mask.iter().flatten().map(|&seen| i64::from(seen)).collect();
    let width = mask.first().map_or(0, Vec::len);
    let shape = if width * mask.len() == data.len() { vec![mask.len(), width] } else { vec![data.len()] };
    Value::Ints { shape, data }
}

/// A plan in words, by request: `name[first..end]`, with a + where a token is sampled.
fn line(plan: &[Work], names: &[usize]) -> String {
    let mut sorted = plan.to_vec();
    sorted.sort_by_key(|work| (work.request, work.start, work.tokens));
    let name = |work: &Work| names.get(work.request).map_or("nobody".to_owned(), usize::to_string);
    let text = |work: &Work| {
        let sign = if work.sample { "+" } else { "" };
        format!("{}[{}..{}]{sign}", name(work), work.start, work.start.saturating_add(work.tokens))
    };
    let list: Vec<String> = sorted.iter().map(text).collect();
    let sum = plan.iter().fold(0usize, |sum, work| sum.saturating_add(work.tokens));
    format!("{sum} tokens: {}", if list.is_empty() { "nothing".to_owned() } else { list.join(" ") })
}

fn step(attempt: &Attempt, case: &mut Case, budget: usize, requests: &[(usize, usize)]) -> Result<()> {
    case.given("budget", budget);
    case.given("(prompt, cached)", requests);
    let requests: Vec<Request> = requests.iter().map(|&(prompt, cached)| Request { prompt, cached }).collect();
    let names: Vec<usize> = (0..requests.len()).collect();
    case.observe("plan", Value::text(&[line(&(attempt.plan_step)(&requests, budget), &names)]));
    Ok(())
}

fn played(attempt: &Attempt, case: &mut Case, budget: usize, rows: &[Row]) -> Result<()> {
    case.given("budget", budget);
    case.given("(arrival, prompt, cached, tokens to generate)", rows);
    case.observe("steps", Value::text(&run(attempt, budget, rows)));
    Ok(())
}

/// Plays the engine until everybody has finished; a line for each step. `rows` are in the order of their arrival.
pub(super) fn run(attempt: &Attempt, budget: usize, rows: &[Row]) -> Vec<String> {
    // Row, what the attempt sees of it, tokens made.
    let mut live: Vec<(usize, Request, usize)> = Vec::new();
    let mut lines = Vec::new();
    for step in 0..MOST_STEPS {
        let coming = rows.iter().enumerate().filter(|(_, row)| row.0 == step);
        live.extend(coming.map(|(index, &(_, prompt, cached, _))| (index, Request { prompt, cached }, 0)));
        if live.is_empty() && rows.iter().all(|row| row.0 < step) {
            break;
        }
        let requests: Vec<Request> = live.iter().map(|(_, request, _)| *request).collect();
        let names: Vec<usize> = live.iter().map(|(index, _, _)| *index).collect();
        let plan = (attempt.plan_step)(&requests, budget);
        lines.push(format!("step {step}: {}", line(&plan, &names)));
        for work in plan {
            if let Some((_, request, made)) = live.get_mut(work.request) {
                request.cached = request.cached.saturating_add(work.tokens);
                *made += usize::from(work.sample);
            }
        }
        live.retain(|(index, _, made)| *made < rows[*index].3);
    }
    lines
}
