//! Iteration-level scheduling, Yu et al. 2022 (Orca): the batch is decided anew before every step.

use super::{Limits, Request};
use std::collections::VecDeque;

struct Running {
    request: usize,
    /// Tokens generated so far.
    made: usize,
}

/// `run(step, batch)` runs a step and says for each request of the batch whether its token ended the text. Returns the
/// step of each request's last token; `None` where the request needs more blocks than there are.
pub fn serve(
    requests: &[Request],
    limits: &Limits,
    run: &mut dyn FnMut(usize, &[usize]) -> Vec<bool>,
) -> Vec<Option<usize>> {
    let needed = |request: usize| (requests[request].prompt + requests[request].max_new).div_ceil(limits.block_size);
    let mut queue: Vec<usize> = (0..requests.len()).filter(|&request| needed(request) <= limits.blocks).collect();
    queue.sort_by_key(|&request| requests[request].arrival); // stable: equal arrivals by index
    let mut queue = VecDeque::from(queue);
    let mut running: Vec<Running> = Vec::new();
    let mut last_step = vec![None; requests.len()];
    let (mut free, mut step) = (limits.blocks, 0);
    loop {
        while let Some(&next) = queue.front()
            && requests[next].arrival <= step
            && running.len() < limits.batch
            && needed(next) <= free
        {
            queue.pop_front();
            free -= needed(next);
            running.push(Running { request: next, made: 0 });
        }
        if running.is_empty() {
            // Every block is free now, so the first in the queue can only be one that has not arrived.
            let Some(&next) = queue.front() else { return last_step };
            step = requests[next].arrival;
            continue;
        }
        let batch: Vec<usize> = running.iter().map(|running| running.request).collect();
        let mut ended = run(step, &batch).into_iter();
        running.retain_mut(|Running { request, made }| {
            *made += 1;
            let finished = ended.next() == Some(true) || *made == requests[*request].max_new;
            if finished {
                last_step[*request] = Some(step);
                free += needed(*request);
            }
            !finished
        });
        step += 1;
    }
}
