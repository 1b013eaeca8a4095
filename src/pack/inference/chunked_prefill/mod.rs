//! Chunked prefill under a token budget. Witnesses: the plan token by token, and PyTorch's lower-right causal bias.

mod cases;
mod mistakes;
mod reference;

use crate::judge::{self, Problem, Value, golden};
use std::process::ExitCode;

/// A live request. It is prefilling while `cached < prompt`, and decoding from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Tokens of the prompt, 1 or more.
    pub prompt: usize,
    /// Its tokens whose keys and values are in the cache.
    pub cached: usize,
}

/// What a step does for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Its place in the list of requests.
    pub request: usize,
    /// The position of the first token that is fed.
    pub start: usize,
    /// How many tokens are fed, 1 or more.
    pub tokens: usize,
    /// Whether a token is sampled from the last one's logits.
    pub sample: bool,
}

/// Both functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Live requests in the order of their arrival, budget of tokens → what to feed.
    pub plan_step: fn(&[Request], usize) -> Vec<Work>,
    /// Cached keys, queries → (queries × cached + queries), true where the query may look.
    pub chunk_mask: fn(usize, usize) -> Vec<Vec<bool>>,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

const RIGHT: Attempt = Attempt { plan_step: reference::plan_step, chunk_mask: reference::chunk_mask };

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("chunked-prefill", RIGHT);
    cases::all(masking(planning(problem))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/chunked-prefill.json")),
        |attempt, fixture| {
            let numbers = |json: &serde_json::Value| -> judge::Result<Vec<usize>> {
                Ok(golden::ints(json)?.into_iter().map(|n| n as usize).collect())
            };
            for entry in fixture.entries("runs")? {
                let rows = entry["rows"].as_array().ok_or("golden fixture: no rows")?;
                let rows: Vec<cases::Row> = rows
                    .iter()
                    .map(|row| numbers(row).map(|row| (row[0], row[1], row[2], row[3])))
                    .collect::<judge::Result<_>>()?;
                let budget = entry["budget"].as_u64().ok_or("golden fixture: no budget")? as usize;
                let steps: Vec<&str> =
                    entry["steps"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
                fixture.expect("steps", Value::text(&steps), Value::text(&cases::run(attempt, budget, &rows)));
            }
            for entry in fixture.entries("masks")? {
                let sizes = numbers(&entry["sizes"])?;
                let wanted =
                    Value::Ints { shape: golden::shape(&entry["mask"])?, data: golden::ints(&entry["mask"]["data"])? };
                fixture.expect("mask", wanted, cases::ints(&(attempt.chunk_mask)(sizes[0], sizes[1])));
            }
            Ok(())
        },
    )
}

/// An attempt whose plan is this one.
fn plans(plan_step: fn(&[Request], usize) -> Vec<Work>) -> Attempt {
    Attempt { plan_step, ..RIGHT }
}

/// An attempt whose mask is this one.
fn masks(chunk_mask: fn(usize, usize) -> Vec<Vec<bool>>) -> Attempt {
    Attempt { chunk_mask, ..RIGHT }
}

fn planning(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("prefill-first", "prompts take from the budget before the decodes: those who are generating stand still while a long prompt comes in", plans(mistakes::prefill_first))
        .mistake("prompts-alone", "as long as there is a prompt nobody decodes: a step mixes both", plans(mistakes::prompts_alone))
        .mistake("decodes-alone", "as long as anybody decodes no prompt is prefilled: the rest of the budget is for prompts", plans(mistakes::decodes_alone))
        .mistake("whole-prompts", "a prompt is never cut, and the step exceeds its budget", plans(mistakes::whole_prompts))
        .mistake("waits-for-room", "a prompt waits until all of it fits: one longer than the budget waits for ever", plans(mistakes::waits_for_room))
        .mistake("one-prompt-a-step", "only the first prompt is prefilled in a step, although there is budget left for the next", plans(mistakes::one_prompt_a_step))
        .mistake("shared-evenly", "the budget is shared among the prompts: all of them end late, where first come, first served ends one after the other", plans(mistakes::shared_evenly))
        .mistake("shortest-first", "the prompt with the fewest missing tokens comes first; asked for is the order of the list", plans(mistakes::shortest_first))
        .mistake("decodes-not-counted", "the tokens of the decodes are not taken off the budget", plans(mistakes::decodes_not_counted))
        .mistake("wraps-round", "budget minus decodes is taken without a look whether there are more decodes than budget: below zero a usize wraps round, and the budget is boundless", plans(mistakes::wraps_round))
        .mistake("all-decodes", "every decode is planned, even past the budget", plans(mistakes::all_decodes))
        .mistake("empty-pieces", "requests for which nothing is left are planned with 0 tokens", plans(mistakes::empty_pieces))
        .mistake("counts-from-zero", "the whole prompt is taken for what is missing, whatever is cached: pieces run past the prompt's end", plans(mistakes::counts_from_zero))
        .mistake("starts-at-zero", "every piece starts at position 0; it starts where the cache ends", plans(mistakes::starts_at_zero))
        .mistake("samples-every-piece", "a token is sampled after every piece; in the middle of a prompt the next token is known", plans(mistakes::samples_every_piece))
        .mistake("prompt-samples-nothing", "the last piece of a prompt samples nothing, although its last logits are those of the first new token", plans(mistakes::prompt_samples_nothing))
        .convention("list-order", "prefills and decodes are taken in one order, first come first served, as in vLLM; asked for is decodes first", plans(mistakes::list_order))
}

fn masking(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("top-left-mask", "the mask is aligned at the top left: the first query of a piece looks at key 0 alone; it stands at the end of the cache", masks(mistakes::top_left))
        .mistake("no-mask", "the tokens of a piece look at the ones after them", masks(mistakes::no_mask))
        .mistake("not-itself", "a token does not look at itself: < where ≤ is right", masks(mistakes::not_itself))
        .mistake("cache-hidden", "the piece looks at its own keys only, and not at the cached ones", masks(mistakes::cache_hidden))
        .mistake("new-keys-only", "the mask has no columns for the cached keys", masks(mistakes::new_keys_only))
        .convention("hidden-is-true", "true marks what is hidden, as in a masked_fill or PyTorch's MultiheadAttention; asked for is true where the query may look", masks(mistakes::hidden_is_true))
}

/// Everything that could be fed, token by token in the order of service, and as many of these as the budget allows.
#[cfg(test)]
#[test]
fn token_by_token_is_right() {
    use crate::judge::{Options, report::Report};
    fn plan_step(requests: &[Request], budget: usize) -> Vec<Work> {
        let mut plan: Vec<Work> = Vec::new();
        let decodes = requests.iter().enumerate().filter(|(_, r)| r.cached >= r.prompt).map(|(i, r)| (i, r.cached));
        let prompts = requests.iter().enumerate().flat_map(|(i, r)| (r.cached..r.prompt).map(move |at| (i, at)));
        for (request, position) in decodes.chain(prompts).take(budget) {
            let sample = position + 1 >= requests[request].prompt;
            match plan.last_mut().filter(|work| work.request == request) {
                Some(work) => (work.tokens, work.sample) = (work.tokens + 1, sample),
                None => plan.push(Work { request, start: position, tokens: 1, sample }),
            }
        }
        plan
    }
    let mut report = Report::default();
    let options = Options { device: candle_core::Device::Cpu, only: None };
    problem().judge(&plans(plan_step), &options, &mut |line| report.push(line));
    assert!(report.first_failure().is_none(), "{:?}", report.first_failure());
}
