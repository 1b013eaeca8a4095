//! The lab itself: carries out what the reader asks for, and says what there is to see.

use super::cached::{self, Cached};
use super::embedded::Loaded;
use super::lane::Lane;
use super::lanes::Lanes;
use super::recipe::{PRESETS, Recipe};
use super::record::Record;
use super::view::{Expectation, Request, View};
use crate::sampling::numeric::summarize;
use crate::sampling::select::largest;
use crate::sampling::{Settings, trace};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What a reader finds who has typed nothing yet.
pub const PROMPT: &str = "It is a truth universally acknowledged, that";
/// The seed as long as none is chosen.
pub const SEED: u64 = 42;
/// The first lane's sampler as long as none is chosen.
const RECIPE: &str = "temperature=0.8,top-k=40,top-p=0.95";
/// How many tokens a position of the prompt view names.
const LEADERS: usize = 10;

/// A model, a prompt, and the lanes that go on from it.
pub struct Workbench {
    loaded: Loaded,
    prompt: String,
    lanes: Lanes,
    speed: Option<f64>,
    expected: Option<Arc<[Expectation]>>,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// The lab changed: look at it.
    Changed,
    /// This text is to be written to this file.
    Export(PathBuf, String),
}

/// Weights of attention: for each layer and head, one row a query over all positions.
pub type Attention = Vec<Vec<Vec<Vec<f32>>>>;

impl Workbench {
    /// One lane on [`PROMPT`]. Fails only where the model cannot even hold that.
    pub fn new(loaded: Loaded) -> Result<Self, String> {
        let recipe: Recipe = RECIPE.parse()?;
        Self::with(loaded, PROMPT, SEED, &[recipe])
    }

    /// A lane for each recipe, before the first step. Fails with a sentence where the prompt is empty or too long, or where
    /// there is no lane or a sampler that no logits could satisfy.
    pub fn with(loaded: Loaded, prompt: &str, seed: u64, recipes: &[Recipe]) -> Result<Self, String> {
        let settings: Vec<Settings> = recipes.iter().map(Recipe::settings).collect();
        let lanes = begin(&loaded, prompt, seed, &settings)?;
        Ok(Self { loaded, prompt: prompt.to_owned(), lanes, speed: None, expected: None })
    }

    /// The lanes.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Carries out a request. `go_on` is asked between the tokens of a long one: it may look, and says whether to go on.
    /// Fails with a sentence, and then nothing is changed but the reason why a lane went no further.
    pub fn carry_out(&mut self, request: Request, go_on: &mut dyn FnMut(&Self) -> bool) -> Result<Done, String> {
        match request {
            Request::Prompt(text) => {
                let settings: Vec<Settings> = self.lanes.lanes().iter().map(|lane| lane.settings().clone()).collect();
                self.begin(&text, &settings)?;
            }
            Request::Step(count) => self.forward_to(self.lanes.cursor().saturating_add(count), go_on)?,
            Request::Back(count) => self.lanes.back(count),
            Request::Jump(at) if at <= self.lanes.cursor() => self.lanes.stand(at),
            Request::Jump(at) => self.forward_to(at, go_on)?,
            Request::Force { lane, token } => self.lane(lane)?.force(token)?,
            Request::Set { lane, recipe } => {
                let seed = self.lanes.seed();
                self.lane(lane)?.set(recipe.settings(), seed)?;
            }
            Request::Copy(lane) => drop(self.lanes.copy(lane, &self.free_name())?),
            Request::Close(lane) => self.lanes.close(lane)?,
            Request::Enter { lane, branch } => self.enter(lane, branch)?,
            Request::Seed(seed) => self.lanes.restart(seed),
            Request::Preset(index) => {
                let (_, _, recipes) = PRESETS.get(index).ok_or_else(|| format!("there is no preset {index}"))?;
                let recipes: Vec<Recipe> = recipes.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
                let prompt = self.prompt.clone();
                self.begin(&prompt, &recipes.iter().map(Recipe::settings).collect::<Vec<_>>())?;
            }
            Request::Expect => self.expect()?,
            Request::Export(path) => {
                let text = self.exported(&path);
                return Ok(Done::Export(path, text));
            }
        }
        Ok(Done::Changed)
    }

    /// The lab as it is now.
    pub fn view(&self) -> View {
        View {
            model: Arc::clone(&self.loaded.card),
            vocabulary: Arc::clone(self.loaded.tokens.vocabulary()),
            prompt: self.prompt.clone(),
            seed: self.lanes.seed(),
            tracks: self.lanes.lanes().iter().map(|lane| lane.track().clone()).collect(),
            parted: self.lanes.first_difference(),
            speed: self.speed,
            expected: self.expected.clone(),
        }
    }

    /// The run on paper.
    pub fn record(&self) -> Record {
        let decode = |ids: &[u32]| self.loaded.tokens.decode(ids);
        Record::new(&self.lanes, &self.loaded.card.name, &self.prompt, &decode)
    }

    /// The attention of every layer and head over what a lane has said so far, its prompt included.
    pub fn attention(&self, lane: usize) -> Result<Attention, String> {
        let track = self.lanes.lanes().get(lane).ok_or_else(|| no_lane(lane))?;
        let tokens = [track.prompt(), &track.generated()].concat();
        cached::attention(&*self.loaded.model, &tokens).map_err(|error| error.to_string())
    }

    fn begin(&mut self, prompt: &str, settings: &[Settings]) -> Result<(), String> {
        self.lanes = begin(&self.loaded, prompt, self.lanes.seed(), settings)?;
        self.speed = None;
        if self.prompt != prompt {
            self.prompt = prompt.to_owned();
            self.expected = None;
        }
        Ok(())
    }

    pub(super) fn lane(&mut self, index: usize) -> Result<&mut Lane, String> {
        self.lanes.lane_mut(index).ok_or_else(|| no_lane(index))
    }

    /// A letter that no lane has.
    fn free_name(&self) -> String {
        let taken = |name: &String| self.lanes.lanes().iter().any(|lane| lane.name == *name);
        ('a'..='z').map(String::from).find(|name| !taken(name)).unwrap_or_default()
    }

    /// Steps in every lane until the foremost stands behind `at` steps, or none can go on.
    fn forward_to(&mut self, at: usize, go_on: &mut dyn FnMut(&Self) -> bool) -> Result<(), String> {
        let known = |lanes: &Lanes| lanes.lanes().iter().map(|lane| lane.known().len()).sum::<usize>();
        let (began, before, from) = (Instant::now(), known(&self.lanes), self.lanes.cursor());
        while self.lanes.cursor() < at {
            let results = self.lanes.forward();
            let computed = known(&self.lanes) - before;
            if computed > 0 {
                self.speed = Some(computed as f64 / began.elapsed().as_secs_f64().max(1e-9));
            }
            if results.iter().all(Result::is_err) {
                let reason = results.into_iter().find_map(Result::err);
                return if self.lanes.cursor() == from { reason.map_or(Ok(()), Err) } else { Ok(()) };
            }
            if !go_on(self) {
                break;
            }
        }
        Ok(())
    }

    /// A branch is entered at its end. Beside other lanes, which stand where they stand, it is followed only as far as they
    /// go, or to where it begins.
    fn enter(&mut self, lane: usize, branch: usize) -> Result<(), String> {
        let others = self.lanes.lanes().iter().enumerate().filter(|(at, _)| *at != lane);
        let foremost = others.map(|(_, lane)| lane.steps().len()).max();
        let entered = self.lane(lane)?;
        let at = entered.branches().get(branch).map(|branch| branch.at);
        let at = at.ok_or_else(|| format!("there is no branch {branch}: {} were left", entered.branches().len()))?;
        entered.enter(branch);
        if let Some(foremost) = foremost {
            entered.stand(foremost.max(at + 1));
        }
        Ok(())
    }

    fn expect(&mut self) -> Result<(), String> {
        if self.expected.is_none() {
            let prompt = self.lanes.lanes().first().map(|lane| lane.prompt().to_vec()).unwrap_or_default();
            let logits = cached::all_logits(&*self.loaded.model, &prompt).map_err(|error| error.to_string())?;
            let nothing =
                Expectation { token: prompt[0], rank: None, probability: None, entropy: None, leaders: vec![] };
            let rest = prompt[1..].iter().zip(&logits).map(|(&token, logits)| expectation(token, logits));
            self.expected = Some(std::iter::once(nothing).chain(rest).collect());
        }
        Ok(())
    }

    fn exported(&self, path: &Path) -> String {
        let csv = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
        if csv { self.record().to_csv() } else { self.record().to_json() }
    }
}

fn no_lane(index: usize) -> String {
    format!("there is no lane {}", index + 1)
}

/// Lanes a, b, … at the beginning of a run.
fn begin(loaded: &Loaded, prompt: &str, seed: u64, settings: &[Settings]) -> Result<Lanes, String> {
    let ids = tokens_of(loaded, prompt)?;
    let lane = |(name, settings): (char, &Settings)| {
        settings.check().map_err(|error| format!("lane {name}: {error}"))?;
        let source = Box::new(Cached::new(Arc::clone(&loaded.model)));
        Ok(Lane::new(&name.to_string(), settings.clone(), source, &ids))
    };
    let lanes: Vec<Lane> = ('a'..).zip(settings).map(lane).collect::<Result<_, String>>()?;
    Lanes::of(lanes, seed)
}

fn tokens_of(loaded: &Loaded, prompt: &str) -> Result<Vec<u32>, String> {
    let (ids, context) = (loaded.tokens.encode(prompt)?, loaded.card.context);
    match ids.len() {
        0 => {
            Err("the prompt is empty: the model needs at least one token (<|endoftext|> begins a new text)".to_owned())
        }
        count if count > context => Err(format!(
            "the prompt has {count} tokens and the model's context {context}: leave out {} or more",
            count - context
        )),
        _ => Ok(ids),
    }
}

/// What the model expected where `token` stands.
fn expectation(token: u32, logits: &[f32]) -> Expectation {
    let summary = summarize(logits);
    let probability = |id: u32| (f64::from(logits[id as usize]) - summary.log_sum).exp();
    Expectation {
        token,
        rank: Some(trace::rank(logits, token)),
        probability: Some(probability(token)),
        entropy: Some(summary.entropy),
        leaders: largest(logits, LEADERS).into_iter().map(|id| (id, probability(id))).collect(),
    }
}
