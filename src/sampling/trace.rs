//! What every stage of a sampler did to one distribution.

use super::draw::Kept;
use super::penalty::{self, History};
use super::pool::Pool;
use super::rules::{Rules, Zero};
use super::stage::Stage;

/// A sampler: stages in order, each on or off, and whose rules they follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The stages in the order in which they are applied.
    pub stages: Vec<(Stage, bool)>,
    /// Conventions.
    pub rules: Rules,
    /// Take the most probable token of what the penalties leave, whatever the other stages say.
    pub greedy: bool,
}

/// Why a distribution cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // The texts say it.
pub enum Error {
    #[error("there are no logits")]
    Empty,
    #[error("logit {id} is NaN: the model's output is broken, and no sampler can mend it")]
    NotANumber { id: usize },
    #[error("logit {id} is +inf: the softmax of +inf is undefined")]
    Infinite { id: usize },
    #[error("every logit is −inf: no token is possible")]
    Impossible,
    #[error("{what} is {value}; it must be {must}")]
    Parameter { what: &'static str, value: f64, must: &'static str },
    #[error("{engine} refuses {what} = 0")]
    Refused { engine: &'static str, what: &'static str },
}

/// One stage's effect.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTrace {
    /// The stage; none for the model's own distribution.
    pub stage: Option<Stage>,
    /// Candidates left.
    pub kept: usize,
    /// Candidates removed by this stage.
    pub removed: usize,
    /// Mass that the kept candidates had before this stage (1 where nothing is removed).
    pub kept_mass: f64,
    /// Entropy of what is left, renormalised, in nats.
    pub entropy: f64,
    /// Probability of the most probable candidate, renormalised.
    pub largest: f64,
}

/// One candidate through the stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Token id.
    pub id: u32,
    /// The model's logit.
    pub logit: f32,
    /// Rank in the model's own distribution, from 0.
    pub rank: usize,
    /// Probability after each stage (the first is the model's own); none once it is removed.
    pub probabilities: Vec<Option<f64>>,
}

/// The whole way from logits to the distribution that is drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The model's own distribution, then every stage that is on, in order.
    pub stages: Vec<StageTrace>,
    /// The leading candidates, by rank, and the leading ones of what is drawn from.
    pub rows: Vec<Row>,
    /// What is drawn from.
    pub kept: Kept,
    /// KL(kept ‖ raw) in nats: how far the sampler moved away from the model. With K the kept set and p the model's
    /// probabilities it is Σ_K q·ln(q/p).
    pub divergence: f64,
}

/// Runs the stages over one position's logits and says what each did. `tracked` candidates are followed by name.
pub fn trace(logits: &[f32], history: &History, settings: &Settings, tracked: usize) -> Result<Trace, Error> {
    check_logits(logits)?;
    let raw = Pool::new(logits.to_vec());
    let mut pools = vec![(None, raw.clone())];
    for stage in settings.stages.iter().filter(|(_, on)| *on).map(|(stage, _)| *stage) {
        let before = &pools[pools.len() - 1].1;
        pools.push((Some(stage), apply(before, &stage, history, &settings.rules)?));
    }
    let last = &pools[pools.len() - 1].1;
    let last = if settings.greedy { last.best() } else { last.clone() };
    let kept = Kept::new(last.distribution());
    let divergence = kept.iter().map(|(id, q)| q * (q / raw.probability(id).unwrap_or(f64::NAN).max(1e-300)).ln());
    Ok(Trace {
        divergence: divergence.filter(|v| v.is_finite()).sum::<f64>().max(0.0),
        stages: stages(&pools),
        rows: rows(logits, &pools, &last, tracked),
        kept,
    })
}

fn stages(pools: &[(Option<Stage>, Pool)]) -> Vec<StageTrace> {
    let before = |at: usize| &pools[at.saturating_sub(1)].1;
    let line = |(at, (stage, pool)): (usize, &(Option<Stage>, Pool))| StageTrace {
        stage: *stage,
        kept: pool.len(),
        removed: before(at).len() - pool.len(),
        kept_mass: if before(at).len() == pool.len() { 1.0 } else { pool.mass_within(before(at)) },
        entropy: pool.summary().entropy,
        largest: (f64::from(pool.summary().max) - pool.summary().log_sum).exp(),
    };
    pools.iter().enumerate().map(line).collect()
}

fn rows(logits: &[f32], pools: &[(Option<Stage>, Pool)], last: &Pool, tracked: usize) -> Vec<Row> {
    let mut ids = pools[0].1.leaders(tracked);
    let mut late: Vec<u32> = last.leaders(tracked).into_iter().filter(|id| !ids.contains(id)).collect();
    ids.append(&mut late);
    let row = |(place, &id): (usize, &u32)| Row {
        id,
        logit: logits[id as usize],
        rank: if place < tracked { place } else { rank(logits, id) },
        probabilities: pools.iter().map(|(_, pool)| pool.probability(id)).collect(),
    };
    ids.iter().enumerate().map(row).collect()
}

/// Rank of a token among all logits, from 0; of equals the lower id comes first.
pub fn rank(logits: &[f32], id: u32) -> usize {
    let own = logits[id as usize];
    let before = |(at, &l): (usize, &f32)| l > own || (l == own && at < id as usize);
    logits.iter().enumerate().filter(|&pair| before(pair)).count()
}

fn check_logits(logits: &[f32]) -> Result<(), Error> {
    if logits.is_empty() {
        return Err(Error::Empty);
    }
    // One pass without branches decides; only a broken one is searched for its place.
    let (mut sound, mut possible) = (true, false);
    for &l in logits {
        sound &= l < f32::INFINITY;
        possible |= l > f32::NEG_INFINITY;
    }
    if !sound {
        let place = |test: fn(&f32) -> bool| logits.iter().position(test);
        return Err(match place(|l| l.is_nan()) {
            Some(id) => Error::NotANumber { id },
            None => Error::Infinite { id: place(|l| *l == f32::INFINITY).unwrap_or(0) },
        });
    }
    if possible { Ok(()) } else { Err(Error::Impossible) }
}

fn apply(pool: &Pool, stage: &Stage, history: &History, rules: &Rules) -> Result<Pool, Error> {
    let engine = rules.engine.name();
    let share = |what, value: f64| match value {
        v if (0.0..=1.0).contains(&v) => Ok(v),
        value => Err(Error::Parameter { what, value, must: "between 0 and 1" }),
    };
    Ok(match *stage {
        Stage::Repetition { penalty } if penalty > 0.0 && penalty.is_finite() => {
            penalty::repetition(pool, penalty, history, rules)
        }
        Stage::Repetition { penalty } => {
            return Err(Error::Parameter { what: "the repetition penalty", value: penalty, must: "above 0" });
        }
        Stage::FrequencyPresence { frequency, presence } => {
            let broken = [frequency, presence].into_iter().find(|v| !v.is_finite());
            if let Some(value) = broken {
                return Err(Error::Parameter { what: "the penalty", value, must: "a finite number" });
            }
            penalty::frequency_presence(pool, frequency, presence, history, rules)
        }
        Stage::Temperature(t) if t.is_nan() || t < 0.0 || t.is_infinite() => {
            return Err(Error::Parameter { what: "the temperature", value: t, must: "0 or a positive number" });
        }
        Stage::Temperature(t) if t == 0.0 && rules.temperature_zero == Zero::Refused => {
            return Err(Error::Refused { engine, what: "temperature" });
        }
        Stage::Temperature(t) if t == 0.0 || t < rules.greedy_below => pool.best(),
        Stage::Temperature(t) => pool.tempered(t.max(rules.least_temperature)),
        Stage::TopK(0) => match rules.top_k_zero {
            Zero::Off => pool.clone(),
            Zero::One => pool.best(),
            Zero::Refused => return Err(Error::Refused { engine, what: "top-k" }),
        },
        Stage::TopK(k) => pool.top_k(k, rules),
        Stage::TopP(0.0) => match rules.top_p_zero {
            Zero::Off => pool.clone(),
            Zero::One => pool.best(),
            Zero::Refused => return Err(Error::Refused { engine, what: "top-p" }),
        },
        Stage::TopP(p) => pool.top_p(share("top-p", p)?, rules),
        Stage::MinP(m) => pool.min_p(share("min-p", m)?, rules),
        Stage::Typical(p) => pool.typical(share("typical", p)?, rules),
    })
}
