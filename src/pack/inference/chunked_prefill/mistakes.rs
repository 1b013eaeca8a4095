//! What goes wrong at speed in a step with a token budget.

use super::{Request, Work, reference};

type Plan = Vec<Work>;

/// The parts of the plan, each of which can be got wrong on its own.
#[derive(Clone, Copy)]
struct Recipe {
    /// The order in which requests are looked at.
    order: fn(&[Request]) -> Vec<usize>,
    /// Tokens for a request, of what it misses and what is left of the budget. Runs for prompts only.
    piece: fn(missing: usize, left: usize) -> usize,
    /// What a piece takes from what is left.
    charge: fn(request: Request, tokens: usize, left: usize) -> usize,
    /// Whether a piece samples.
    sample: fn(request: Request, tokens: usize) -> bool,
    /// Where a piece starts.
    start: fn(request: Request) -> usize,
    /// Whether requests are still looked at when nothing is left.
    goes_on: bool,
}

const RIGHT: Recipe = Recipe {
    order: |requests| sorted(requests, |request| usize::from(!decodes(request))),
    piece: |missing, left| missing.min(left),
    charge: |_, tokens, left| left.saturating_sub(tokens),
    sample: |request, tokens| tokens == missing(request),
    start: |request| request.cached,
    goes_on: false,
};

fn decodes(request: Request) -> bool {
    request.cached >= request.prompt
}

fn missing(request: Request) -> usize {
    if decodes(request) { 1 } else { request.prompt - request.cached }
}

fn sorted(requests: &[Request], key: fn(Request) -> usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|&index| key(requests[index]));
    order
}

fn plan(requests: &[Request], budget: usize, recipe: Recipe) -> Plan {
    let (mut plan, mut left) = (Vec::new(), budget);
    for index in (recipe.order)(requests) {
        let request = requests[index];
        if left == 0 && !recipe.goes_on {
            break;
        }
        let tokens = if decodes(request) { 1 } else { (recipe.piece)(missing(request), left) };
        let sample = (recipe.sample)(request, tokens);
        if tokens > 0 || recipe.goes_on {
            plan.push(Work { request: index, start: (recipe.start)(request), tokens, sample });
        }
        left = (recipe.charge)(request, tokens, left);
    }
    plan
}

pub fn prefill_first(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { order: |requests| sorted(requests, |r| usize::from(decodes(r))), ..RIGHT })
}

pub fn list_order(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { order: |requests| (0..requests.len()).collect(), ..RIGHT })
}

pub fn shortest_first(requests: &[Request], budget: usize) -> Plan {
    plan(
        requests,
        budget,
        Recipe { order: |requests| sorted(requests, |r| if decodes(r) { 0 } else { missing(r) }), ..RIGHT },
    )
}

pub fn whole_prompts(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { piece: |missing, _| missing, ..RIGHT })
}

pub fn waits_for_room(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { piece: |missing, left| if missing <= left { missing } else { 0 }, ..RIGHT })
}

pub fn decodes_not_counted(requests: &[Request], budget: usize) -> Plan {
    let charge = |request: Request, tokens: usize, left: usize| if decodes(request) { left } else { left - tokens };
    plan(requests, budget, Recipe { charge, ..RIGHT })
}

/// One subtraction for all decodes: below zero it wraps round.
pub fn wraps_round(requests: &[Request], budget: usize) -> Plan {
    let decoding = requests.iter().filter(|request| decodes(**request)).count();
    let charge = |request: Request, tokens: usize, left: usize| if decodes(request) { left } else { left - tokens };
    plan(requests, budget.wrapping_sub(decoding), Recipe { charge, goes_on: true, ..RIGHT })
        .into_iter()
        .filter(|work| work.tokens > 0)
        .collect()
}

pub fn all_decodes(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { goes_on: true, ..RIGHT }).into_iter().filter(|work| work.tokens > 0).collect()
}

pub fn empty_pieces(requests: &[Request], budget: usize) -> Plan {
    let mut right = reference::plan_step(requests, budget);
    for index in (RIGHT.order)(requests).into_iter().filter(|&index| !decodes(requests[index])) {
        if !right.iter().any(|work| work.request == index) {
            right.push(Work { request: index, start: requests[index].cached, tokens: 0, sample: false });
        }
    }
    right
}

pub fn one_prompt_a_step(requests: &[Request], budget: usize) -> Plan {
    let right = reference::plan_step(requests, budget);
    let first = right.iter().map(|work| work.request).find(|&index| !decodes(requests[index]));
    right.into_iter().filter(|work| decodes(requests[work.request]) || Some(work.request) == first).collect()
}

pub fn shared_evenly(requests: &[Request], budget: usize) -> Plan {
    let decoding = requests.iter().filter(|request| decodes(**request)).count();
    let prompts = (requests.len() - decoding).max(1);
    let share = budget.saturating_sub(decoding).div_ceil(prompts);
    let mut plan = reference::plan_step(requests, budget);
    plan.retain(|work| decodes(requests[work.request]));
    let mut left = budget - plan.len();
    for (index, &request) in requests.iter().enumerate().filter(|(_, request)| !decodes(**request)) {
        let tokens = missing(request).min(share).min(left);
        left -= tokens;
        if tokens > 0 {
            plan.push(Work { request: index, start: request.cached, tokens, sample: tokens == missing(request) });
        }
    }
    plan
}

pub fn decodes_alone(requests: &[Request], budget: usize) -> Plan {
    let mut right = reference::plan_step(requests, budget);
    if requests.iter().any(|request| decodes(*request)) {
        right.retain(|work| decodes(requests[work.request]));
    }
    right
}

pub fn prompts_alone(requests: &[Request], budget: usize) -> Plan {
    let mut first = prefill_first(requests, budget);
    if requests.iter().any(|request| !decodes(*request)) {
        first.retain(|work| !decodes(requests[work.request]));
    }
    first
}

pub fn counts_from_zero(requests: &[Request], budget: usize) -> Plan {
    let (mut plan, mut left) = (Vec::new(), budget);
    for index in (RIGHT.order)(requests) {
        let request = requests[index];
        // The whole prompt is taken for what is missing, cached or not.
        let wanted = if decodes(request) { 1 } else { request.prompt };
        let tokens = wanted.min(left);
        if tokens > 0 {
            let sample = decodes(request) || request.cached + tokens >= request.prompt;
            plan.push(Work { request: index, start: request.cached, tokens, sample });
        }
        left -= tokens;
    }
    plan
}

pub fn starts_at_zero(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { start: |request| if decodes(request) { request.cached } else { 0 }, ..RIGHT })
}

pub fn samples_every_piece(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { sample: |_, _| true, ..RIGHT })
}

pub fn prompt_samples_nothing(requests: &[Request], budget: usize) -> Plan {
    plan(requests, budget, Recipe { sample: |request, _| decodes(request), ..RIGHT })
}

fn mask(start: usize, tokens: usize, seen: fn(query: usize, key: usize, start: usize) -> bool) -> Vec<Vec<bool>> {
    (0..tokens).map(|query| (0..start + tokens).map(|key| seen(query, key, start)).collect()).collect()
}

pub fn top_left(start: usize, tokens: usize) -> Vec<Vec<bool>> {
    mask(start, tokens, |query, key, _| key <= query)
}

pub fn no_mask(start: usize, tokens: usize) -> Vec<Vec<bool>> {
    mask(start, tokens, |_, _, _| true)
}

pub fn not_itself(start: usize, tokens: usize) -> Vec<Vec<bool>> {
    mask(start, tokens, |query, key, start| key < start + query)
}

pub fn cache_hidden(start: usize, tokens: usize) -> Vec<Vec<bool>> {
    mask(start, tokens, |query, key, start| key >= start && key <= start + query)
}

pub fn new_keys_only(_start: usize, tokens: usize) -> Vec<Vec<bool>> {
    mask(0, tokens, |query, key, _| key <= query)
}

pub fn hidden_is_true(start: usize, tokens: usize) -> Vec<Vec<bool>> {
    mask(start, tokens, |query, key, start| key > start + query)
}
