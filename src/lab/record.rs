//! A run on paper: what was asked and what came of it, so that it can be read elsewhere and run again bit for bit.

use super::lanes::Lanes;
use super::recipe::Recipe;
use super::track::Step;
use serde::{Deserialize, Serialize};

/// Raised when a field changes its meaning.
pub const FORMAT: u32 = 1;

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
    /// Its sampler as [`Recipe`] writes it.
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
    /// A step's line; `text` is the token's text.
    pub fn new(at: usize, step: &Step, text: String) -> Self {
        let (token, standing) = (step.token(), step.standing());
        let logits = &step.logits;
        let log_sum = crate::sampling::numeric::summarize(logits).log_sum;
        Self {
            step: at,
            token,
            text,
            forced: step.forced.is_some(),
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
    /// What the lanes show now. `decode` turns tokens into text; `ended` says for each lane why it went no further.
    pub fn new(
        lanes: &Lanes,
        model: &str,
        prompt: &str,
        ended: &[Option<String>],
        decode: &dyn Fn(&[u32]) -> String,
    ) -> Self {
        let lane = |(at, lane): (usize, &super::Lane)| LaneRecord {
            name: lane.name.clone(),
            settings: Recipe::from(lane.settings()).to_string(),
            steps: (lane.steps().iter().enumerate())
                .map(|(at, step)| StepRecord::new(at, step, decode(&[step.token()])))
                .collect(),
            text: decode(&lane.generated()),
            ended: ended.get(at).cloned().flatten(),
        };
        Self {
            format: FORMAT,
            model: model.to_owned(),
            prompt: prompt.to_owned(),
            prompt_ids: lanes.lanes().first().map(|lane| lane.prompt().to_vec()).unwrap_or_default(),
            seed: lanes.seed(),
            lanes: lanes.lanes().iter().enumerate().map(lane).collect(),
        }
    }

    /// Reads a record; the error names what is wrong with the file.
    pub fn read(text: &str) -> Result<Self, String> {
        let record: Self =
            serde_json::from_str(text).map_err(|error| format!("this is no record of a lab run: {error}"))?;
        if record.format != FORMAT {
            return Err(format!("the record has format {}; this version reads format {FORMAT}", record.format));
        }
        Ok(record)
    }

    /// The run as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The steps as CSV, one row a lane and step.
    pub fn to_csv(&self) -> String {
        let head = "lane,settings,step,token,text,forced,uniform,drawn,from,to,probability,raw_probability,raw_rank,\
                    raw_entropy,entropy,kept,kept_mass,divergence\n";
        let mut out = head.to_owned();
        for lane in &self.lanes {
            for s in &lane.steps {
                let fields = [
                    quoted(&lane.name),
                    quoted(&lane.settings),
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

    /// The first place where two runs differ, in words; none: they are the same, bit for bit.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.lanes.len() != other.lanes.len() {
            return Some(format!("{} lanes beside {}", self.lanes.len(), other.lanes.len()));
        }
        for (a, b) in self.lanes.iter().zip(&other.lanes) {
            if a.steps.len() != b.steps.len() {
                return Some(format!("lane {}: {} steps beside {}", a.name, a.steps.len(), b.steps.len()));
            }
            if let Some((x, y)) = a.steps.iter().zip(&b.steps).find(|(x, y)| x != y) {
                return Some(format!("lane {}, step {}: {x:?} beside {y:?}", a.name, x.step));
            }
        }
        None
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
