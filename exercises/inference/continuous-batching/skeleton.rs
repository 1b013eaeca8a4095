//! Continuous batching: who is in which step.

use logitlings::pack::inference::continuous_batching::{Limits, Request};

/// `run(step, batch)` runs one step for these requests, by index, and says for each whether its token ended the text.
/// Returns for each request the step of its last token; `None` if it can never fit into the pool.
pub fn serve(
    requests: &[Request],
    limits: &Limits,
    run: &mut dyn FnMut(usize, &[usize]) -> Vec<bool>,
) -> Vec<Option<usize>> {
    let _ = (requests, limits, run);
    todo!("admit, run, take out what has finished, until nobody is left")
}

logitlings::attempt!(inference::continuous_batching, serve);
