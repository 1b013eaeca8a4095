//! The cases: small models out of tables, and what the search does with them.

use super::Attempt;
use crate::judge::{Case, Problem, Result, Tolerance, Value};
use candle_core::DType;

/// A language model whose logits depend on the last two tokens alone; where there is only one, token 0 stands before it.
#[derive(Clone)]
pub(super) struct Table {
    vocab: usize,
    /// (token before the last, last token, next token)
    logits: Vec<f64>,
}

impl Table {
    /// Out of V·V·V logits.
    pub(super) fn new(vocab: usize, logits: Vec<f64>) -> Self {
        Self { vocab, logits }
    }

    /// Normal logits of this spread, rounded so that they can be printed.
    fn random(case: &mut Case, vocab: usize, spread: f64) -> Self {
        let mut logit = || (case.normal() * spread * 100.0).round() / 100.0;
        Self::new(vocab, (0..vocab.pow(3)).map(|_| logit()).collect())
    }

    /// The row after these tokens.
    pub(super) fn logits(&self, prefix: &[u32]) -> Vec<f64> {
        let id = |back: usize| prefix.iter().rev().nth(back).map_or(0, |&id| id as usize % self.vocab);
        let start = (id(1) * self.vocab + id(0)) * self.vocab;
        self.logits[start..start + self.vocab].to_vec()
    }

    /// Changes the logit of `token` in every row.
    fn with(mut self, token: usize, change: impl Fn(f64) -> f64) -> Self {
        self.logits.iter_mut().skip(token).step_by(self.vocab).for_each(|logit| *logit = change(*logit));
        self
    }

    fn given(&self, case: &mut Case) {
        let rows: Vec<&[f64]> = self.logits.chunks(self.vocab).collect();
        let blocks: Vec<&[&[f64]]> = rows.chunks(self.vocab).collect();
        case.given("logits[token before the last, 0 if there is none][last token][next token]", blocks);
    }
}

/// How one search is asked for.
struct Asked<'a> {
    prompt: &'a [u32],
    beam: usize,
    max_new_tokens: usize,
    eos: u32,
}

fn asked(prompt: &[u32], beam: usize, max_new_tokens: usize, eos: u32) -> Asked<'_> {
    Asked { prompt, beam, max_new_tokens, eos }
}

/// Hypotheses as lines of ids.
pub(super) fn sequences<'a>(list: impl Iterator<Item = &'a Vec<u32>>) -> Value {
    let line = |tokens: &Vec<u32>| tokens.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    Value::text(&list.map(line).collect::<Vec<String>>())
}

/// Runs the search on `model`; observes hypotheses, scores and forward passes.
fn search(attempt: &Attempt, case: &mut Case, model: &dyn Fn(&[u32]) -> Vec<f64>, asked: &Asked) -> Result<()> {
    case.given("prompt", asked.prompt);
    case.given("beam", asked.beam);
    case.given("max_new_tokens", asked.max_new_tokens);
    case.given("eos", asked.eos);
    let mut calls = Vec::new();
    let mut logits = |prefixes: &[Vec<u32>]| {
        calls.push(call(prefixes));
        prefixes.iter().map(|prefix| model(prefix)).collect()
    };
    let found = attempt(&mut logits, asked.prompt, asked.beam, asked.max_new_tokens, asked.eos);
    case.observe("hypotheses", sequences(found.iter().map(|(tokens, _)| tokens)));
    let scores: Vec<f64> = found.iter().map(|(_, score)| *score).collect();
    let tolerance = Tolerance::relative(1e-9);
    case.observe("scores", Value::Tensor { dtype: DType::F64, shape: vec![scores.len()], data: scores, tolerance });
    case.observe("forward passes", Value::calls(&calls));
    Ok(())
}

/// "3 prefixes of 5 tokens".
fn call(prefixes: &[Vec<u32>]) -> String {
    let mut lengths: Vec<usize> = prefixes.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
    format!("{} prefixes of {} tokens", prefixes.len(), lengths.join(" or "))
}

fn on_table(attempt: &Attempt, case: &mut Case, table: &Table, asked: &Asked) -> Result<()> {
    table.given(case);
    search(attempt, case, &|prefix| table.logits(prefix), asked)
}

fn random(attempt: &Attempt, case: &mut Case, vocab: usize, spread: f64, asked: &Asked) -> Result<()> {
    let table = Table::random(case, vocab, spread);
    on_table(attempt, case, &table, asked)
}

/// Probabilities that are given for whole prefixes; equal ones after all others.
fn by_hand(attempt: &Attempt, case: &mut Case, rows: &[(&[u32], &[f64])], asked: &Asked) -> Result<()> {
    case.given("probabilities after each prefix (the logits are their logarithms; elsewhere all are equal)", rows);
    let vocab = rows[0].1.len();
    let row = |prefix: &[u32]| {
        let found = rows.iter().find(|(tokens, _)| *tokens == prefix);
        found.map_or(vec![0.0; vocab], |(_, p)| p.iter().map(|p| p.ln()).collect())
    };
    search(attempt, case, &row, asked)
}

/// The best first token leads to three equal ones, the second best to a sure one.
const GARDEN_PATH: &[(&[u32], &[f64])] =
    &[(&[0], &[0.55, 0.40, 0.049, 0.001]), (&[0, 0], &[0.3, 0.3, 0.3, 0.1]), (&[0, 1], &[0.01, 0.02, 0.95, 0.02])];

/// The most probable first token is the EOS, 0.
const EARLY_END: &[(&[u32], &[f64])] =
    &[(&[1], &[0.5, 0.3, 0.2]), (&[1, 1], &[0.5, 0.3, 0.2]), (&[1, 2], &[0.1, 0.1, 0.8])];

/// In the second step the EOS, 0, is fourth and fifth of the candidates.
const LOW_END: &[(&[u32], &[f64])] =
    &[(&[1], &[0.02, 0.5, 0.48]), (&[1, 1], &[0.2, 0.35, 0.45]), (&[1, 2], &[0.3, 0.6, 0.1])];

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    large(edges(tables(hand(problem))))
}

fn hand(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the best first token is not the best start", |attempt, case| {
            by_hand(attempt, case, GARDEN_PATH, &asked(&[0], 2, 2, 3))
        })
        .case("the same with a beam of one", |attempt, case| by_hand(attempt, case, GARDEN_PATH, &asked(&[0], 1, 2, 3)))
        .case("a finished one leaves its place to another", |attempt, case| {
            by_hand(attempt, case, EARLY_END, &asked(&[1], 2, 2, 0))
        })
        .case("an EOS that is not among the best", |attempt, case| {
            by_hand(attempt, case, LOW_END, &asked(&[1], 2, 4, 0))
        })
}

fn tables(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("three tokens, two beams", |attempt, case| random(attempt, case, 3, 1.0, &asked(&[1], 2, 4, 2)))
        .case("four tokens, three beams", |attempt, case| random(attempt, case, 4, 1.5, &asked(&[2, 0], 3, 6, 1)))
        .case("six tokens, four beams", |attempt, case| random(attempt, case, 6, 2.0, &asked(&[4, 1, 3], 4, 9, 5)))
        .case("a likely EOS", |attempt, case| {
            let table = Table::random(case, 5, 1.0).with(3, |logit| logit + 1.5);
            on_table(attempt, case, &table, &asked(&[0], 3, 12, 3))
        })
        .case("an unlikely EOS", |attempt, case| {
            let table = Table::random(case, 5, 1.2).with(0, |logit| logit - 1.5);
            on_table(attempt, case, &table, &asked(&[4, 4], 3, 8, 0))
        })
        .case("an impossible EOS", |attempt, case| {
            let table = Table::random(case, 4, 1.0).with(2, |_| f64::NEG_INFINITY);
            on_table(attempt, case, &table, &asked(&[1], 3, 5, 2))
        })
        .case("seven beams, eight tokens", |attempt, case| random(attempt, case, 8, 2.5, &asked(&[6], 7, 7, 2)))
        .case("wide enough to find everything", |attempt, case| random(attempt, case, 3, 1.0, &asked(&[0], 30, 3, 1)))
        .case("forty searches", |attempt, case| {
            case.given("models", "tables of 3 to 6 tokens; beams of 1 to 5; up to 9 new tokens");
            for round in 0..40 {
                let vocab = case.int(3..7) as usize;
                let (spread, favour) = (1.0 + case.uniform(), 2.0 * case.uniform() - 0.5);
                let eos = case.int(0..vocab as i64) as u32;
                let table = Table::random(case, vocab, spread).with(eos as usize, |logit| logit + favour);
                let prompt = [case.int(0..vocab as i64) as u32];
                let (beam, max) = (case.int(1..6) as usize, case.int(1..10) as usize);
                let mut logits = |prefixes: &[Vec<u32>]| prefixes.iter().map(|p| table.logits(p)).collect();
                let found = attempt(&mut logits, &prompt, beam, max, eos);
                let name = format!("hypotheses of search {round}: beam {beam}, {max} new tokens, EOS {eos}");
                case.observe(&name, sequences(found.iter().map(|(tokens, _)| tokens)));
            }
            Ok(())
        })
}

fn edges(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("more beams than tokens", |attempt, case| random(attempt, case, 3, 1.0, &asked(&[2], 5, 4, 0)))
        .case("a prompt that ends in EOS", |attempt, case| random(attempt, case, 4, 1.5, &asked(&[1, 3], 2, 5, 3)))
        .case("EOS inside the prompt", |attempt, case| random(attempt, case, 4, 1.5, &asked(&[3, 1, 3, 0], 3, 4, 3)))
        .case("one new token", |attempt, case| random(attempt, case, 5, 1.5, &asked(&[0, 2], 3, 1, 4)))
        .case("no new token", |attempt, case| random(attempt, case, 3, 1.0, &asked(&[0, 2], 3, 0, 1)))
        .case("a vocabulary of one, which is EOS", |attempt, case| random(attempt, case, 1, 1.0, &asked(&[0], 2, 3, 0)))
        .case("fewer possible tokens than beams", |attempt, case| {
            let impossible = |_: f64| f64::NEG_INFINITY;
            let table = Table::random(case, 5, 1.0).with(0, impossible).with(3, impossible).with(4, impossible);
            on_table(attempt, case, &table, &asked(&[1], 4, 3, 2))
        })
        .case("rows shifted by up to ten thousand", |attempt, case| {
            let mut table = Table::random(case, 4, 1.0);
            let shifts = [-1e4, 0.0, 1e4, 300.0, -40.0, 1e3];
            let rows = table.logits.chunks_mut(4);
            rows.zip(shifts.iter().cycle()).for_each(|(row, shift)| row.iter_mut().for_each(|logit| *logit += shift));
            on_table(attempt, case, &table, &asked(&[3], 3, 5, 0))
        })
        .case("all tokens equally probable", |attempt, case| {
            on_table(attempt, case, &Table::new(3, vec![0.5; 27]), &asked(&[0], 2, 3, 1))
        })
        .case("two tokens equally probable", |attempt, case| {
            let table = Table::new(4, [1.0, 2.0, 2.0, 0.0].repeat(16));
            on_table(attempt, case, &table, &asked(&[1], 3, 2, 3))
        })
}

fn large(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("220 new tokens", |attempt, case| {
            case.given(
                "model",
                "each row holds 97 logits near 0, by a hash of the last three tokens; EOS is impossible",
            );
            let rows = rows_of(case, 64, 97, 0.3, 0);
            search(attempt, case, &|prefix| rows[hash(prefix) % 64].clone(), &asked(&[5], 3, 220, 0))
        })
        .cost("8 beams, 5000 tokens, 12 steps", |attempt, case| {
            let rows = rows_of(case, 16, 5000, 2.0, 0);
            search(attempt, case, &|prefix| rows[hash(prefix) % 16].clone(), &asked(&[5], 8, 12, 0))
        })
}

/// Rows of random logits in which `impossible` is never drawn.
fn rows_of(case: &mut Case, count: usize, vocab: usize, spread: f64, impossible: usize) -> Vec<Vec<f64>> {
    let mut row = || {
        let mut row: Vec<f64> = (0..vocab).map(|_| case.normal() * spread).collect();
        row[impossible] = f64::NEG_INFINITY;
        row
    };
    (0..count).map(|_| row()).collect()
}

/// Of the last three tokens.
fn hash(prefix: &[u32]) -> usize {
    let last = prefix.iter().rev().take(3);
    last.fold(7u64, |hash, &id| (hash ^ u64::from(id)).wrapping_mul(0x0100_0000_01b3) >> 3) as usize
}
