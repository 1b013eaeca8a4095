//! Beam search with a pool for finished hypotheses, as transformers' `generate(num_beams=…, length_penalty=0.0)`.

/// The prompt with what was generated, and the sum of the log-probabilities of what was generated.
type Hypothesis = (Vec<u32>, f64);

/// One token after one of the live hypotheses.
struct Candidate {
    parent: usize,
    token: u32,
    score: f64,
}

/// Up to `beam` hypotheses, best first. `logits` gives a row of V for each prefix.
pub fn beam_search(
    logits: &mut dyn FnMut(&[Vec<u32>]) -> Vec<Vec<f64>>,
    prompt: &[u32],
    beam: usize,
    max_new_tokens: usize,
    eos: u32,
) -> Vec<(Vec<u32>, f64)> {
    let mut live: Vec<Hypothesis> = vec![(prompt.to_vec(), 0.0)];
    if max_new_tokens == 0 {
        return live;
    }
    let mut finished: Vec<Hypothesis> = Vec::new();
    for step in 1..=max_new_tokens {
        let prefixes: Vec<Vec<u32>> = live.iter().map(|(tokens, _)| tokens.clone()).collect();
        // Each live hypothesis has one EOS candidate, so 2·beam leave at least `beam` that go on.
        let ranked = best_candidates(&live, &logits(&prefixes), 2 * beam);
        let extend = |c: &Candidate| ([&live[c.parent].0[..], &[c.token]].concat(), c.score);
        let ends = |c: &&Candidate| c.token == eos || step == max_new_tokens;

        finished.extend(ranked.iter().take(beam).filter(ends).map(extend));
        finished.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable: of equals the one that finished earlier
        finished.truncate(beam);

        live = ranked.iter().filter(|c| c.token != eos).take(beam).map(extend).collect();
        // A sum of log-probabilities only falls, so what is not better now will never be.
        let worst = finished.get(beam - 1).map_or(f64::NEG_INFINITY, |(_, score)| *score);
        if live.first().is_none_or(|(_, best)| *best <= worst) {
            break;
        }
    }
    finished
}

/// The `count` best, best first; of equals the one with the better parent, then with the smaller token.
fn best_candidates(live: &[Hypothesis], logits: &[Vec<f64>], count: usize) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for (parent, row) in logits.iter().enumerate() {
        let log_probabilities = log_softmax(row);
        let possible = log_probabilities.enumerate().filter(|(_, log_p)| *log_p > f64::NEG_INFINITY);
        all.extend(possible.map(|(id, log_p)| Candidate { parent, token: id as u32, score: live[parent].1 + log_p }));
    }
    let order =
        |a: &Candidate, b: &Candidate| b.score.total_cmp(&a.score).then((a.parent, a.token).cmp(&(b.parent, b.token)));
    if all.len() > count {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all
}

/// log pᵢ = lᵢ − max − log Σ exp(l − max).
fn log_softmax(logits: &[f64]) -> impl Iterator<Item = f64> {
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log_sum = logits.iter().map(|l| (l - max).exp()).sum::<f64>().ln();
    logits.iter().map(move |l| l - max - log_sum)
}
