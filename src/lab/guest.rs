//! Somebody else's sampler in a lane: the reader's own, beside the reference.

use super::track::{Guest, Part, Step, Theirs};
use crate::sampling::{Engine, History, Settings, Stage, trace};

/// Draws one token from logits (V) under temperature, top-k (0: all), top-p and a uniform. Fails with a sentence.
pub trait Sampler: Send {
    /// The token's id.
    fn sample(&mut self, logits: &[f32], asked: Guest, uniform: f64) -> Result<u32, String>;
}

/// Uniforms at which a stage is tried.
const TRIES: usize = 16;

impl Guest {
    /// The reference's settings up to a stage: nothing, temperature, then top-k, then top-p.
    fn settings(self, stages: usize) -> Settings {
        let all = [Stage::Temperature(self.temperature), Stage::TopK(self.top_k), Stage::TopP(self.top_p)];
        let greedy = self.temperature == 0.0 && stages > 0;
        let stages = all.into_iter().take(stages).map(|stage| (stage, true)).collect();
        Settings { stages, rules: Engine::Transformers.rules(), greedy }
    }

    /// The same with the stages beyond the first so many switched off.
    fn upto(self, stages: usize) -> Self {
        Self {
            temperature: if stages > 0 { self.temperature } else { 1.0 },
            top_k: if stages > 1 { self.top_k } else { 0 },
            top_p: if stages > 2 { self.top_p } else { 1.0 },
        }
    }
}

/// What a guest must be asked for to do as these settings say. Fails where they are more than it can be asked for.
pub fn asked(settings: &Settings) -> Result<Guest, String> {
    let mut asked = Guest { temperature: 1.0, top_k: 0, top_p: 1.0 };
    let stages: Vec<Stage> = settings.stages.iter().filter(|(_, on)| *on).map(|(stage, _)| *stage).collect();
    let mut arranged = stages.clone();
    Engine::Transformers.rules().arrange(&mut arranged);
    for stage in &stages {
        match *stage {
            Stage::Temperature(t) => asked.temperature = t,
            Stage::TopK(k) => asked.top_k = k,
            Stage::TopP(p) => asked.top_p = p,
            other => return Err(format!("a sampler of one's own is not asked for \"{other}\": {KNOWN}")),
        }
    }
    if stages != arranged || settings.rules.engine != Engine::Transformers {
        return Err(format!("a sampler of one's own has an order and rules of its own: {KNOWN}"));
    }
    if settings.greedy {
        asked.temperature = 0.0;
    }
    Ok(asked)
}

const KNOWN: &str = "it knows temperature, top-k and top-p, in this order, as transformers has them";

impl Step {
    /// Whether a guest drew what the reference did.
    pub(super) fn agrees(&self) -> bool {
        matches!(self.theirs, Some(Theirs::Token(token, _)) if token == self.draw.id)
    }
}

/// What the guest draws at a step, and, where that is another token than the reference's for the `first` time, the first
/// stage at which the two part: both are asked with the stages switched on one after another.
pub(super) fn beside(guest: &mut dyn Sampler, asked: Guest, step: &Step, first: bool) -> Theirs {
    match guest.sample(&step.logits, asked, step.draw.uniform) {
        Ok(token) if token as usize >= step.logits.len() => {
            Theirs::Nothing(format!("it drew token {token}, which is none"))
        }
        Ok(token) if token == step.draw.id || !first => Theirs::Token(token, None),
        Ok(token) => Theirs::Token(token, Some(part(guest, asked, step))),
        Err(reason) => Theirs::Nothing(reason),
    }
}

fn part(guest: &mut dyn Sampler, asked: Guest, step: &Step) -> Part {
    for (stages, part) in [Part::Draw, Part::Temperature, Part::TopK, Part::TopP].into_iter().enumerate() {
        let Ok(reference) = trace(&step.logits, &History::default(), &asked.settings(stages), 0) else { break };
        let own = std::iter::once(step.draw.uniform);
        let mut tries = own.chain((0..TRIES).map(|n| (n as f64 + 0.5) / TRIES as f64));
        let agree = |u: f64| match guest.sample(&step.logits, asked.upto(stages), u) {
            Ok(token) => token == reference.kept.draw(u).id,
            Err(_) => false,
        };
        if !tries.all(agree) {
            return part;
        }
    }
    Part::Together
}
