//! Frequency and presence penalty. Witness: OpenAI's formula, once over matrices and once place by place in Python.

mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Case, Problem, Result, Value, golden};
use candle_core::Tensor;
use std::process::ExitCode;

/// logits (B, V) f32, ids of each row (B lists), how many of them are the prompt (B), α_f, α_p → (B, V) f32.
pub type Attempt = fn(&Tensor, &[Vec<u32>], &[usize], f64, f64) -> candle_core::Result<Tensor>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("freq-presence-penalty", reference::freq_presence_penalty as Attempt);
    cases(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/freq-presence-penalty.json")),
        |attempt, fixture| {
            for entry in fixture.entries("cases")? {
                let lists = entry["ids"].as_array().ok_or("golden fixture: no ids")?;
                let ids = lists.iter().map(list).collect::<Result<Vec<Vec<u32>>>>()?;
                let prompts: Vec<usize> =
                    golden::ints(&entry["prompt_lengths"])?.into_iter().map(|n| n as usize).collect();
                let number = |key: &str| entry[key].as_f64().ok_or("golden fixture: no penalty");
                let (frequency, presence) = (number("frequency")?, number("presence")?);
                let output = attempt(&golden::tensor(&entry["logits"])?, &ids, &prompts, frequency, presence)?;
                fixture.expect_tensor("output", &entry["output"], &output, 1e-6)?;
            }
            Ok(())
        },
    )
}

fn list(json: &serde_json::Value) -> Result<Vec<u32>> {
    Ok(golden::ints(json)?.into_iter().map(|id| id as u32).collect())
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("prompt-counted", "the prompt is counted too: a model that is asked about a text is then punished for its words; only what was generated counts", mistakes::prompt_counted)
        .mistake("prompt-only", "the prompt is counted and what was generated is not: the slice is the wrong half", mistakes::prompt_only)
        .mistake("starts-late", "the first generated token is not counted: the slice begins one place too late", mistakes::starts_late)
        .mistake("starts-early", "the last token of the prompt is counted: the slice begins one place too early", mistakes::starts_early)
        .mistake("newest-missed", "the newest token is not counted: the counts lag one step behind", mistakes::newest_missed)
        .mistake("newest-only", "only the newest token is penalised; it is everything that was generated", mistakes::newest_only)
        .mistake("one-prompt-length", "the first row's prompt length is used for the whole batch", mistakes::one_prompt_length)
        .mistake("batch-counts", "the counts run over the whole batch: a row is penalised for what another one said", mistakes::batch_counts)
        .mistake("presence-per-occurrence", "the presence penalty is paid for every occurrence; it is paid once, and then is not just more frequency penalty", mistakes::presence_per_occurrence)
        .mistake("presence-on-all", "the presence penalty is taken off every logit, whether its token occurred or not, which changes no probability at all", mistakes::presence_on_all)
        .mistake("presence-on-absent", "the presence penalty is taken off the tokens that did *not* occur", mistakes::presence_on_absent)
        .mistake("presence-from-second", "the presence penalty begins with the second occurrence (c > 1); one is enough (c > 0)", mistakes::presence_from_second)
        .mistake("presence-ignored", "the presence penalty changes nothing", mistakes::presence_ignored)
        .mistake("frequency-ignored", "the frequency penalty changes nothing", mistakes::frequency_ignored)
        .mistake("frequency-once", "the frequency penalty is paid once, however often the token occurred (a set, or a scatter that overwrites); it is times the count", mistakes::frequency_once)
        .mistake("frequency-of-repeats", "the frequency penalty is times c − 1, as if the first occurrence were free; it is times c", mistakes::frequency_of_repeats)
        .mistake("relative-frequency", "the count is divided by the number of generated tokens; the penalty is times the count itself", mistakes::relative_frequency)
        .mistake("swapped", "the two penalties are swapped", mistakes::swapped)
        .mistake("added", "the penalties are added to the logits: repetition is rewarded", mistakes::added)
        .mistake("after-softmax", "the penalties are taken off probabilities, which then are negative and no longer sum to 1; they belong on the logits", mistakes::after_softmax)
        .mistake("log-probabilities", "the logits are made into log-probabilities first: the same distribution, but what is asked for are logits from which only the penalties are taken", mistakes::log_probabilities)
        .mistake("mutates-input", "the penalised logits are written into the tensor that was handed in: whoever uses it next has them penalised", mistakes::mutates)
        .convention("last-64", "the last 64 tokens are counted, prompt included, as llama.cpp does by default; asked for is everything that was generated, and nothing else", mistakes::last_64)
}

fn cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("four tokens, by hand", |attempt, case| {
            let logits = case.tensor("logits", &[1., 2., 3., 4.], (1, 4))?;
            penalised(attempt, case, &logits, &[(&[0, 0], &[2, 2, 3])], 0.5, 0.3)
        })
        .case("negative penalties and negative logits", |attempt, case| {
            let logits = case.tensor("logits", &[-1., 0., 2., -4.], (1, 4))?;
            penalised(attempt, case, &logits, &[(&[], &[1, 1, 1, 3])], -0.25, 1.0)
        })
        .case("three rows that have said different things", |attempt, case| {
            let logits = case.randn_scaled("logits", (3, 7), 0.0, 2.0)?;
            let rows: [Row; 3] = [(&[6, 6, 1], &[0, 2, 2, 6]), (&[3], &[5]), (&[0, 4], &[1, 3, 1, 4, 3, 1, 0])];
            penalised(attempt, case, &logits, &rows, 0.7, 0.4)
        })
        .case("frequency alone", |attempt, case| {
            let logits = case.randn("logits", (2, 5))?;
            penalised(attempt, case, &logits, &[(&[4, 4], &[1, 0, 1, 1]), (&[1, 2, 3], &[3, 4])], 0.9, 0.0)
        })
        .case("presence alone", |attempt, case| {
            let logits = case.randn("logits", (2, 5))?;
            penalised(attempt, case, &logits, &[(&[4, 4], &[1, 0, 1, 1]), (&[1, 2, 3], &[3, 4])], 0.0, 1.2)
        })
        .case("no penalties", |attempt, case| {
            let logits = case.randn("logits", (1, 6))?;
            penalised(attempt, case, &logits, &[(&[1], &[0, 5, 5])], 0.0, 0.0)
        })
        .case("nothing generated yet", |attempt, case| {
            let logits = case.randn("logits", (3, 4))?;
            penalised(attempt, case, &logits, &[(&[0, 3, 3], &[]), (&[], &[]), (&[1], &[2, 1])], 0.6, 0.5)
        })
        .case("impossible tokens and logits of ten thousand", |attempt, case| {
            let low = f32::NEG_INFINITY;
            let logits = case.tensor("logits", &[low, 1e4, -1e4, low, 0., 1e4], (1, 6))?;
            penalised(attempt, case, &logits, &[(&[5], &[0, 1, 2, 2, 4, 0])], 2.0, -2.0)
        })
        .case("one token three hundred times", |attempt, case| {
            let logits = case.tensor("logits", &[0.5, -2., 4.], (1, 3))?;
            penalised(attempt, case, &logits, &[(&[0], &[2; 300])], 0.01, 0.25)
        })
        .case("a vocabulary of one", |attempt, case| {
            let logits = case.tensor("logits", &[-2.5, 2.5], (2, 1))?;
            penalised(attempt, case, &logits, &[(&[0, 0], &[0]), (&[0], &[0, 0, 0])], 0.5, 0.125)
        })
        .case("two hundred generated tokens", |attempt, case| {
            let logits = case.randn_scaled("logits", (2, 31), -1.0, 3.0)?;
            let lists = [20, 200, 5, 80].map(|length| random_ids(case, length, 31));
            penalised(attempt, case, &logits, &[(&lists[0], &lists[1]), (&lists[2], &lists[3])], 0.1, 0.6)
        })
        .case("a transposed view", |attempt, case| {
            let logits = case.randn("logits, before t()", (5, 2))?.t()?;
            penalised(attempt, case, &logits, &[(&[0], &[2, 4, 2]), (&[3, 3], &[1])], 0.4, 0.2)
        })
        .case("inputs stay as they were", |attempt, case| {
            let logits = case.randn("logits", (2, 7))?;
            let before = logits.to_vec2::<f32>()?;
            penalised(attempt, case, &logits, &[(&[5, 2], &[3, 1, 6]), (&[0], &[2, 2])], 0.8, 0.1)?;
            case.observe("logits untouched", Value::Flag(logits.to_vec2::<f32>()? == before));
            Ok(())
        })
        .gpu_case("16 rows of 128256, up to 4096 tokens", |attempt, case| large(attempt, case, 16, 128_256, 4096))
        .cost("2 rows of 50257, up to 4096 tokens", |attempt, case| large(attempt, case, 2, 50_257, 4096))
}

/// Prompt, and what was generated after it.
type Row<'a> = (&'a [u32], &'a [u32]);

fn penalised(
    attempt: &Attempt,
    case: &mut Case,
    logits: &Tensor,
    rows: &[Row],
    frequency: f64,
    presence: f64,
) -> Result<()> {
    let ids: Vec<Vec<u32>> =
        case.given("ids", rows.iter().map(|(prompt, generated)| [*prompt, *generated].concat()).collect());
    let prompts: Vec<usize> = case.given("prompt_lengths", rows.iter().map(|(prompt, _)| prompt.len()).collect());
    let (frequency, presence) = (case.given("frequency", frequency), case.given("presence", presence));
    case.observe_tensor("output", &attempt(logits, &ids, &prompts, frequency, presence)?)
}

fn large(attempt: &Attempt, case: &mut Case, b: usize, v: usize, longest: usize) -> Result<()> {
    let logits = case.randn_scaled("logits", (b, v), 0.0, 3.0)?;
    let ids: Vec<Vec<u32>> = (1..=b).map(|row| random_ids(case, longest * row / b, v)).collect();
    let prompts: Vec<usize> = ids.iter().map(|ids| ids.len() / 3).collect();
    case.given("ids", "as many for each row, up to the longest in the last one; a third of them is the prompt");
    case.observe_tensor("output", &attempt(&logits, &ids, &prompts, 0.3, 0.6)?)
}

fn random_ids(case: &mut Case, length: usize, v: usize) -> Vec<u32> {
    (0..length).map(|_| case.int(0..v as i64) as u32).collect()
}
