//! Beam search. Witness: transformers' `generate(num_beams=…, length_penalty=0.0)`, token for token.

mod cases;
mod golden;
mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

use crate::judge::{self, Problem};
use std::process::ExitCode;

/// One forward pass, prompt, beam, max_new_tokens, EOS → hypotheses (prompt included) with their scores, best first.
pub type Attempt = fn(&mut dyn FnMut(&[Vec<u32>]) -> Vec<Vec<f64>>, &[u32], usize, usize, u32) -> Vec<(Vec<u32>, f64)>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("beam-search", reference::beam_search as Attempt);
    golden::compared(cases::all(ends(scores(problem))))
}

/// Mistakes in what is added up and ranked.
fn scores(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("probabilities-added", "the probabilities are added up and not their logarithms: a sum of probabilities grows with every token and says nothing about the sequence", mistakes::probabilities_added)
        .mistake("probabilities-multiplied", "the probabilities are multiplied: after some two hundred tokens the product underflows to 0 and all hypotheses tie; add the logarithms", mistakes::probabilities_multiplied)
        .mistake("logs-multiplied", "the log-probabilities are multiplied; the logarithm of a product is the sum of the logarithms", mistakes::logs_multiplied)
        .mistake("raw-logits", "the logits themselves are added up: without log-softmax the rows of two hypotheses cannot be compared", mistakes::raw_logits)
        .mistake("no-max", "exp is taken of the raw logits: without subtracting the maximum it overflows", mistakes::no_max)
        .mistake("only-last-step", "a candidate's score is its last log-probability; the score of its parent belongs to it", mistakes::only_last_step)
        .mistake("impossible-taken", "tokens of probability 0 fill the beam where there are not enough others", mistakes::impossible_taken)
        .mistake("keeps-worst", "the candidates are sorted upwards, so the least probable survive", mistakes::keeps_worst)
        .mistake("ties-last", "of equal scores the candidate that comes last wins; asked for is the better parent, then the smaller token", mistakes::ties_last)
        .mistake("each-keeps-its-best", "every hypothesis keeps its own best token; the candidates of all of them compete, and one parent may have several children and another none", mistakes::each_keeps_its_best)
        .mistake("beam-best-of-each", "only the `beam` best tokens of each hypothesis are looked at: where one of them is EOS, the hypothesis has one child too few for the next round; look at beam + 1", mistakes::beam_best_of_each)
        .mistake("starts-with-copies", "the search starts with `beam` copies of the prompt: they stay copies of each other, and the beam is as good as greedy", mistakes::starts_with_copies)
        .mistake("parents-mixed", "the new tokens are appended to the hypotheses as they lie and not to the parent of each candidate", mistakes::parents_mixed)
        .mistake("too-few-candidates", "taking `beam` candidates fails where there are fewer, as in the first step when the beam is wider than the vocabulary", mistakes::too_few_candidates)
        .mistake("greedy", "the best token alone is followed, whatever the beam", mistakes::greedy)
        .convention("length-normalised", "finished hypotheses are ranked by score / generated tokens, as transformers does by default (length_penalty 1); asked for is the sum itself (length_penalty 0)", mistakes::length_normalised)
}

/// Mistakes in how hypotheses finish and when the search stops.
fn ends(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("finished-expanded", "a hypothesis goes on behind its EOS", mistakes::finished_expanded)
        .mistake("finished-dropped", "a candidate that ends in EOS is thrown away; it belongs to the finished ones", mistakes::finished_dropped)
        .mistake("no-spare-candidates", "the next round gets what is left of the `beam` best candidates once the finished are taken out; it gets the `beam` best that are not finished", mistakes::no_spare_candidates)
        .mistake("eos-not-appended", "the EOS is not part of the finished hypothesis; it is a token that was generated and scored", mistakes::eos_not_appended)
        .mistake("eos-in-prompt-finishes", "a prompt that ends in EOS returns at once; only a generated EOS finishes", mistakes::eos_in_prompt_finishes)
        .mistake("stops-at-first-finished", "the search stops as soon as one hypothesis is finished, although a live one may still be better", mistakes::stops_at_first_finished)
        .mistake("stops-when-best-is-finished", "the search stops when no live hypothesis can beat the best finished one: enough for the best alone, but `beam` of them are asked for, so a live one must not be able to enter the pool", mistakes::stops_when_best_is_finished)
        .mistake("runs-on", "the search goes on to the last step although no live hypothesis can enter the pool any more: the same answer for more forward passes", mistakes::runs_on)
        .mistake("cut-off-dropped", "hypotheses without EOS are lost at the last step; there the `beam` best candidates all finish", mistakes::cut_off_dropped)
        .mistake("one-token-too-many", "one token more is generated than was asked for", mistakes::one_token_too_many)
        .mistake("prompt-counted", "the prompt's tokens are counted as new ones", mistakes::prompt_counted)
        .mistake("worst-first", "the result is in rising order; the best hypothesis comes first", mistakes::worst_first)
        .mistake("one-call-each", "each hypothesis has a forward pass of its own: the same answer, but the weights are read once for every hypothesis instead of once a step", mistakes::one_call_each)
        .mistake("finished-fed", "finished hypotheses are fed to the model as well: the same answer, and rows that nobody needs", mistakes::finished_fed)
        .convention("frozen-in-place", "a finished hypothesis keeps its place among the `beam`, with its score frozen, as textbooks do: every EOS makes the search narrower. Asked for is a pool beside the live ones", mistakes::frozen_in_place)
        .convention("places-lost", "every finished hypothesis makes the beam narrower by one for good, as early captioning code does; asked for is that `beam` of them stay alive", mistakes::places_lost)
        .convention("eos-of-any-rank", "an EOS finishes its hypothesis however low it ranks among the candidates, as in vLLM; asked for is that it is one of the `beam` best", mistakes::eos_of_any_rank)
        .convention("early-stopping", "the search stops as soon as `beam` hypotheses are finished, as transformers does with early_stopping=True; asked for is to go on while a live one scores better than the worst of them", mistakes::early_stopping)
}
