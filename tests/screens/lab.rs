//! A lab without a model: lanes over a toy whose every logit is a fixed function of what was said, and the answers that
//! the lab's thread would give.
#![allow(dead_code, reason = "each binary uses its own part")]

use logitlings::lab::recipe::PRESETS;
use logitlings::lab::view::{Answer, Expectation, ModelCard, Request, View, Vocabulary};
use logitlings::lab::{Lane, Lanes, Recipe, Source};
use logitlings::sampling::{Settings, trace::rank};
use std::sync::Arc;

const WORDS: &str = "the a of and to in he she it was that his her with as for not on be at by had which from but is \
                     this all they so said old man house door light night day long little never good great again after \
                     before came went looked saw knew thought could would cat mat floor garden window letter sea king";

/// Tokens that are more than a word: ends of lines and sentences, two bytes that are one character, a wide one.
const ODD: [(&str, &str); 10] = [
    ("\n", "⏎"),
    (".", "."),
    (",", ","),
    (";", ";"),
    ("!", "!"),
    ("\u{FFFD}", "<0xC3>"),
    ("\u{FFFD}", "<0xA9>"),
    ("漢", "漢"),
    ("  ", "␣␣"),
    ("<|endoftext|>", "<|endoftext|>"),
];

/// The words, and numbers up to `least` tokens.
pub fn vocabulary(least: usize) -> Vocabulary {
    let mut text: Vec<String> = ODD.iter().map(|(text, _)| (*text).to_owned()).collect();
    let mut visible: Vec<String> = ODD.iter().map(|(_, visible)| (*visible).to_owned()).collect();
    for word in WORDS.split_whitespace() {
        let capital = word[..1].to_uppercase() + &word[1..];
        for form in [format!(" {word}"), word.to_owned(), format!(" {capital}"), capital.clone()] {
            visible.push(form.replace(' ', "␣"));
            text.push(form);
        }
    }
    for number in text.len()..least {
        text.push(format!(" {number}"));
        visible.push(format!("␣{number}"));
    }
    Vocabulary { text, visible }
}

/// Longest match first; what is no token is left out.
fn encode(prompt: &str, words: &Vocabulary) -> Vec<u32> {
    let mut ids = Vec::new();
    let mut rest = prompt;
    while !rest.is_empty() {
        let fits = words.text.iter().enumerate().filter(|(_, token)| rest.starts_with(token.as_str()));
        match fits.max_by_key(|(_, token)| token.len()) {
            Some((id, token)) => {
                ids.push(id as u32);
                rest = &rest[token.len()..];
            }
            None => rest = &rest[rest.chars().next().map_or(1, char::len_utf8)..],
        }
    }
    ids
}

/// Logits are a fixed function of the last two tokens.
#[derive(Clone)]
struct Toy {
    tokens: Vec<u32>,
    words: Arc<Vocabulary>,
    context: usize,
}

impl Source for Toy {
    fn vocabulary(&self) -> usize {
        self.words.text.len()
    }
    fn context(&self) -> usize {
        self.context
    }
    fn len(&self) -> usize {
        self.tokens.len()
    }
    fn feed(&mut self, tokens: &[u32]) -> Result<Vec<f32>, String> {
        self.tokens.extend(tokens);
        let tail = &self.tokens[self.tokens.len().saturating_sub(2)..];
        let state = tail.iter().fold(17u32, |h, &t| (h ^ (t + 1)).wrapping_mul(0x9e37_79b1).rotate_left(13));
        let logit = |id: usize| {
            let mixed = (state ^ (id as u32).wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35);
            let unit = ((mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d) >> 8) as f32 / (1u32 << 24) as f32;
            let common = if self.words.text[id].starts_with(' ') { 2.5 } else { 0.0 };
            let capital = if self.words.text[id].contains(|c: char| c.is_uppercase()) { -3.0 } else { 0.0 };
            7.0 * unit.powi(3) + common + capital
        };
        Ok((0..self.vocabulary()).map(logit).collect())
    }
    fn truncate(&mut self, len: usize) {
        self.tokens.truncate(len);
    }
    fn fork(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }
}

/// Lanes, and what is asked of them.
pub struct Desk {
    lanes: Lanes,
    words: Arc<Vocabulary>,
    card: Arc<ModelCard>,
    prompt: String,
    expected: Option<Arc<[Expectation]>>,
}

impl Desk {
    pub fn new(context: usize) -> Self {
        Self::with_vocabulary(context, 0)
    }

    pub fn with_vocabulary(context: usize, least: usize) -> Self {
        let words = Arc::new(vocabulary(least));
        let card = ModelCard { name: "toy".to_owned(), parameters: 4_270_000, vocabulary: words.text.len(), context };
        let prompt = "The old man looked at the sea and".to_owned();
        let recipe: Recipe = "temperature=0.8,top-k=40,top-p=0.95".parse().expect("a recipe");
        let first = lane("a", recipe.settings(), &prompt, &words, context);
        Self { lanes: Lanes::new(first, 42), words, card: Arc::new(card), prompt, expected: None }
    }

    pub fn view(&self) -> View {
        View {
            model: self.card.clone(),
            vocabulary: self.words.clone(),
            prompt: self.prompt.clone(),
            seed: self.lanes.seed(),
            tracks: self.lanes.lanes().iter().map(|lane| lane.track().clone()).collect(),
            parted: self.lanes.first_difference(),
            speed: Some(812.4),
            expected: self.expected.clone(),
        }
    }

    /// What the thread would answer.
    pub fn answer(&mut self, number: u64, request: Request) -> Vec<Answer> {
        let mut answers = Vec::new();
        if let Request::Export(path) = request {
            answers.push(Answer::Exported(path));
        } else if let Err(why) = self.carry_out(request) {
            answers.push(Answer::Refused(number, why));
        }
        answers.push(Answer::View(number, Box::new(self.view())));
        answers
    }

    fn carry_out(&mut self, request: Request) -> Result<(), String> {
        let seed = self.lanes.seed();
        match request {
            Request::Prompt(prompt) => {
                let named = self.named();
                self.begin_again(&prompt, named)?;
                (self.prompt, self.expected) = (prompt, None);
            }
            Request::Step(count) => {
                for at in 0..count {
                    let results = self.lanes.forward();
                    if results.iter().all(Result::is_err) {
                        return if at == 0 { results.into_iter().collect() } else { Ok(()) };
                    }
                }
            }
            Request::Back(count) => self.lanes.back(count),
            Request::Jump(to) => self.lanes.stand(to),
            Request::Force { lane, token } => self.lane(lane)?.force(token)?,
            Request::Set { lane, recipe } => self.lane(lane)?.set(recipe.settings(), seed)?,
            Request::Copy(lane) => {
                let name = ["a", "b", "c", "d"][self.lanes.lanes().len().min(3)];
                self.lanes.copy(lane, name)?;
            }
            Request::Close(lane) => self.lanes.close(lane)?,
            Request::Enter { lane, branch } => self.lane(lane)?.enter(branch),
            Request::Seed(seed) => self.lanes.restart(seed),
            Request::Preset(at) => {
                let recipes = PRESETS[at].2.iter().map(|text| text.parse::<Recipe>().expect("a preset"));
                let named = ["a", "b", "c", "d"].map(str::to_owned).into_iter().zip(recipes.map(|r| r.settings()));
                let prompt = self.prompt.clone();
                self.begin_again(&prompt, named.collect())?;
            }
            Request::Expect => self.expect()?,
            Request::Export(_) => {}
        }
        Ok(())
    }

    fn lane(&mut self, at: usize) -> Result<&mut Lane, String> {
        self.lanes.lane_mut(at).ok_or_else(|| format!("there is no lane {}", at + 1))
    }

    fn named(&self) -> Vec<(String, Settings)> {
        self.lanes.lanes().iter().map(|lane| (lane.name.clone(), lane.settings().clone())).collect()
    }

    fn begin_again(&mut self, prompt: &str, named: Vec<(String, Settings)>) -> Result<(), String> {
        let ids = encode(prompt, &self.words).len();
        if ids == 0 || ids > self.card.context {
            return Err(format!("the prompt has {ids} tokens"));
        }
        let lane = |(name, settings): (String, Settings)| lane(&name, settings, prompt, &self.words, self.card.context);
        self.lanes = Lanes::of(named.into_iter().map(lane).collect(), self.lanes.seed())?;
        Ok(())
    }

    fn expect(&mut self) -> Result<(), String> {
        let ids = encode(&self.prompt, &self.words);
        let first = *ids.first().ok_or("the prompt is empty")?;
        let mut toy = Toy { tokens: Vec::new(), words: self.words.clone(), context: self.card.context };
        let nothing = Expectation { token: first, rank: None, probability: None, entropy: None, leaders: Vec::new() };
        let mut all = vec![nothing];
        for pair in ids.windows(2) {
            let logits = toy.feed(&pair[..1])?;
            let total: f64 = logits.iter().map(|l| f64::from(*l).exp()).sum();
            let p = |id: u32| f64::from(logits[id as usize]).exp() / total;
            let mut order: Vec<u32> = (0..logits.len() as u32).collect();
            order.sort_by(|a, b| p(*b).total_cmp(&p(*a)));
            all.push(Expectation {
                token: pair[1],
                rank: Some(rank(&logits, pair[1])),
                probability: Some(p(pair[1])),
                entropy: Some(order.iter().map(|id| -p(*id) * p(*id).ln()).sum()),
                leaders: order.iter().take(5).map(|id| (*id, p(*id))).collect(),
            });
        }
        self.expected = Some(all.into());
        Ok(())
    }
}

fn lane(name: &str, settings: Settings, prompt: &str, words: &Arc<Vocabulary>, context: usize) -> Lane {
    let toy = Toy { tokens: Vec::new(), words: words.clone(), context };
    Lane::new(name, settings, Box::new(toy), &encode(prompt, words))
}
