//! What goes wrong at speed in beam search: one search, with a switch for each mistake.

use std::cmp::Ordering;

type Logits<'a> = &'a mut dyn FnMut(&[Vec<u32>]) -> Vec<Vec<f64>>;
type Hypothesis = (Vec<u32>, f64);

#[derive(Clone, Copy, PartialEq)]
pub enum Flaw {
    /// Another formulation of the right answer, for the tests.
    #[cfg(test)]
    Flawless,
    ProbabilitiesAdded,
    ProbabilitiesMultiplied,
    LogsMultiplied,
    RawLogits,
    NoMax,
    OnlyLastStep,
    ImpossibleTaken,
    KeepsWorst,
    TiesLast,
    EachKeepsItsBest,
    BeamBestOfEach,
    StartsWithCopies,
    ParentsMixed,
    TooFewCandidates,
    Greedy,
    FinishedExpanded,
    FinishedDropped,
    NoSpareCandidates,
    EosOfAnyRank,
    EosNotAppended,
    EosInPromptFinishes,
    StopsAtFirstFinished,
    StopsWhenBestIsFinished,
    EarlyStopping,
    RunsOn,
    CutOffDropped,
    OneTokenTooMany,
    PromptCounted,
    WorstFirst,
    LengthNormalised,
    OneCallEach,
    FinishedFed,
}

use Flaw::*;

struct Candidate {
    parent: usize,
    token: u32,
    score: f64,
}

impl Flaw {
    /// The score of a hypothesis without tokens.
    fn empty(self) -> f64 {
        if matches!(self, ProbabilitiesMultiplied | LogsMultiplied) { 1.0 } else { 0.0 }
    }

    fn score(self, parent: f64, log_p: f64, logit: f64) -> f64 {
        match self {
            ProbabilitiesAdded => parent + log_p.exp(),
            ProbabilitiesMultiplied => parent * log_p.exp(),
            LogsMultiplied => parent * log_p,
            RawLogits => parent + logit,
            OnlyLastStep => log_p,
            _ => parent + log_p,
        }
    }

    /// What finished hypotheses are ranked by, after `steps` generated tokens.
    fn rank(self, score: f64, steps: usize) -> f64 {
        if self == LengthNormalised { score / steps as f64 } else { score }
    }

    /// How many of each hypothesis' own candidates are looked at.
    fn of_each(self, live: usize, beam: usize) -> usize {
        match self {
            EachKeepsItsBest if live > 1 => 1,
            BeamBestOfEach => beam,
            EosOfAnyRank => 2 * beam,
            _ => usize::MAX,
        }
    }

    fn order(self, a: &Candidate, b: &Candidate) -> Ordering {
        let place = (a.parent, a.token).cmp(&(b.parent, b.token));
        match self {
            KeepsWorst => a.score.total_cmp(&b.score).then(place),
            TiesLast => b.score.total_cmp(&a.score).then(place.reverse()),
            _ => b.score.total_cmp(&a.score).then(place),
        }
    }

    fn candidates(self, live: &[Hypothesis], logits: &[Vec<f64>], beam: usize) -> Vec<Candidate> {
        let mut all: Vec<Candidate> = Vec::new();
        for (parent, row) in logits.iter().enumerate() {
            let log_p = log_softmax(row, self);
            let possible = |id: &usize| self == ImpossibleTaken || log_p[*id] > f64::NEG_INFINITY;
            let score = |id: usize| self.score(live[parent].1, log_p[id], row[id]);
            let ids = (0..row.len()).filter(possible);
            let mut own: Vec<Candidate> =
                ids.map(|id| Candidate { parent, token: id as u32, score: score(id) }).collect();
            own.sort_by(|a, b| self.order(a, b));
            own.truncate(self.of_each(live.len(), beam));
            all.extend(own);
        }
        all.sort_by(|a, b| self.order(a, b));
        all
    }

    fn call(self, logits: Logits, live: &[Hypothesis], finished: &[Hypothesis]) -> Vec<Vec<f64>> {
        let prefixes = |list: &[Hypothesis]| list.iter().map(|(tokens, _)| tokens.clone()).collect::<Vec<_>>();
        match self {
            OneCallEach => prefixes(live).into_iter().flat_map(|prefix| logits(&[prefix])).collect(),
            FinishedFed => {
                let mut rows = logits(&[prefixes(live), prefixes(finished)].concat());
                rows.truncate(live.len());
                rows
            }
            _ => logits(&prefixes(live)),
        }
    }

    fn stops(self, live: &[Hypothesis], finished: &[Hypothesis], beam: usize, steps: usize) -> bool {
        let Some(best) = live.first().map(|(_, score)| self.rank(*score, steps)) else { return true };
        let at_least_best = |place: usize| finished.get(place).is_some_and(|(_, score)| best <= *score);
        match self {
            RunsOn => false,
            StopsAtFirstFinished => !finished.is_empty(),
            EarlyStopping => finished.len() == beam,
            StopsWhenBestIsFinished => at_least_best(0),
            _ => at_least_best(beam - 1),
        }
    }
}

fn log_softmax(logits: &[f64], flaw: Flaw) -> Vec<f64> {
    let max = if flaw == NoMax { 0.0 } else { logits.iter().copied().fold(f64::NEG_INFINITY, f64::max) };
    let log_sum = logits.iter().map(|l| (l - max).exp()).sum::<f64>().ln();
    logits.iter().map(|l| l - max - log_sum).collect()
}

fn best_first(list: &mut [Hypothesis]) {
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
}

pub fn run(flaw: Flaw, logits: Logits, prompt: &[u32], beam: usize, max: usize, eos: u32) -> Vec<Hypothesis> {
    let beam = if flaw == Greedy { 1 } else { beam };
    let max = match flaw {
        OneTokenTooMany => max + 1,
        PromptCounted => max.saturating_sub(prompt.len()),
        _ => max,
    };
    if max == 0 || (flaw == EosInPromptFinishes && prompt.last() == Some(&eos)) {
        return vec![(prompt.to_vec(), 0.0)];
    }
    let mut live = vec![(prompt.to_vec(), flaw.empty()); if flaw == StartsWithCopies { beam } else { 1 }];
    let mut finished: Vec<Hypothesis> = Vec::new();
    for step in 1..=max {
        let rows = flaw.call(logits, &live, &finished);
        let ranked = flaw.candidates(&live, &rows, beam);
        let is_eos = |c: &Candidate| c.token == eos && flaw != FinishedExpanded;
        let extend = |rank: usize, c: &Candidate| {
            let parent = if flaw == ParentsMixed { rank % live.len() } else { c.parent };
            let token = (flaw != EosNotAppended || c.token != eos).then_some(c.token);
            (live[parent].0.iter().copied().chain(token).collect::<Vec<u32>>(), c.score)
        };
        let cut_off = step == max && flaw != CutOffDropped;
        let first = if flaw == TooFewCandidates { &ranked[..beam] } else { &ranked[..beam.min(ranked.len())] };
        for (rank, c) in ranked.iter().enumerate() {
            let counts = rank < first.len() || (flaw == EosOfAnyRank && is_eos(c));
            if counts && (cut_off || is_eos(c)) && !(flaw == FinishedDropped && is_eos(c)) {
                let (tokens, score) = extend(rank, c);
                finished.push((tokens, flaw.rank(score, step)));
            }
        }
        best_first(&mut finished);
        finished.truncate(beam);
        let pool = if flaw == NoSpareCandidates { first } else { &ranked[..] };
        let go_on = pool.iter().filter(|c| !is_eos(c)).take(beam).enumerate();
        live = go_on.map(|(rank, c)| extend(rank, c)).collect();
        if flaw.stops(&live, &finished, beam, step) {
            break;
        }
    }
    if flaw == WorstFirst {
        finished.reverse();
    }
    if flaw == ProbabilitiesMultiplied {
        finished.iter_mut().for_each(|(_, product)| *product = product.ln());
    }
    finished
}

/// The textbook's search: a finished hypothesis keeps its place among the `beam`, with its score frozen.
pub fn frozen_in_place(logits: Logits, prompt: &[u32], beam: usize, max: usize, eos: u32) -> Vec<Hypothesis> {
    let mut beams: Vec<(Hypothesis, bool)> = vec![((prompt.to_vec(), 0.0), false)];
    for _ in 0..max {
        let live: Vec<Hypothesis> = beams.iter().filter(|(_, done)| !done).map(|(h, _)| h.clone()).collect();
        if live.is_empty() {
            break;
        }
        let rows = OnlyLastStep.call(logits, &live, &[]);
        let grown = RunsOn.candidates(&live, &rows, beam).into_iter().map(|c| {
            let tokens = [&live[c.parent].0[..], &[c.token]].concat();
            ((tokens, c.score), c.token == eos)
        });
        let done: Vec<(Hypothesis, bool)> = beams.iter().filter(|(_, done)| *done).cloned().collect();
        beams = done.into_iter().chain(grown).collect();
        beams.sort_by(|a, b| b.0.1.total_cmp(&a.0.1));
        beams.truncate(beam);
    }
    beams.into_iter().map(|(hypothesis, _)| hypothesis).collect()
}

/// Every finished hypothesis makes the beam narrower by one for good.
pub fn places_lost(logits: Logits, prompt: &[u32], beam: usize, max: usize, eos: u32) -> Vec<Hypothesis> {
    let (mut live, mut finished) = (vec![(prompt.to_vec(), 0.0)], Vec::new());
    for _ in 0..max {
        let rows = RunsOn.call(logits, &live, &[]);
        let mut ranked = RunsOn.candidates(&live, &rows, beam);
        ranked.truncate(beam - finished.len());
        let grown: Vec<(Hypothesis, bool)> =
            ranked.iter().map(|c| (([&live[c.parent].0[..], &[c.token]].concat(), c.score), c.token == eos)).collect();
        finished.extend(grown.iter().filter(|(_, done)| *done).map(|(h, _)| h.clone()));
        live = grown.into_iter().filter(|(_, done)| !done).map(|(h, _)| h).collect();
        if live.is_empty() {
            break;
        }
    }
    finished.extend(live);
    best_first(&mut finished);
    finished
}

macro_rules! flaws {
    ($($name:ident: $flaw:ident)+) => {
        $(pub fn $name(logits: Logits, prompt: &[u32], beam: usize, max: usize, eos: u32) -> Vec<Hypothesis> {
            run(Flaw::$flaw, logits, prompt, beam, max, eos)
        })+
    };
}

flaws! {
    probabilities_added: ProbabilitiesAdded
    probabilities_multiplied: ProbabilitiesMultiplied
    logs_multiplied: LogsMultiplied
    raw_logits: RawLogits
    no_max: NoMax
    only_last_step: OnlyLastStep
    impossible_taken: ImpossibleTaken
    keeps_worst: KeepsWorst
    ties_last: TiesLast
    each_keeps_its_best: EachKeepsItsBest
    beam_best_of_each: BeamBestOfEach
    starts_with_copies: StartsWithCopies
    parents_mixed: ParentsMixed
    too_few_candidates: TooFewCandidates
    greedy: Greedy
    finished_expanded: FinishedExpanded
    finished_dropped: FinishedDropped
    no_spare_candidates: NoSpareCandidates
    eos_of_any_rank: EosOfAnyRank
    eos_not_appended: EosNotAppended
    eos_in_prompt_finishes: EosInPromptFinishes
    stops_at_first_finished: StopsAtFirstFinished
    stops_when_best_is_finished: StopsWhenBestIsFinished
    early_stopping: EarlyStopping
    runs_on: RunsOn
    cut_off_dropped: CutOffDropped
    one_token_too_many: OneTokenTooMany
    prompt_counted: PromptCounted
    worst_first: WorstFirst
    length_normalised: LengthNormalised
    one_call_each: OneCallEach
    finished_fed: FinishedFed
}
