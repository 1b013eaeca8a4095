//! Mixture of experts with top-k routing. Witness: transformers' MixtralSparseMoeBlock.

mod experts;
mod mistakes;
mod reference;

use crate::judge::{self, Case, Problem, Result, Tolerance, Value, golden};
use candle_core::{DType, Tensor};
use experts::Experts;
use std::process::ExitCode;

/// x (B, T, D), gate (N, D), k, expert(e, (n, D)) → (n, D); the result is (B, T, D).
pub type Attempt = fn(
    &Tensor,
    &Tensor,
    usize,
    &mut dyn FnMut(usize, &Tensor) -> candle_core::Result<Tensor>,
) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("moe-topk", reference::moe_topk as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/moe-topk.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let (x, gate) = (golden::tensor(&entry["x"])?, golden::tensor(&entry["gate"])?);
                let (w1, w2, w3) =
                    (golden::tensor(&entry["w1"])?, golden::tensor(&entry["w2"])?, golden::tensor(&entry["w3"])?);
                let k = entry["k"].as_u64().ok_or("golden fixture: no k")? as usize;
                let linear = |rows: &Tensor, w: &Tensor, e: usize| rows.matmul(&w.get(e)?.t()?);
                let output = attempt(&x, &gate, k, &mut |e, rows| {
                    linear(&(linear(rows, &w1, e)?.silu()? * linear(rows, &w3, e)?)?, &w2, e)
                })?;
                fixture.expect_tensor("output", &entry["output"], &output, 1e-5)?;
            }
            Ok(())
        },
    )
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .convention(
            "not-renormalised",
            "the weights are the softmax over all N experts and do not sum to 1 over the chosen ones: Switch Transformer (k = 1) and Qwen-MoE with norm_topk_prob = false do that; here the softmax runs over the k chosen logits, as in Mixtral",
            mistakes::not_renormalised,
        )
        .convention(
            "switch-when-one",
            "for k = 1 the weight is the full softmax's probability, which is Switch Transformer's rule (the router then gets a gradient); here the one chosen expert has the weight 1",
            mistakes::switch_when_one,
        )
        .mistake("no-weights", "the experts' outputs are summed without weights", mistakes::no_weights)
        .mistake("uniform", "the chosen experts are averaged: each has the weight 1/k whatever the router says", mistakes::uniform)
        .mistake("raw-logits", "the router's logits are used as weights: the softmax is missing", mistakes::raw_logits)
        .mistake("first-weight", "the best expert's weight is used for all k slots", mistakes::first_weight)
        .mistake("weights-by-rank", "experts and weights got out of step: the experts are in order of their index, the weights in order of rank", mistakes::weights_by_rank)
        .mistake("no-max", "exp is taken of the raw logits: without subtracting the maximum it overflows to inf and the weights become NaN", mistakes::no_max)
        .mistake("softmax-over-tokens", "the softmax runs over the tokens and not over the k experts of each token", mistakes::softmax_over_tokens)
        .mistake("only-the-best", "only the best of the k experts is run", mistakes::only_the_best)
        .mistake("lowest", "the k experts with the lowest logits are chosen: the sort is ascending", mistakes::lowest)
        .mistake("assigned", "an expert's output overwrites what the token's other experts gave; it must be added", mistakes::assigned)
        .mistake("weight-before-expert", "the weight multiplies the expert's input; experts are not linear, so it must multiply the output", mistakes::weight_before_expert)
        .mistake("all-tokens", "every expert is run on every token and the unchosen ones are weighted by 0: right numbers at N/k times the work", mistakes::all_tokens)
        .mistake("token-by-token", "an expert is called once for each of its tokens: right numbers, but its weights are read anew for every token; gather its tokens and call it once", mistakes::token_by_token)
        .mistake("idle-experts-called", "experts that no token chose are called with an empty batch", mistakes::idle_experts_called)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("two tokens, by hand", |attempt, case| {
            let x = case.tensor("x", &[1., 0., 0., 1.], (1, 2, 2))?;
            let gate = case.tensor("gate", &[1., 2., 3., -1., 2., 0., 0., 1.], (4, 2))?;
            case.given("expert(e, rows)", "(e + 1) · rows");
            let k = case.given("k", 2);
            let mut experts = Experts::new(&x, Box::new(|e, rows| rows * (e + 1) as f64))?;
            let output = attempt(&x, &gate, k, &mut |e, rows| experts.call(e, rows))?;
            experts.observe(case, &output)
        })
        .case("every axis of another size", |attempt, case| {
            let (x, gate) = (case.randn("x", (2, 5, 6))?, case.randn("gate", (4, 6))?);
            routed(attempt, case, &x, &gate, 3)
        })
        .case("as many tokens as experts", |attempt, case| {
            let (x, gate) = (case.randn("x", (1, 4, 4))?, case.randn("gate", (4, 4))?);
            routed(attempt, case, &x, &gate, 2)
        })
        .case("k = 1", |attempt, case| {
            let (x, gate) = (case.randn("x", (2, 3, 4))?, case.randn("gate", (5, 4))?);
            routed(attempt, case, &x, &gate, 1)
        })
        .case("k = N, a dense mixture", |attempt, case| {
            let (x, gate) = (case.randn("x", (2, 3, 4))?, case.randn("gate", (3, 4))?);
            routed(attempt, case, &x, &gate, 3)
        })
        .case("two experts that nobody chooses", |attempt, case| {
            let x = case.tensor("x", &[1., 0.5, 2., 0.25, 0.5, 1., 0.75, 1.5], (2, 2, 2))?;
            let gate = case.tensor("gate", &[1., 0., -3., -3., 0., 1., -2., -4., 0.6, 0.5], (5, 2))?;
            routed(attempt, case, &x, &gate, 2)
        })
        .case("one token", |attempt, case| {
            let (x, gate) = (case.randn("x", (1, 1, 3))?, case.randn("gate", (6, 3))?);
            routed(attempt, case, &x, &gate, 2)
        })
        .case("router logits near one hundred", |attempt, case| {
            let x = spread_tokens(case, 6, 5, 4, 99.0)?;
            let gate = case.tensor(
                "gate",
                &[[1., 0., 0., 0., 0.], [0., 1., 0., 0., 0.], [0., 0., 1., 0., 0.], [0., 0., 0., 1., 0.]].concat(),
                (4, 5),
            )?;
            routed(attempt, case, &x, &gate, 2)
        })
        .case("a transposed view", |attempt, case| {
            let x = case.randn("x, before transpose(0, 1)", (5, 2, 4))?.transpose(0, 1)?;
            let gate = case.randn("gate", (3, 4))?;
            routed(attempt, case, &x, &gate, 2)
        })
        .gpu_case("bf16, 257 tokens of 256, 16 experts", |attempt, case| {
            let x = spread_tokens(case, 257, 256, 16, -3.0)?.to_dtype(DType::BF16)?;
            let gate = Tensor::eye(256, DType::BF16, case.device())?.narrow(0, 0, 16)?.contiguous()?;
            routed(attempt, case, &x, &gate, 4)
        })
        .cost("256 tokens of 128, 2 of 8 experts", |attempt, case| {
            let (x, gate) = (case.randn("x", (1, 256, 128))?, case.randn("gate", (8, 128))?);
            let expert = experts::dense(case, 8, 128, DType::F32)?;
            case.observe_tensor("output", &attempt(&x, &gate, 2, &mut |e, rows| expert(e, rows))?)
        })
}

/// Runs the attempt with experts of two layers and observes output and calls.
fn routed(attempt: &Attempt, case: &mut Case, x: &Tensor, gate: &Tensor, k: usize) -> Result<()> {
    let (experts, width) = gate.dims2()?;
    let mut experts = Experts::new(x, experts::dense(case, experts, width, x.dtype())?)?;
    let k = case.given("k", k);
    let output = attempt(x, gate, k, &mut |e, rows| experts.call(e, rows))?;
    experts.observe(case, &output)
}

/// (1, tokens, width) whose first `experts` features are `lowest`, `lowest` + 0.4, … in another order for every token.
/// With unit vectors as the gate these are the logits, so that no rounding decides which expert is chosen.
fn spread_tokens(case: &mut Case, tokens: usize, width: usize, experts: usize, lowest: f32) -> Result<Tensor> {
    let mut data = Vec::with_capacity(tokens * width);
    for _ in 0..tokens {
        let mut order: Vec<usize> = (0..experts).collect();
        (1..experts).rev().for_each(|i| order.swap(i, case.int(0..i as i64 + 1) as usize));
        data.extend(order.iter().map(|&place| lowest + place as f32 * 0.4));
        data.extend((experts..width).map(|_| case.normal() as f32));
    }
    case.tensor("x", &data, (1, tokens, width))
}

/// Wider in bf16, because the mixture may be summed in it.
fn tolerance(dtype: DType) -> Tolerance {
    if dtype == DType::BF16 { Tolerance::relative(4e-2) } else { Tolerance::of(dtype) }
}

fn observe_output(case: &mut Case, output: &Tensor) -> Result<()> {
    case.observe("output", Value::tensor_within(output, tolerance(output.dtype()))?);
    Ok(())
}
