//! Greedy decoding. Witness: transformers' `generate(do_sample=False)`.

mod mistakes;
mod models;
mod reference;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::Device;
use models::{Model, gpt2, scrambled, table};
use std::process::ExitCode;

/// The model (T tokens → T rows of V logits), prompt, limit of new tokens, EOS → prompt and new tokens.
pub type Attempt = fn(&mut dyn FnMut(&[u32]) -> Vec<Vec<f32>>, &[u32], usize, Option<u32>) -> Vec<u32>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("greedy-decode", reference::greedy_decode as Attempt);
    large_cases(edges(by_hand(feeding(ending(choosing(problem)))))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/greedy-decode.json")),
        |attempt, fixture| {
            let mut model = gpt2(&Device::Cpu)?;
            for entry in fixture.entries("cases")? {
                let ids = |name: &str| -> Result<Vec<u32>> {
                    Ok(golden::ints(&entry[name])?.into_iter().map(|id| id as u32).collect())
                };
                let eos = entry["eos"].as_u64().map(|id| id as u32);
                let limit = entry["max_new_tokens"].as_u64().ok_or("golden fixture: no max_new_tokens")? as usize;
                let got = attempt(&mut *model, &ids("prompt")?, limit, eos);
                fixture.expect("tokens", Value::ints(&ids("output")?), Value::ints(&got));
            }
            Ok(())
        },
    )
}

/// Mistakes in choosing a token.
fn choosing(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("first-position", "the logits of the first position are used, which predict the second token of the prompt; the last row predicts what comes next", mistakes::first_position)
        .mistake("position-before", "the logits of the last position but one are used: they predict the token that is already there", mistakes::position_before)
        .mistake("all-positions", "the maximum is taken over the logits of all positions together", mistakes::all_positions)
        .mistake("mean-of-positions", "the logits are averaged over the positions; only the last row speaks of the next token", mistakes::mean_of_positions)
        .mistake("smallest", "the least probable token is taken", mistakes::smallest)
        .mistake("last-maximum", "of equal largest logits the last is taken, as `max_by` does; asked for is the smallest id", mistakes::last_maximum)
        .mistake("best-begins-at-zero", "the search for the maximum begins at 0, so where all logits are negative it finds nothing and says token 0", mistakes::best_begins_at_zero)
        .mistake("softmax-overflows", "the maximum is taken of exp(logit)/Σ, which is NaN for large logits; the softmax keeps the order, so none is needed", mistakes::softmax_overflows)
        .mistake("samples", "the token is drawn from the softmax; greedy takes the most probable one", mistakes::samples)
}

/// Mistakes about the end.
fn ending(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("eos-not-kept", "the EOS that ends it is not part of the result; it stays", mistakes::eos_not_kept)
        .mistake("never-ends", "an EOS ends nothing: it goes on to the limit", mistakes::never_ends)
        .mistake(
            "eos-anywhere",
            "an EOS anywhere in the sequence ends it, also one in the prompt; only a generated one does",
            mistakes::eos_anywhere,
        )
        .mistake(
            "eos-at-the-prompts-end",
            "the last token is compared before the step: a prompt that ends in EOS is answered with nothing",
            mistakes::eos_at_the_prompts_end,
        )
        .mistake("no-eos-is-zero", "without an EOS token 0 ends it", mistakes::no_eos_is_zero)
        .mistake(
            "repetition-ends",
            "a token that follows itself ends it; a greedy loop is the model's answer all the same",
            mistakes::repetition_ends,
        )
        .mistake(
            "filled-with-eos",
            "the result is filled up with EOS to the limit, as a row of a batch is; one sequence ends at its EOS",
            mistakes::filled_with_eos,
        )
        .mistake("one-too-many", "one token too many is generated: the limit is checked with ≤", mistakes::one_too_many)
        .mistake(
            "one-at-least",
            "a token is generated even if the limit is 0: it is checked after the step only",
            mistakes::one_at_least,
        )
        .convention(
            "limit-counts-the-prompt",
            "the limit counts the prompt, as transformers' max_length does; asked for is max_new_tokens",
            mistakes::limit_counts_the_prompt,
        )
        .convention(
            "only-new",
            "only the new tokens are returned, as vLLM does; asked for is the prompt and the new ones",
            mistakes::only_new,
        )
}

/// Mistakes in what the model is fed.
fn feeding(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake(
            "newest-only",
            "only the newest token is fed; this model has no cache, so it sees no context",
            mistakes::newest_only,
        )
        .mistake(
            "newest-after-the-prompt",
            "after the prompt only the newest token is fed, as with a KV cache; this model has none",
            mistakes::newest_after_the_prompt,
        )
        .mistake(
            "prompt-forgotten",
            "after the first step only the generated tokens are fed: the prompt is forgotten",
            mistakes::prompt_forgotten,
        )
        .mistake(
            "a-call-too-many",
            "the model runs once more after the last token: n tokens need n calls",
            mistakes::a_call_too_many,
        )
        .mistake(
            "prompt-piece-by-piece",
            "the prompt is fed in growing pieces before the first token; one call has the logits of all its positions",
            mistakes::prompt_piece_by_piece,
        )
}

/// 0 → 3 → 1 → 4 → 5 → 2 → 0.
const CIRCLE: &[u32] = &[3, 4, 0, 1, 5, 2];

fn by_hand(problem: Problem<Attempt>) -> Problem<Attempt> {
    let circle = |case: &mut Case| case.given("model: the next token of each", CIRCLE);
    problem
        .case("round a circle up to EOS", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[0], 10, Some(4))
        })
        .case("the EOS stands in the prompt", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[3, 0], 6, Some(0))
        })
        .case("an EOS in the middle of the prompt", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[4, 5, 1], 9, Some(5))
        })
        .case("no EOS", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[5], 8, None)
        })
        .case("an EOS that never comes", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[2, 2], 7, Some(77))
        })
        .case("the first token is EOS", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[2, 1], 5, Some(4))
        })
        .case("EOS is the last that may come", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[0], 3, Some(4))
        })
        .case("no new tokens", move |attempt, case| {
            let model = table(circle(case));
            decoded(attempt, case, model, &[3, 0, 5], 0, Some(1))
        })
        .case("a token after itself", |attempt, case| {
            let model = table(case.given("model: the next token of each", &[1u32, 2, 2, 0]));
            decoded(attempt, case, model, &[0], 6, Some(3))
        })
}

fn edges(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("ties", |attempt, case| {
            case.given("model", "logits of −2 to 2 in whole numbers, five tokens");
            let model = scrambled(5, 11, |unit| (unit * 5.0).floor() - 2.0);
            decoded(attempt, case, model, &[3, 1], 24, None)
        })
        .case("all logits equal", |attempt, case| {
            case.given("model", "seven logits of −0.5, always");
            decoded(attempt, case, scrambled(7, 1, |_| -0.5), &[2], 3, Some(6))
        })
        .case("negative logits", |attempt, case| {
            case.given("model", "logits of −9 to −1, eleven tokens");
            decoded(attempt, case, scrambled(11, 5, |unit| -9.0 + 8.0 * unit), &[1, 4, 1], 12, Some(10))
        })
        .case("half of the tokens are forbidden", |attempt, case| {
            case.given("model", "of nine logits about half are −inf, the others −4 to 2");
            let level = |unit: f32| if unit < 0.5 { f32::NEG_INFINITY } else { unit * 12.0 - 10.0 };
            decoded(attempt, case, scrambled(9, 4, level), &[8, 0], 15, None)
        })
        .case("logits of ten thousand", |attempt, case| {
            case.given("model", "logits of −10 000 to 10 000, thirteen tokens");
            decoded(attempt, case, scrambled(13, 2, |unit| 2e4 * unit - 1e4), &[12, 7], 10, Some(0))
        })
        .case("a vocabulary of one", |attempt, case| {
            case.given("model", "one token");
            decoded(attempt, case, scrambled(1, 2, |unit| unit), &[0, 0], 4, None)
        })
}

fn large_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("a model that sees the whole context", |attempt, case| {
            case.given("model", "logits of −4 to 4 that depend on every token before, 29 tokens");
            decoded(attempt, case, scrambled(29, 9, |unit| 8.0 * unit - 4.0), &[4, 28, 0, 4, 17], 40, None)
        })
        .case("four prompts with an EOS that comes", |attempt, case| {
            case.given("model", "logits of −4 to 4 that depend on every token before, six tokens");
            for (name, prompt) in [("a", &[0][..]), ("b", &[2, 0]), ("c", &[0, 5, 0]), ("d", &[1, 1, 3, 2])] {
                named(attempt, case, name, scrambled(6, 3, |unit| 8.0 * unit - 4.0), prompt, 20, Some(0))?;
            }
            Ok(())
        })
        .case("a tiny GPT-2", |attempt, case| {
            case.given("model", "GPT-2 of two layers with random weights, 97 tokens");
            let model = gpt2(case.device())?;
            decoded(attempt, case, model, &[12, 5, 25, 1, 80, 13, 64], 12, None)
        })
        .cost("64 tokens after 64, vocabulary of 512", |attempt, case| {
            let prompt: Vec<u32> = (0..64).map(|_| case.int(0..512) as u32).collect();
            let mut model = scrambled(512, 6, |unit| 8.0 * unit - 4.0);
            case.observe("tokens", Value::ints(&attempt(&mut *model, &prompt, 64, None)));
            Ok(())
        })
}

fn decoded(
    attempt: &Attempt,
    case: &mut Case,
    model: Model,
    prompt: &[u32],
    limit: usize,
    eos: Option<u32>,
) -> Result<()> {
    named(attempt, case, "", model, prompt, limit, eos)
}

/// Decodes and observes the tokens and what each call was fed.
fn named(
    attempt: &Attempt,
    case: &mut Case,
    name: &str,
    mut model: Model,
    prompt: &[u32],
    limit: usize,
    eos: Option<u32>,
) -> Result<()> {
    let name = |what: &str| format!("{name} {what}").trim_start().to_owned();
    case.given(&name("prompt"), prompt);
    case.given(&name("max_new_tokens"), limit);
    case.given(&name("eos"), eos);
    let mut calls = Vec::new();
    let tokens = attempt(
        &mut |tokens: &[u32]| {
            calls.push(format!("fed {} tokens: {tokens:?}", tokens.len()));
            model(tokens)
        },
        prompt,
        limit,
        eos,
    );
    case.observe(&name("tokens"), Value::ints(&tokens));
    case.observe(&name("calls of the model"), Value::calls(&calls));
    Ok(())
}
