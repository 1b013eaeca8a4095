//! A lane's sampler in one line: `temperature=0.8,top-k=40,top-p=0.95,rules=vllm`. Read, written, kept in exports.

use crate::sampling::{Engine, Settings, Stage};
use std::fmt;
use std::str::FromStr;

/// A sampler that can be written down. Stages keep the order in which they are written; `rules=` alone puts them into the
/// engine's own order when they are read with [`Recipe::arranged`].
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Whose conventions.
    pub engine: Engine,
    /// The stages in order.
    pub stages: Vec<(Stage, bool)>,
    /// Take the most probable token.
    pub greedy: bool,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { engine: Engine::Transformers, stages: Vec::new(), greedy: false }
    }
}

const KEYS: &str =
    "temperature, top-k, top-p, min-p, typical, repetition, frequency, presence, rules, or the word greedy";

impl FromStr for Recipe {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut recipe = Self::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (item, on) = item.strip_prefix('!').map_or((item, true), |rest| (rest, false));
            if item == "greedy" {
                recipe.greedy = true;
                continue;
            }
            let (key, value) = item.split_once('=').ok_or(format!("\"{item}\" is not key=value; keys are {KEYS}"))?;
            recipe.take(key.trim(), value.trim(), on)?;
        }
        Ok(recipe)
    }
}

impl Recipe {
    fn take(&mut self, key: &str, value: &str, on: bool) -> Result<(), String> {
        let number = || value.parse::<f64>().map_err(|_| format!("{key}={value}: \"{value}\" is not a number"));
        let stage = match key {
            "temperature" | "temp" | "t" => Stage::Temperature(number()?),
            "top-k" | "k" => Stage::TopK(value.parse().map_err(|_| format!("{key}={value}: not a whole number"))?),
            "top-p" | "p" => Stage::TopP(number()?),
            "min-p" => Stage::MinP(number()?),
            "typical" => Stage::Typical(number()?),
            "repetition" => Stage::Repetition { penalty: number()? },
            "frequency" => self.penalty(Some(number()?), None),
            "presence" => self.penalty(None, Some(number()?)),
            "rules" => {
                self.engine = value.parse()?;
                return Ok(());
            }
            _ => return Err(format!("\"{key}\" is no setting; keys are {KEYS}")),
        };
        self.stages.retain(|(other, _)| other.kind() != stage.kind());
        self.stages.push((stage, on));
        Ok(())
    }

    /// Frequency and presence are one stage with two numbers.
    fn penalty(&self, new_frequency: Option<f64>, new_presence: Option<f64>) -> Stage {
        let present = self.stages.iter().find_map(|(stage, _)| match stage {
            Stage::FrequencyPresence { frequency, presence } => Some((*frequency, *presence)),
            _ => None,
        });
        let (frequency, presence) = present.unwrap_or((0.0, 0.0));
        Stage::FrequencyPresence {
            frequency: new_frequency.unwrap_or(frequency),
            presence: new_presence.unwrap_or(presence),
        }
    }

    /// The same stages in the engine's own order.
    pub fn arranged(mut self) -> Self {
        let order = self.engine.rules().order;
        self.stages.sort_by_key(|(stage, _)| order.iter().position(|kind| *kind == stage.kind()));
        self
    }

    /// What the sampler takes.
    pub fn settings(&self) -> Settings {
        Settings { stages: self.stages.clone(), rules: self.engine.rules(), greedy: self.greedy }
    }
}

impl From<&Settings> for Recipe {
    fn from(settings: &Settings) -> Self {
        Self { engine: settings.rules.engine, stages: settings.stages.clone(), greedy: settings.greedy }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut items: Vec<String> = Vec::new();
        items.extend(self.greedy.then(|| "greedy".to_owned()));
        for (stage, on) in &self.stages {
            let text = match stage {
                Stage::Repetition { penalty } => format!("repetition={penalty}"),
                Stage::FrequencyPresence { frequency, presence } => {
                    let off = if *on { "" } else { "!" };
                    format!("frequency={frequency},{off}presence={presence}")
                }
                Stage::Temperature(t) => format!("temperature={t}"),
                Stage::TopK(k) => format!("top-k={k}"),
                Stage::TopP(p) => format!("top-p={p}"),
                Stage::MinP(m) => format!("min-p={m}"),
                Stage::Typical(p) => format!("typical={p}"),
            };
            items.push(if *on { text } else { format!("!{text}") });
        }
        if self.engine != Engine::default() {
            items.push(format!("rules={}", self.engine.name().to_lowercase()));
        }
        f.write_str(&items.join(","))
    }
}

/// Ready-made comparisons: a name, what it shows, and its lanes.
pub const PRESETS: &[(&str, &str, &[&str])] = &[
    ("greedy", "the most probable token, always: it soon repeats itself", &["greedy"]),
    (
        "temperature sweep",
        "from sharp to flat: 0.2, 0.7, 1 and 2",
        &["temperature=0.2", "temperature=0.7", "temperature=1", "temperature=2"],
    ),
    (
        "min-p sweep",
        "at temperature 1.5, a floor of 0.01, 0.1 and 0.5 of the best token's probability",
        &["temperature=1.5,min-p=0.01", "temperature=1.5,min-p=0.1", "temperature=1.5,min-p=0.5"],
    ),
    (
        "frequency sweep",
        "what was said costs 0, 0.5 and 1 a time",
        &["temperature=0.7", "frequency=0.5,temperature=0.7", "frequency=1,temperature=0.7"],
    ),
    (
        "whose rules",
        "temperature first or last: the same numbers under three engines",
        &[
            "temperature=2,top-p=0.8",
            "top-p=0.8,temperature=2,rules=llama.cpp",
            "temperature=2,top-k=40,top-p=0.8,rules=candle",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_reads_back() {
        for text in [
            "",
            "greedy",
            "temperature=0.8,top-k=40,top-p=0.95",
            "repetition=1.2,frequency=0.5,presence=0.25,!min-p=0.1,rules=vllm",
            "top-p=0.8,temperature=2,rules=llama.cpp",
        ] {
            let recipe: Recipe = text.parse().expect(text);
            assert_eq!(recipe.to_string(), text);
        }
        for (_, _, lanes) in PRESETS {
            lanes.iter().for_each(|lane| drop(lane.parse::<Recipe>().expect(lane)));
        }
    }

    #[test]
    fn nonsense_is_said() {
        for (text, word) in [
            ("temperature", "key=value"),
            ("heat=2", "no setting"),
            ("top-k=1.5", "whole number"),
            ("rules=x", "no engine"),
        ] {
            let reason = text.parse::<Recipe>().expect_err(text);
            assert!(reason.contains(word), "{reason}");
        }
    }

    #[test]
    fn arranged_follows_the_engine() {
        let recipe: Recipe = "temperature=2,top-p=0.8,rules=llama.cpp".parse().expect("a recipe");
        assert_eq!(recipe.arranged().to_string(), "top-p=0.8,temperature=2,rules=llama.cpp");
    }
}
