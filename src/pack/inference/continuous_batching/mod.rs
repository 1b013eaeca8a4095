//! A continuous-batching scheduler. Witness: the start of each request in closed form, from those before it.

mod cases;
mod mistakes;
mod reference;

use crate::judge::{self, Problem, Value, golden};
use mistakes::Flaw;
use std::process::ExitCode;

/// What someone wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The first step that it can be in.
    pub arrival: usize,
    /// Tokens of the prompt, 1 or more.
    pub prompt: usize,
    /// The most tokens to generate, 1 or more.
    pub max_new: usize,
}

/// What the server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most requests in one step, 1 or more.
    pub batch: usize,
    /// Tokens in a block of the KV cache, 1 or more.
    pub block_size: usize,
    /// Blocks of the KV cache.
    pub blocks: usize,
}

/// Requests, limits, the engine: (step, batch) → whether each request's token ended its text. Returns the step of each
/// request's last token; `None` for one that needs more blocks than there are.
pub type Attempt = fn(&[Request], &Limits, &mut dyn FnMut(usize, &[usize]) -> Vec<bool>) -> Vec<Option<usize>>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("continuous-batching", reference::serve as Attempt);
    cases::all(timing(admission(problem))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/continuous-batching.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let numbers = |json: &serde_json::Value| -> judge::Result<Vec<usize>> {
                    Ok(golden::ints(json)?.into_iter().map(|n| n as usize).collect())
                };
                let rows = entry["rows"].as_array().ok_or("golden fixture: no rows")?;
                let rows: Vec<cases::Row> = rows
                    .iter()
                    .map(|row| numbers(row).map(|row| (row[0], row[1], row[2], row[3])))
                    .collect::<judge::Result<_>>()?;
                let limits = numbers(&entry["limits"])?;
                let (last, calls) = cases::run(attempt, (limits[0], limits[1], limits[2]), &rows);
                let steps: Vec<&str> =
                    entry["steps"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
                fixture.expect("steps", Value::text(&steps), Value::text(&calls));
                fixture.expect("last steps", Value::ints(&golden::ints(&entry["last"])?), last);
            }
            Ok(())
        },
    )
}

/// The scheduler with this flaw, as an attempt.
macro_rules! flawed {
    ($flaw:ident) => {
        |requests, limits, run| mistakes::serve(Flaw::$flaw, requests, limits, run)
    };
}

fn admission(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("static-batches", "nobody is admitted before the whole batch has finished: every answer takes as long as the longest", flawed!(StaticBatches))
        .mistake("no-block-budget", "requests are admitted without a look at the blocks that are left", flawed!(NoBlockBudget))
        .mistake("prompt-blocks-only", "blocks are reserved for the prompt alone; the answer needs some too, and nobody can be preempted here", flawed!(PromptBlocksOnly))
        .mistake("counts-tokens", "tokens are added up and compared with the tokens of the pool; a partly filled block belongs to one request and counts whole", flawed!(CountsTokens))
        .mistake("floor-division", "the number of blocks is rounded down", flawed!(FloorBlocks))
        .mistake("blocks-never-back", "the blocks of a finished request are not given back, and the queue stands still once they are used up", flawed!(BlocksNeverBack))
        .mistake("last-block-unused", "a request that needs exactly the free blocks is not admitted: < where ≤ is right", flawed!(LastBlockUnused))
        .mistake("batch-ignored", "the largest batch size is not observed", flawed!(BatchIgnored))
        .mistake("one-too-many", "one request more than the largest batch is admitted: ≤ where < is right", flawed!(OneTooMany))
        .mistake("one-admission-a-step", "one request at most is admitted before a step, although more would fit", flawed!(OneAdmission))
        .mistake("overtakes", "a request that fits is admitted past the first in the queue, which does not: as long as small ones come, a large one starves", flawed!(Overtakes))
        .mistake("refused-when-busy", "a request that does not fit now is refused; it waits", flawed!(RefusedWhenBusy))
        .mistake("shortest-first", "the request with the smallest max_new is served first; asked for is the order of arrival", flawed!(ShortestFirst))
        .mistake("last-come-first", "the request that came last is served first: the queue is used as a stack", flawed!(LastComeFirst))
        .mistake("list-order", "requests are served in the order of the list, which is not that of their arrival", flawed!(ListOrder))
        .mistake("huge-holds-up", "a request that is larger than the pool waits for ever at the front of the queue, and everybody behind it", flawed!(HugeHoldsUp))
}

fn timing(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("arrival-ignored", "requests are run before they have arrived", flawed!(ArrivalIgnored))
        .mistake("idle-starts-early", "with nothing to do, the next request is begun before its arrival: time does not pass", flawed!(IdleStartsEarly))
        .mistake("empty-steps", "steps are run with nobody in them until the next request arrives: each costs a pass of the model and makes no token", flawed!(EmptySteps))
        .mistake("extra-token", "that a request has finished is noticed a step late: it makes one more token, which nobody wants", flawed!(ExtraToken))
        .mistake("room-a-step-late", "waiting requests are admitted before the room of finished ones is given back, so that it is empty for a step", flawed!(RoomAStepLate))
        .mistake("end-ignored", "a request runs up to max_new even if its text has ended", flawed!(EndIgnored))
        .mistake("limit-ignored", "a request runs until its text ends, past max_new and out of its blocks", flawed!(LimitIgnored))
        .mistake("prefill-makes-none", "the first step is taken for a prefill without a token, so that one token more than max_new is made: the prefill's logits give the first", flawed!(PrefillMakesNone))
        .mistake("step-after-last", "the step after the last one is returned", flawed!(StepAfterLast))
}

/// The mistakes' scheduler without a flaw works on a plain list and counts what is used, and is accepted.
#[cfg(test)]
#[test]
fn another_bookkeeping_is_right() {
    use crate::judge::{Options, report::Report};
    let mut report = Report::default();
    let options = Options { device: candle_core::Device::Cpu, only: None };
    let attempt: Attempt = flawed!(Flawless);
    problem().judge(&attempt, &options, &mut |line| report.push(line));
    assert!(report.first_failure().is_none(), "{:?}", report.first_failure());
}
