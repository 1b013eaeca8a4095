//! `lab`: the lab without its screen.

mod expect;
mod table;

use super::{Context, Exit, Failed, Result};
use crate::lab::embedded::{self, Loaded};
use crate::lab::engine::{PROMPT, SEED};
use crate::lab::recipe::PRESETS;
use crate::lab::record::same_json;
use crate::lab::{Recipe, Record, Request, Workbench, replay};
use std::path::{Path, PathBuf};

/// Arguments of `lab`. What a setting may be, its recipe says, so that a wrong one is answered in the same words everywhere.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A recipe for --lane is a list such as temperature=0.8,top-k=40,top-p=0.95,rules=vllm or the word greedy. Stages are applied
as they are written; \"!\" before one switches it off. Settings given as options are one lane, in the order of the engine.")]
pub struct Lab {
    /// The text to go on from.
    #[arg(long, value_name = "TEXT", default_value = PROMPT)]
    prompt: String,
    /// How many tokens to generate in each lane.
    #[arg(long, value_name = "N", default_value_t = 20)]
    steps: usize,
    /// The seed of the uniforms, which are the same in every lane.
    #[arg(long, value_name = "S", default_value_t = SEED)]
    seed: u64,
    #[command(flatten)]
    sampler: Sampler,
    /// One more lane, as a recipe; up to four lanes.
    #[arg(long = "lane", value_name = "RECIPE")]
    lanes: Vec<String>,
    /// The lanes of a preset: greedy, temperature-sweep, min-p-sweep, frequency-sweep, whose-rules.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["lanes"])]
    preset: Option<String>,
    /// Judge the prompt instead: what the model expected at each of its positions, and what came.
    #[arg(long)]
    expect: bool,
    /// Run a recorded run again (a file that --json wrote) and compare.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["expect", "lanes", "preset"])]
    replay: Option<PathBuf>,
    /// The run as JSON, which --replay reads.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// The steps as CSV.
    #[arg(long)]
    csv: bool,
}

/// A sampler in options.
#[derive(Debug, clap::Args)]
struct Sampler {
    /// Divide the logits by this.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    temperature: Option<String>,
    /// Keep the K most probable tokens.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    top_k: Option<String>,
    /// Keep the smallest set of the most probable tokens that has this mass.
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    top_p: Option<String>,
    /// Keep tokens with at least this share of the best one's probability.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    min_p: Option<String>,
    /// Keep the tokens whose surprise is nearest the entropy, up to this mass.
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    typical: Option<String>,
    /// Divide (or, below 0, multiply) the logits of tokens that were said by this.
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    repetition: Option<String>,
    /// Take this from a token's logit for each time it was said.
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    frequency: Option<String>,
    /// Take this from a token's logit once it was said.
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    presence: Option<String>,
    /// Whose conventions: transformers, vllm, llama.cpp or candle.
    #[arg(long, value_name = "ENGINE")]
    rules: Option<String>,
    /// Take the most probable token.
    #[arg(long)]
    greedy: bool,
}

impl Sampler {
    /// None where no option was given.
    fn recipe(&self) -> std::result::Result<Option<Recipe>, String> {
        let keys = [
            ("repetition", &self.repetition),
            ("frequency", &self.frequency),
            ("presence", &self.presence),
            ("temperature", &self.temperature),
            ("top-k", &self.top_k),
            ("top-p", &self.top_p),
            ("min-p", &self.min_p),
            ("typical", &self.typical),
            ("rules", &self.rules),
        ];
        let given = keys.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_ref()?)));
        let items: Vec<String> = given.chain(self.greedy.then(|| "greedy".to_owned())).collect();
        if items.is_empty() {
            return Ok(None);
        }
        Ok(Some(items.join(",").parse::<Recipe>()?.arranged()))
    }
}

impl Lab {
    pub(super) fn run(self: Box<Self>, context: &mut Context) -> Result {
        let recipes = self.recipes().map_err(Failed::usage)?;
        if let Some(file) = &self.replay {
            return self.again(file, context);
        }
        let loaded = embedded::load().map_err(Failed::failure)?;
        let mut bench = Workbench::with(loaded.clone(), &self.prompt, self.seed, &recipes).map_err(Failed::usage)?;
        if self.expect {
            return self.expected(&mut bench, context);
        }
        let stopped = bench.carry_out(Request::Step(self.steps), &mut |_| true).err();
        let record = bench.record();
        self.show(&record, &loaded, context);
        let reasons =
            record.lanes.iter().filter_map(|lane| Some(format!("lane {}: {}", lane.name, lane.ended.as_ref()?)));
        reasons.for_each(|reason| context.out.note(&reason));
        match stopped {
            Some(reason) => Err(Failed::usage(reason)),
            None => Ok(Exit::Ok),
        }
    }

    fn recipes(&self) -> std::result::Result<Vec<Recipe>, String> {
        let mut recipes: Vec<Recipe> = self.sampler.recipe()?.into_iter().collect();
        if let Some(name) = &self.preset {
            if !recipes.is_empty() {
                return Err("a preset brings its own lanes: leave out the sampler's options".to_owned());
            }
            let spelled = |(name, _, _): &&(&str, &str, &[&str])| name.replace(' ', "-");
            let preset = PRESETS.iter().find(|preset| spelled(preset) == *name);
            let names = || PRESETS.iter().map(|preset| spelled(&preset)).collect::<Vec<_>>().join(", ");
            let (_, _, lanes) = preset.ok_or_else(|| format!("\"{name}\" is no preset; there are {}", names()))?;
            return lanes.iter().map(|lane| lane.parse()).collect();
        }
        for text in &self.lanes {
            recipes.push(text.parse().map_err(|reason| format!("--lane \"{text}\": {reason}"))?);
        }
        if recipes.is_empty() {
            recipes.push(Recipe::default());
        }
        Ok(recipes)
    }

    fn show(&self, record: &Record, loaded: &Loaded, context: &mut Context) {
        let text = match (self.json, self.csv) {
            (true, _) => record.to_json(),
            (_, true) => record.to_csv(),
            _ => table::run(record, &loaded.tokens.vocabulary().visible),
        };
        context.out.text(&text);
    }

    fn expected(&self, bench: &mut Workbench, context: &mut Context) -> Result {
        bench.carry_out(Request::Expect, &mut |_| true).map_err(Failed::failure)?;
        let view = bench.view();
        context.out.text(&match (self.json, self.csv) {
            (true, _) => expect::json(&view),
            (_, true) => expect::csv(&view),
            _ => table::expected(&view),
        });
        Ok(Exit::Ok)
    }

    /// Runs a recorded run again and says whether it is the same.
    fn again(&self, file: &Path, context: &mut Context) -> Result {
        let shown = file.display();
        let text =
            std::fs::read_to_string(file).map_err(|error| Failed::usage(format!("cannot read {shown}: {error}")))?;
        let wrong = |reason: String| Failed::usage(format!("{shown}: {reason}"));
        let record = Record::read(&text).map_err(wrong)?;
        let loaded = embedded::load().map_err(Failed::failure)?;
        let again = replay(&loaded, &record).map_err(wrong)?;
        if self.json || self.csv {
            self.show(&again, &loaded, context);
        }
        let steps: usize = again.lanes.iter().map(|lane| lane.steps.len()).sum();
        let (verdict, exit) = match record.difference(&again) {
            Some(difference) => (format!("not the same: {difference}"), Exit::NotAccepted),
            None if same_json(&text, &again.to_json()) => {
                (format!("{steps} steps in {} lanes, the same bit for bit", again.lanes.len()), Exit::Ok)
            }
            None => {
                let text = "not the same bit for bit: every number is the same but for its last digit, or the file was \
                            rewritten by another program";
                (text.to_owned(), Exit::NotAccepted)
            }
        };
        if self.json || self.csv {
            context.out.note(&verdict)
        } else {
            context.out.line(&verdict)
        }
        Ok(exit)
    }
}
