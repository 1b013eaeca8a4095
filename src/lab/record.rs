//! A run on paper: what was asked and what came of it, so that it can be read elsewhere and run again bit for bit.

use super::lanes::Lanes;
use super::recipe::Recipe;
use super::track::Step;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Raised when a field changes its meaning.
pub const FORMAT: u32 = 1;

/// The first line of a run as CSV.
const HEAD: &str = "lane,settings,step,token,text,forced,uniform,drawn,from,to,probability,raw_probability,raw_rank,\
                    raw_entropy,entropy,kept,kept_mass,divergence\n";

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    /// The model's name.
    pub model: String,
    /// The prompt as text.
    pub prompt: String,
    /// The prompt's tokens.
    pub prompt_ids: Vec<u32>,
    /// The seed of the uniforms.
    pub seed: u64,
    /// The lanes, left to right.
    pub lanes: Vec<LaneRecord>,
}

/// One lane's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneRecord {
    /// Its name.
    pub name: String,
    /// Its sampler as [`Recipe`] writes it; each step says where it was made by another.
    pub settings: String,
    /// Its steps.
    pub steps: Vec<StepRecord>,
    /// The generated text.
    pub text: String,
    /// Why the lane went no further, if it could not.
    pub ended: Option<String>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// From 0.
    pub step: usize,
    /// The token that goes on.
    pub token: u32,
    /// Its text alone (bytes that are no whole character show as U+FFFD).
    pub text: String,
    /// True: the reader put it there.
    pub forced: bool,
    /// The sampler that made the step, where it was not the one that the lane has now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// The uniform.
    pub uniform: f64,
    /// The drawn token.
    pub drawn: u32,
    /// Start of the drawn token's interval.
    pub from: f64,
    /// End of it.
    pub to: f64,
    /// The token's probability in the distribution that was drawn from.
    pub probability: f64,
    /// Its probability in the model's own distribution.
    pub raw_probability: f64,
    /// Its rank there, from 1.
    pub raw_rank: usize,
    /// The model's entropy in nats.
    pub raw_entropy: f64,
    /// Entropy of what is drawn from, in nats.
    pub entropy: f64,
    /// Candidates left.
    pub kept: usize,
    /// The model's mass on them, stage by stage multiplied.
    pub kept_mass: f64,
    /// KL from the model's distribution to what is drawn from, in nats.
    pub divergence: f64,
}

impl StepRecord {
    /// A step's line; `text` is the token's text, `lane` the lane's present sampler.
    fn new(at: usize, step: &Step, text: String, lane: &str) -> Self {
        let settings = Recipe::from(&*step.settings).to_string();
        let (token, standing) = (step.token(), step.standing());
        let logits = &step.logits;
        let log_sum = crate::sampling::numeric::summarize(logits).log_sum;
        Self {
            step: at,
            token,
            text,
            forced: step.forced.is_some(),
            settings: (settings != lane).then_some(settings),
            uniform: step.draw.uniform,
            drawn: step.draw.id,
            from: step.draw.from,
            to: step.draw.to,
            probability: step.trace.kept.probability(token),
            raw_probability: (f64::from(logits[token as usize]) - log_sum).exp(),
            raw_rank: crate::sampling::trace::rank(logits, token) + 1,
            raw_entropy: standing.raw_entropy,
            entropy: standing.entropy,
            kept: standing.kept,
            kept_mass: standing.kept_mass,
            divergence: standing.divergence,
        }
    }
}

impl Record {
    /// What the lanes show now. `decode` turns tokens into text.
    pub fn new(lanes: &Lanes, model: &str, prompt: &str, decode: &dyn Fn(&[u32]) -> String) -> Self {
        let lane = |lane: &super::Lane| {
            let settings = Recipe::from(lane.settings()).to_string();
            let step = |(at, step): (usize, &Arc<Step>)| StepRecord::new(at, step, decode(&[step.token()]), &settings);
            LaneRecord {
                name: lane.name.clone(),
                steps: lane.steps().iter().enumerate().map(step).collect(),
                text: decode(&lane.generated()),
                ended: lane.ended.clone(),
                settings,
            }
        };
        Self {
            format: FORMAT,
            model: model.to_owned(),
            prompt: prompt.to_owned(),
            prompt_ids: lanes.lanes().first().map(|lane| lane.prompt().to_vec()).unwrap_or_default(),
            seed: lanes.seed(),
            lanes: lanes.lanes().iter().map(lane).collect(),
        }
    }

    /// Reads a record; the error names what is wrong with the file.
    pub fn read(text: &str) -> Result<Self, String> {
        let record: Self =
            serde_json::from_str(text).map_err(|error| format!("this is no record of a lab run: {error}"))?;
        if record.format != FORMAT {
            return Err(format!("the record has format {}; this version reads format {FORMAT}", record.format));
        }
        if record.lanes.is_empty() {
            return Err("the record has no lanes".to_owned());
        }
        Ok(record)
    }

    /// The run as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The steps as CSV, one row a lane and step.
    pub fn to_csv(&self) -> String {
        let mut out = HEAD.to_owned();
        for lane in &self.lanes {
            for s in &lane.steps {
                let fields = [
                    quoted(&lane.name),
                    quoted(s.settings.as_ref().unwrap_or(&lane.settings)),
                    s.step.to_string(),
                    s.token.to_string(),
                    quoted(&s.text),
                    s.forced.to_string(),
                    s.uniform.to_string(),
                    s.drawn.to_string(),
                    s.from.to_string(),
                    s.to.to_string(),
                    s.probability.to_string(),
                    s.raw_probability.to_string(),
                    s.raw_rank.to_string(),
                    s.raw_entropy.to_string(),
                    s.entropy.to_string(),
                    s.kept.to_string(),
                    s.kept_mass.to_string(),
                    s.divergence.to_string(),
                ];
                out.push_str(&(fields.join(",") + "\n"));
            }
        }
        out
    }

    /// The first place where another run of the same lanes differs, in words; none: every number is the same.
    pub fn difference(&self, again: &Self) -> Option<String> {
        if self.lanes.len() != again.lanes.len() {
            return Some(format!("{} lanes where the record has {}", again.lanes.len(), self.lanes.len()));
        }
        self.lanes.iter().zip(&again.lanes).find_map(|(old, new)| {
            let steps = old.steps.iter().zip(&new.steps);
            let parted = steps.filter(|(old, new)| old != new).find_map(|(old, new)| old.difference(new));
            let length = || {
                (old.steps.len() != new.steps.len()).then(|| {
                    let why = new.ended.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
                    format!("{} steps{why} where the record has {}", new.steps.len(), old.steps.len())
                })
            };
            let end = || {
                (old.ended != new.ended).then(|| {
                    let said = |ended: &Option<String>| ended.clone().unwrap_or("nothing".to_owned());
                    format!("it ends with \"{}\" where the record has \"{}\"", said(&new.ended), said(&old.ended))
                })
            };
            let text = || (old.text != new.text).then(|| "another text under the same tokens".to_owned());
            let what = parted.or_else(length).or_else(end).or_else(text)?;
            Some(format!("lane {}: {what}", old.name))
        })
    }
}

impl StepRecord {
    fn difference(&self, again: &Self) -> Option<String> {
        let pairs = |s: &Self| {
            [
                ("token", format!("{} {:?}", s.token, s.text)),
                ("forced", s.forced.to_string()),
                ("settings", s.settings.clone().unwrap_or_default()),
                ("uniform", s.uniform.to_string()),
                ("drawn", s.drawn.to_string()),
                ("from", s.from.to_string()),
                ("to", s.to.to_string()),
                ("probability", s.probability.to_string()),
                ("raw probability", s.raw_probability.to_string()),
                ("raw rank", s.raw_rank.to_string()),
                ("raw entropy", s.raw_entropy.to_string()),
                ("entropy", s.entropy.to_string()),
                ("kept", s.kept.to_string()),
                ("kept mass", s.kept_mass.to_string()),
                ("divergence", s.divergence.to_string()),
            ]
        };
        let found = pairs(self).into_iter().zip(pairs(again)).find(|(old, new)| old != new);
        found.map(|((name, old), (_, new))| format!("step {}: {name} {new} where the record has {old}", self.step))
    }
}

/// Whether a text is a run that was exported, as JSON or as CSV.
pub fn is_export(text: &str) -> bool {
    text.starts_with(HEAD) || Record::read(text).is_ok()
}

/// Whether two JSON texts are the same but for blanks between their parts. Parsing a number may lose its last bit, so what
/// must be the same bit for bit is compared as it is written.
pub fn same_json(a: &str, b: &str) -> bool {
    let bare = |text: &str| {
        let (mut inside, mut escaped) = (false, false);
        let keep = |c: &char| {
            let kept = inside || !c.is_ascii_whitespace();
            (inside, escaped) = match c {
                '"' if !escaped => (!inside, false),
                '\\' => (inside, inside && !escaped),
                _ => (inside, false),
            };
            kept
        };
        text.chars().filter(keep).collect::<String>()
    };
    bare(a) == bare(b)
}

/// A text as a field of CSV.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
