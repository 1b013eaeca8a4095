//! What every stage of a sampler did to one distribution.

use super::draw::Kept;
use super::penalty::{self, History};
use super::pool::Pool;
use super::rules::{Negative, Rules, Zero};
use super::stage::Stage;

/// A sampler: stages in order, each on or off, and whose rules they follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The stages in the order in which they are applied.
    pub stages: Vec<(Stage, bool)>,
    /// Conventions.
    pub rules: Rules,
    /// Take the most probable token of what the penalties leave; the other stages are passed over, as
    /// `generate(do_sample=False)` does.
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
    /// The mass that the model's own distribution has on the kept set, Σ_K p.
    pub raw_mass: f64,
    /// Entropy of what is drawn from, in nats.
    pub entropy: f64,
}

impl Settings {
    /// The stages that take effect, in order.
    pub fn applied(&self) -> impl Iterator<Item = Stage> + '_ {
        let takes_effect = |(stage, on): &&(Stage, bool)| *on && (!self.greedy || stage.kind().is_penalty());
        self.stages.iter().filter(takes_effect).map(|(stage, _)| *stage)
    }

    /// Whether the parameters make sense, whatever the logits.
    pub fn check(&self) -> Result<(), Error> {
        trace(&[0.0], &History::default(), self, 0).map(drop)
    }
}

/// Runs the stages over one position's logits and says what each did. `tracked` candidates are followed by name.
pub fn trace(logits: &[f32], history: &History, settings: &Settings, tracked: usize) -> Result<Trace, Error> {
    check_logits(logits)?;
    let raw = Pool::new(logits.to_vec());
    let mut pools = vec![(None, raw.clone())];
    for stage in settings.applied() {
        let before = &pools[pools.len() - 1].1;
        pools.push((Some(stage), apply(before, &stage, history, &settings.rules)?));
    }
    let last = &pools[pools.len() - 1].1;
    let last = if settings.greedy { last.best() } else { last.clone() };
    let (divergence, raw_mass) = last.beside(&raw);
    Ok(Trace {
        stages: stages(&pools),
        rows: rows(logits, &pools, &last, tracked),
        kept: Kept::new(last.distribution()),
        divergence,
        raw_mass,
        entropy: last.summary().entropy,
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
    let mut others: Vec<u32> = last.leaders(tracked).into_iter().filter(|id| !ids.contains(id)).collect();
    let late = others.len();
    ids.append(&mut others);
    let (early, late_ranks) = (ids.len() - late, ranks(logits, &ids[ids.len() - late..]));
    let row = |(place, &id): (usize, &u32)| Row {
        id,
        logit: logits[id as usize],
        rank: if place < early { place } else { late_ranks[place - early] },
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

/// Ranks of several tokens in one pass.
fn ranks(logits: &[f32], ids: &[u32]) -> Vec<usize> {
    let key = |id: u32| (logits[id as usize], id);
    let before = |a: (f32, u32), b: (f32, u32)| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1);
    let mut sorted = ids.to_vec();
    sorted.sort_unstable_by(|&a, &b| logits[b as usize].total_cmp(&logits[a as usize]).then(a.cmp(&b)));
    let lowest = sorted.last().map_or(f32::INFINITY, |&id| logits[id as usize]);
    // How many tokens come before sorted[i] and not before sorted[i − 1].
    let mut counts = vec![0; sorted.len()];
    for (at, &l) in logits.iter().enumerate().filter(|(_, l)| **l >= lowest) {
        let place = sorted.partition_point(|&id| !before((l, at as u32), key(id)));
        counts.get_mut(place).into_iter().for_each(|count| *count += 1);
    }
    let mut sum = 0;
    counts.iter_mut().for_each(|count| {
        sum += *count;
        *count = sum;
    });
    ids.iter().map(|id| sorted.iter().position(|other| other == id).map_or(0, |place| counts[place])).collect()
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
            sound("the repetition penalty", penalty, penalty::repetition(pool, penalty, history, rules))?
        }
        Stage::Repetition { penalty } => {
            return Err(Error::Parameter { what: "the repetition penalty", value: penalty, must: "above 0" });
        }
        Stage::FrequencyPresence { frequency, presence } => {
            let broken = [frequency, presence].into_iter().find(|v| !v.is_finite());
            if let Some(value) = broken {
                return Err(Error::Parameter { what: "the penalty", value, must: "a finite number" });
            }
            let largest = if frequency.abs() > presence.abs() { frequency } else { presence };
            sound("the penalty", largest, penalty::frequency_presence(pool, frequency, presence, history, rules))?
        }
        Stage::Temperature(t) if !t.is_finite() => {
            return Err(Error::Parameter { what: "the temperature", value: t, must: "a finite number" });
        }
        Stage::Temperature(t) if t < 0.0 => match rules.negative_temperature {
            Negative::Inverts => pool.tempered(t),
            Negative::One => pool.best(),
            Negative::Refused => {
                return Err(Error::Parameter { what: "the temperature", value: t, must: "0 or a positive number" });
            }
        },
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

/// A penalty can be so large that no logit, or an infinite one, is left.
fn sound(what: &'static str, value: f64, pool: Pool) -> Result<Pool, Error> {
    match pool.summary().max {
        f32::NEG_INFINITY => Err(Error::Impossible),
        f32::INFINITY => Err(Error::Parameter { what, value, must: "such that logits stay finite" }),
        _ => Ok(pool),
    }
}
