//! The settings as lines that can be changed: pure arithmetic on a [`Recipe`].
//!
//! A sheet always lists every stage. Those that a recipe does not name are off, and stand where the engine would apply
//! them; they enter the recipe when the reader touches them.

use crate::lab::recipe::Recipe;
use crate::sampling::rules::Engine;
use crate::sampling::stage::{Kind, Stage};

/// A line of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are those of the settings.
pub enum Line {
    Rules,
    Greedy,
    Repetition,
    Frequency,
    Presence,
    Temperature,
    TopK,
    TopP,
    MinP,
    Typical,
}

impl Line {
    /// The stage that it belongs to.
    pub fn kind(self) -> Option<Kind> {
        Some(match self {
            Self::Rules | Self::Greedy => return None,
            Self::Repetition => Kind::Repetition,
            Self::Frequency | Self::Presence => Kind::FrequencyPresence,
            Self::Temperature => Kind::Temperature,
            Self::TopK => Kind::TopK,
            Self::TopP => Kind::TopP,
            Self::MinP => Kind::MinP,
            Self::Typical => Kind::Typical,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules of",
            Self::Greedy => "greedy",
            Self::Repetition => "repetition",
            Self::Frequency => "frequency",
            Self::Presence => "presence",
            Self::Temperature => "temperature",
            Self::TopK => "top-k",
            Self::TopP => "top-p",
            Self::MinP => "min-p",
            Self::Typical => "typical",
        }
    }

    fn of(kind: Kind) -> &'static [Self] {
        match kind {
            Kind::Repetition => &[Self::Repetition],
            Kind::FrequencyPresence => &[Self::Frequency, Self::Presence],
            Kind::Temperature => &[Self::Temperature],
            Kind::TopK => &[Self::TopK],
            Kind::TopP => &[Self::TopP],
            Kind::MinP => &[Self::MinP],
            Kind::Typical => &[Self::Typical],
        }
    }
}

/// A stage as it is when it is first switched on: with a value that does something.
fn usual(kind: Kind) -> Stage {
    match kind {
        Kind::Repetition => Stage::Repetition { penalty: 1.2 },
        Kind::FrequencyPresence => Stage::FrequencyPresence { frequency: 0.5, presence: 0.0 },
        Kind::Temperature => Stage::Temperature(1.0),
        Kind::TopK => Stage::TopK(40),
        Kind::TopP => Stage::TopP(0.9),
        Kind::MinP => Stage::MinP(0.05),
        Kind::Typical => Stage::Typical(0.9),
    }
}

/// A recipe with every stage in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    whole: Recipe,
    /// The stages that the reader's recipe names.
    named: Vec<Kind>,
}

impl Sheet {
    /// The sheet of a recipe.
    pub fn new(recipe: Recipe) -> Self {
        let named: Vec<Kind> = recipe.stages.iter().map(|(stage, _)| stage.kind()).collect();
        let order = recipe.engine.rules().order;
        let place = |kind: Kind| order.iter().position(|other| *other == kind);
        let mut whole = recipe;
        for kind in order.into_iter().filter(|kind| !named.contains(kind)) {
            let later = whole.stages.iter().position(|(stage, _)| place(stage.kind()) > place(kind));
            whole.stages.insert(later.unwrap_or(whole.stages.len()), (usual(kind), false));
        }
        Self { whole, named }
    }

    /// The lines, in the order in which the stages are applied.
    pub fn lines(&self) -> Vec<Line> {
        let stages = self.whole.stages.iter().flat_map(|(stage, _)| Line::of(stage.kind()));
        [Line::Rules, Line::Greedy].iter().chain(stages).copied().collect()
    }

    /// Whether a line is in force.
    pub fn is_on(&self, line: Line) -> bool {
        match line.kind() {
            None => line == Line::Rules || self.whole.greedy,
            Some(kind) => self.whole.stages.iter().any(|(stage, on)| stage.kind() == kind && *on),
        }
    }

    /// A line's value as it is typed.
    pub fn value(&self, line: Line) -> String {
        match line.kind() {
            None if line == Line::Rules => self.whole.engine.name().to_owned(),
            None => if self.whole.greedy { "yes" } else { "no" }.to_owned(),
            Some(kind) => match (self.stage(kind), line) {
                (Stage::TopK(k), _) => k.to_string(),
                (stage, line) => number(stage, line).to_string(),
            },
        }
    }

    /// The line switched on or off. Switching the rules is taking the next ones.
    pub fn toggled(mut self, line: Line) -> Recipe {
        match line.kind() {
            None if line == Line::Rules => return self.changed(line, 1),
            None => self.whole.greedy = !self.whole.greedy,
            Some(kind) => {
                if let Some((_, on)) = self.entry(kind) {
                    *on = !*on;
                }
            }
        }
        self.touched(line.kind())
    }

    /// The value one notch up or down; a stage whose value is changed is on. Other rules bring their own order.
    pub fn changed(mut self, line: Line, by: i32) -> Recipe {
        let Some(kind) = line.kind() else {
            if line == Line::Greedy {
                return self.toggled(line);
            }
            let at = Engine::ALL.iter().position(|engine| *engine == self.whole.engine).unwrap_or(0) as i32;
            self.whole.engine = Engine::ALL[(at + by).rem_euclid(Engine::ALL.len() as i32) as usize];
            return self.touched(None).arranged();
        };
        let stage = notched(self.stage(kind), line, by);
        self.put(kind, stage)
    }

    /// The value as typed; fails with a sentence.
    pub fn typed(self, line: Line, text: &str) -> Result<Recipe, String> {
        let Some(kind) = line.kind() else { return Err(format!("{} is chosen, not typed", line.name())) };
        let text = text.trim().replace(',', ".");
        let stage = match kind {
            Kind::TopK => {
                Stage::TopK(text.parse().map_err(|_| format!("top-k is a whole number, and \"{text}\" is none"))?)
            }
            _ => {
                let value = text.parse().map_err(|_| format!("{} is a number, and \"{text}\" is none", line.name()))?;
                with(self.stage(kind), line, value)
            }
        };
        Ok(self.put(kind, stage))
    }

    /// The stage applied earlier (−1) or later (1).
    pub fn moved(mut self, line: Line, by: isize) -> Recipe {
        let stages = &mut self.whole.stages;
        let at = stages.iter().position(|(stage, _)| Some(stage.kind()) == line.kind());
        if let Some((at, to)) = at.and_then(|at| Some((at, at.checked_add_signed(by)?)))
            && to < stages.len()
        {
            stages.swap(at, to);
        }
        // The order is the reader's from here on, whatever it is made of.
        self.whole
    }

    fn stage(&self, kind: Kind) -> Stage {
        let found = self.whole.stages.iter().find(|(stage, _)| stage.kind() == kind);
        found.map_or_else(|| usual(kind), |(stage, _)| *stage)
    }

    fn entry(&mut self, kind: Kind) -> Option<&mut (Stage, bool)> {
        self.whole.stages.iter_mut().find(|(stage, _)| stage.kind() == kind)
    }

    fn put(mut self, kind: Kind, stage: Stage) -> Recipe {
        if let Some(entry) = self.entry(kind) {
            *entry = (stage, true);
        }
        self.touched(Some(kind))
    }

    /// The recipe: what was named before, and what is touched now.
    fn touched(self, kind: Option<Kind>) -> Recipe {
        let mut recipe = self.whole;
        recipe.stages.retain(|(stage, _)| self.named.contains(&stage.kind()) || Some(stage.kind()) == kind);
        recipe
    }
}

/// The number of a line.
fn number(stage: Stage, line: Line) -> f64 {
    match stage {
        Stage::Repetition { penalty } => penalty,
        Stage::FrequencyPresence { presence, .. } if line == Line::Presence => presence,
        Stage::FrequencyPresence { frequency, .. } => frequency,
        Stage::Temperature(v) | Stage::TopP(v) | Stage::MinP(v) | Stage::Typical(v) => v,
        Stage::TopK(k) => k as f64,
    }
}

/// The stage with another number in a line.
fn with(stage: Stage, line: Line, value: f64) -> Stage {
    match stage {
        Stage::Repetition { .. } => Stage::Repetition { penalty: value },
        Stage::FrequencyPresence { frequency, .. } if line == Line::Presence => {
            Stage::FrequencyPresence { frequency, presence: value }
        }
        Stage::FrequencyPresence { presence, .. } => Stage::FrequencyPresence { frequency: value, presence },
        Stage::Temperature(_) => Stage::Temperature(value),
        Stage::TopP(_) => Stage::TopP(value),
        Stage::MinP(_) => Stage::MinP(value),
        Stage::Typical(_) => Stage::Typical(value),
        Stage::TopK(_) => Stage::TopK(value.max(0.0) as usize),
    }
}

/// One notch: fine where small differences matter, within what the stage takes.
fn notched(stage: Stage, line: Line, by: i32) -> Stage {
    let value = number(stage, line);
    // Seen from the side that is left, so that up and down meet the same values.
    let near = |edge: f64| if by > 0 { value < edge - 1e-9 } else { value <= edge + 1e-9 };
    let (notch, least, most) = match stage {
        Stage::Repetition { .. } => (0.05, 0.05, 5.0),
        Stage::FrequencyPresence { .. } => (0.1, -2.0, 2.0),
        Stage::Temperature(_) => (if near(0.1) { 0.05 } else { 0.1 }, 0.0, 5.0),
        Stage::TopP(_) | Stage::Typical(_) => (if near(0.9) { 0.05 } else { 0.01 }, 0.0, 1.0),
        Stage::MinP(_) => (if near(0.1) { 0.01 } else { 0.05 }, 0.0, 1.0),
        Stage::TopK(_) if near(10.0) => (1.0, 0.0, 1e6),
        Stage::TopK(_) if near(50.0) => (5.0, 0.0, 1e6),
        Stage::TopK(_) => (50.0, 0.0, 1e6),
    };
    let rounded = ((value + notch * f64::from(by)) * 1e6).round() / 1e6;
    with(stage, line, rounded.clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sheet(recipe: &str) -> Sheet {
        Sheet::new(recipe.parse().expect(recipe))
    }

    fn names(sheet: &Sheet) -> Vec<&'static str> {
        sheet.lines().into_iter().map(Line::name).collect()
    }

    #[test]
    fn a_sheet_lists_every_stage_in_the_order_in_which_it_is_applied() {
        let all = ["repetition", "frequency", "presence", "temperature", "top-k", "top-p", "min-p", "typical"];
        assert_eq!(names(&sheet("temperature=0.8,top-p=0.9"))[2..], all);
        let last = names(&sheet("top-p=0.9,temperature=0.8"));
        let place = |name: &str| last.iter().position(|other| *other == name);
        assert!(place("top-p") < place("temperature"), "the reader's order stays: {last:?}");
    }

    #[test]
    fn a_line_that_is_switched_stays_where_it_is() {
        for recipe in ["", "temperature=0.8,top-p=0.9", "top-p=0.9,temperature=0.8", "rules=llama.cpp"] {
            let before = names(&sheet(recipe));
            for line in sheet(recipe).lines().into_iter().filter(|line| line.kind().is_some()) {
                let after = Sheet::new(sheet(recipe).toggled(line));
                assert_eq!(names(&after), before, "{recipe} {line:?}");
                assert_ne!(after.is_on(line), sheet(recipe).is_on(line));
            }
        }
    }

    #[test]
    fn only_what_is_touched_enters_the_recipe() {
        let recipe = sheet("temperature=0.8").toggled(Line::TopK);
        assert_eq!(recipe.to_string(), "temperature=0.8,top-k=40");
        assert_eq!(Sheet::new(recipe).toggled(Line::TopK).to_string(), "temperature=0.8,!top-k=40");
    }

    #[test]
    fn notches_are_fine_where_it_matters() {
        let up = |recipe: &str, line| sheet(recipe).changed(line, 1).to_string();
        let down = |recipe: &str, line| sheet(recipe).changed(line, -1).to_string();
        assert_eq!(up("temperature=0.7", Line::Temperature), "temperature=0.8");
        assert_eq!(down("temperature=0.1", Line::Temperature), "temperature=0.05");
        assert_eq!(down("temperature=0", Line::Temperature), "temperature=0");
        assert_eq!(up("top-p=0.9", Line::TopP), "top-p=0.91");
        assert_eq!(down("top-p=0.9", Line::TopP), "top-p=0.85");
        assert_eq!(up("top-p=1", Line::TopP), "top-p=1");
        assert_eq!(up("top-k=9", Line::TopK), "top-k=10");
        assert_eq!(up("top-k=40", Line::TopK), "top-k=45");
        assert_eq!(down("top-k=100", Line::TopK), "top-k=50");
        assert_eq!(down("top-k=0", Line::TopK), "top-k=0");
        assert_eq!(up("frequency=0.5", Line::Presence), "frequency=0.5,presence=0.1");
    }

    #[test]
    fn other_rules_bring_their_order() {
        let recipe = sheet("temperature=2,top-p=0.8").changed(Line::Rules, 1);
        assert_eq!(recipe.to_string(), "temperature=2,top-p=0.8,rules=vllm");
        let recipe = Sheet::new(recipe).toggled(Line::Rules);
        assert_eq!(recipe.to_string(), "top-p=0.8,temperature=2,rules=llama.cpp");
        assert_eq!(sheet("").changed(Line::Rules, -1).engine, Engine::Candle);
    }

    #[test]
    fn a_stage_moves_in_the_order_it_is_applied_in() {
        let recipe = sheet("temperature=2,top-k=40").moved(Line::TopK, -1);
        let on: Vec<_> = recipe.stages.iter().filter(|(_, on)| *on).map(|(stage, _)| stage.to_string()).collect();
        assert_eq!(on, ["top-k 40", "temp 2"]);
        assert_eq!(sheet("temperature=2").moved(Line::Repetition, -1).stages[0].0.kind(), Kind::Repetition);
    }

    #[test]
    fn what_is_typed_is_taken_or_refused_in_words() {
        assert_eq!(sheet("").typed(Line::Temperature, " 0,65 ").expect("a number").to_string(), "temperature=0.65");
        assert!(sheet("").typed(Line::TopK, "4.5").expect_err("no").contains("whole number"));
        assert!(sheet("").typed(Line::TopP, "much").expect_err("no").contains("\"much\""));
    }

    proptest! {
        #[test]
        fn whatever_is_done_every_stage_is_listed_once(deeds in prop::collection::vec((0usize..10, 0u8..5), 0..20)) {
            let mut recipe = Recipe::default();
            for (at, deed) in deeds {
                let sheet = Sheet::new(recipe);
                let line = sheet.lines()[at];
                recipe = match deed {
                    0 => sheet.toggled(line),
                    1 => sheet.changed(line, 1),
                    2 => sheet.changed(line, -1),
                    3 => sheet.moved(line, 1),
                    _ => sheet.moved(line, -1),
                };
                let lines = Sheet::new(recipe.clone()).lines();
                prop_assert_eq!(lines.len(), 10);
                prop_assert!(lines.iter().enumerate().all(|(at, line)| !lines[..at].contains(line)));
                prop_assert_eq!(recipe.to_string().parse::<Recipe>().map(|read| read.to_string()), Ok(recipe.to_string()));
            }
        }
    }
}
