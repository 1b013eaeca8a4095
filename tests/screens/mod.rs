//! The screens without a terminal: a model, the events it gets, and what it draws. Shared by tests/app.rs and tests/tui.rs.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod lab;

use lab::Desk;
use logitlings::app::event::{Level, Warm};
use logitlings::app::model::Problem;
use logitlings::app::{Effect, Event, Key, Model, RunEvent, update};
use logitlings::judge::number::Num;
use logitlings::judge::report::{CaseReport, CaseResult, Cost, Detail, Diagnosis, Input, Mismatch, Report, Window};
use logitlings::lab::view::Answer;
use logitlings::pack::Topic;
use logitlings::runner::verdict::{Diagnostic, Run, Verdict};
use logitlings::store::{Progress, Status, Version};
use logitlings::ui::code;
use logitlings::ui::screens::{Cache, view};
use logitlings::ui::theme::Theme;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use std::collections::HashMap;

/// A model with a screen of some size in front of it, drawn after every event as the program does it.
pub struct Screen {
    pub model: Model,
    pub effects: Vec<Effect>,
    /// What stands for the lab's thread.
    pub desk: Desk,
    theme: Theme,
    cache: Cache,
    size: (u16, u16),
}

impl Screen {
    /// A small pack whose first problem is the real `sdpa`; the others are only rows of the list.
    pub fn new(width: u16, height: u16, theme: Theme) -> Self {
        code::warm();
        let mut model = Model::new();
        let sdpa = model.problems.iter().find(|problem| problem.slug == "sdpa").expect("the pack has it").clone();
        let row = |topic, slug, title: &str, tier, minutes| Problem {
            slug,
            topic,
            title: title.to_owned(),
            tier,
            minutes,
            hints: 3,
            questions: 2,
        };
        model.problems = vec![
            sdpa,
            row(Topic::Attention, "row-gqa", "Grouped-query attention", 5, 20),
            row(Topic::Attention, "row-mla", "Latent attention with a title that is too long for its row (MLA)", 3, 30),
            row(Topic::Positions, "row-rope", "Rotary position embedding", 5, 15),
            row(Topic::Moe, "row-moe", "Top-k routing", 4, 25),
        ];
        let desk = Desk::new(64);
        let size = (width, height);
        let mut screen = Self { model, effects: Vec::new(), desk, theme, cache: Cache::default(), size };
        screen.feed(Event::Warm(Warm::Ready));
        screen
    }

    /// One event, and the frame after it. What is asked of the lab is answered at once.
    pub fn feed(&mut self, event: Event) -> &mut Self {
        let mut effects = update(&mut self.model, event);
        self.draw();
        while let Some(at) = effects.iter().position(|effect| matches!(effect, Effect::Lab(..))) {
            let Effect::Lab(number, request) = effects.remove(at) else { continue };
            for answer in self.desk.answer(number, request.clone()) {
                effects.extend(update(&mut self.model, Event::Lab(answer)));
                self.draw();
            }
            self.effects.push(Effect::Lab(number, request));
        }
        self.effects.extend(effects);
        self
    }

    /// The model is there, and the reader in the lab.
    pub fn enter_lab(&mut self) -> &mut Self {
        let view = self.desk.view();
        self.feed(Event::Lab(Answer::View(0, Box::new(view)))).press("L")
    }

    /// Keys by their names, with blanks between.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            let key: Key = name.parse().expect("a key");
            self.feed(Event::Key(key));
        }
        self
    }

    /// The text of keys that write themselves.
    pub fn type_in(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.feed(Event::Key(Key::plain(logitlings::app::Code::Char(c))));
        }
        self
    }

    /// The newest run is over.
    pub fn done(&mut self, run: Run) -> &mut Self {
        let generation = self.model.generation;
        self.feed(Event::Run(generation, RunEvent::Done(Box::new(run))))
    }

    pub fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        self.size = (width, height);
        self.draw();
        self
    }

    /// What was asked for outside since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    pub fn draw(&mut self) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).expect("a terminal of cells");
        let mut layout = None;
        let drawn = terminal.draw(|frame| layout = Some(view(&self.model, &self.theme, &mut self.cache, frame)));
        drawn.expect("cells take everything");
        update(&mut self.model, Event::Drawn(layout.expect("it was drawn")));
        terminal.backend().buffer().clone()
    }

    /// The frame as text, without the blanks at the ends of lines.
    pub fn text(&mut self) -> String {
        let buffer = self.draw();
        let area = buffer.area;
        let mut lines = Vec::new();
        for y in 0..area.height {
            let line: String = (0..area.width).map(|x| buffer[(x, y)].symbol()).collect();
            lines.push(line.trim_end().to_owned());
        }
        lines.join("\n")
    }

    pub fn sees(&mut self, text: &str) -> bool {
        self.text().contains(text)
    }
}

fn case(index: usize, name: &str, result: CaseResult) -> CaseReport {
    let inputs = vec![
        Input {
            name: "q".to_owned(),
            text: "Tensor::new(&[1.0f32, 0.0f32], &device)?.reshape(&[1, 1, 1, 2])?".to_owned(),
        },
        Input { name: "k".to_owned(), text: "f32 tensor of shape [2, 3, 7, 4]".to_owned() },
    ];
    CaseReport { index, name: name.to_owned(), result, ms: 1.25, inputs }
}

/// The output differs in a pattern that is easy to see.
fn differs() -> CaseResult {
    let (rows, cols) = (12, 24);
    let place = |at: usize| ((at / cols) as f64, (at % cols) as f64);
    let expected: Vec<Num> = (0..rows * cols).map(&place).map(|(y, x)| Num((x / 4.0 + y / 3.0).sin())).collect();
    let got: Vec<Num> =
        expected.iter().enumerate().map(|(at, Num(v))| Num(if place(at).1 >= 12.0 { v * 0.25 } else { *v })).collect();
    let window = Window { at: vec![0, 1], origin: [0, 0], rows, cols, expected, got };
    let detail = Detail::Values {
        shape: vec![2, 3, 12, 24],
        first: vec![0, 1, 0, 12],
        expected: Num(0.1183),
        got: Num(-0.4021),
        max_abs: Num(0.75),
        max_rel: Num(0.75),
        differing: 432,
        total: 1728,
        rtol: 1e-5,
        window,
    };
    let summary = "differs in 432 of 1728 places, first at [0, 1, 0, 12]: expected 0.1183, got -0.4021".to_owned();
    CaseResult::Differs { mismatches: vec![Mismatch { observation: "output".to_owned(), summary, detail }] }
}

const NAMES: [&str; 4] =
    ["one head, by hand", "every axis of another size", "a mask of (Tq, Tk)", "one query, one key"];

fn run(verdict: Verdict, cases: Vec<CaseReport>) -> Run {
    let report = Report {
        problem: "sdpa".to_owned(),
        device: "cpu".to_owned(),
        planned: NAMES.map(str::to_owned).to_vec(),
        complete: true,
        cases,
        ..Report::default()
    };
    Run {
        problem: "sdpa".to_owned(),
        verdict,
        report,
        diagnostics: Vec::new(),
        output: String::new(),
        output_cut: false,
        build_seconds: 0.22,
        run_seconds: 0.09,
        source: Some("fn sdpa() {}\n".to_owned()),
        notes: Vec::new(),
    }
}

/// Two of four cases fail, and the mistake is known.
pub fn wrong() -> Run {
    let diagnosis = Diagnosis {
        mistake: "no-scale".to_owned(),
        sentence: "the scores are not divided by √d_k, so the softmax saturates as d_k grows".to_owned(),
        convention: false,
        exact: true,
        also: Vec::new(),
    };
    let results = [CaseResult::Passed, differs(), differs(), CaseResult::Passed];
    let cases = results.into_iter().enumerate().map(|(at, result)| case(at, NAMES[at], result)).collect();
    let mut run = run(Verdict::WrongAnswer { diagnosis: Some(diagnosis.clone()) }, cases);
    run.report.diagnosis = Some(diagnosis);
    run.output = "q has shape [2, 3, 5, 4]\nk has shape [2, 3, 7, 4]\n".to_owned();
    run
}

/// All is well, and it costs something.
pub fn accepted() -> Run {
    let cases = NAMES.iter().enumerate().map(|(at, name)| case(at, name, CaseResult::Passed)).collect();
    let mut run = run(Verdict::Accepted, cases);
    run.report.cost = Some(Cost {
        name: "8 heads of 64, 256 tokens".to_owned(),
        attempt_ms: 6.4,
        reference_ms: 4.0,
        attempt_peak: 9 << 20,
        reference_peak: 8 << 20,
    });
    run
}

/// rustc has two things to say.
pub fn uncompilable() -> Run {
    let mut run = run(Verdict::DoesNotCompile, Vec::new());
    run.report = Report::default();
    run.run_seconds = 0.0;
    let rendered = "\u{1b}[0m\u{1b}[1m\u{1b}[38;5;9merror[E0308]\u{1b}[0m\u{1b}[0m\u{1b}[1m: mismatched types\u{1b}[0m\n \
                    \u{1b}[0m\u{1b}[1m\u{1b}[38;5;12m--> \u{1b}[0mattention/sdpa.rs:8:5\n  |\n8 |     q.matmul(k)\n  |     \
                    ^^^^^^^^^^^ expected `Result<Tensor, Error>`, found `Tensor`\n";
    run.diagnostics = vec![Diagnostic {
        level: "error".to_owned(),
        message: "mismatched types".to_owned(),
        place: Some(("attention/sdpa.rs".to_owned(), 8, 5)),
        rendered: rendered.to_owned(),
    }];
    run
}

/// A case panicked, another ran out of nothing worse.
pub fn panicked() -> Run {
    let message = "index out of bounds: the len is 4 but the index is 7".to_owned();
    let result = CaseResult::Panicked { message: message.clone(), location: Some("attention/sdpa.rs:9:14".to_owned()) };
    let cases = vec![case(0, NAMES[0], CaseResult::Passed), case(1, NAMES[1], result)];
    run(Verdict::Panicked { case: NAMES[1].to_owned(), message, diagnosis: None }, cases)
}

/// A version as the store would have it.
pub fn version(id: i64, headline: &str, accepted: bool) -> Version {
    Version {
        id,
        slug: "sdpa".to_owned(),
        at: "2026-03-02T12:04:00Z".parse().expect("a time"),
        verdict: if accepted { "accepted" } else { "wrong-answer" }.to_owned(),
        headline: headline.to_owned(),
        accepted,
        measured: None,
    }
}

/// A history in which each status is seen.
pub fn progress() -> HashMap<String, Progress> {
    let of = |status, runs, hints, last: Option<Version>| Progress { status, runs, hints, last, ..Progress::default() };
    HashMap::from([
        ("sdpa".to_owned(), of(Status::Tried, 3, 1, Some(version(3, "wrong answer: 2 of 4 cases fail on cpu", false)))),
        ("row-gqa".to_owned(), of(Status::Accepted, 1, 0, None)),
        ("row-rope".to_owned(), of(Status::Tried, 2, 0, None)),
    ])
}

/// Every screen there is, as keys and events that lead to it.
pub fn lead(name: &str, screen: &mut Screen) {
    screen.feed(Event::Loaded(progress()));
    match name {
        "list" => {}
        "read" => drop(screen.press("enter")),
        "untried" => drop(screen.press("enter 2")),
        "running" => {
            screen.press("r");
            let generation = screen.model.generation;
            let names = NAMES.map(str::to_owned).to_vec();
            screen.feed(Event::Run(generation, RunEvent::Planned(names, "cpu".to_owned())));
            for (at, result) in [CaseResult::Passed, differs()].into_iter().enumerate() {
                screen.feed(Event::Run(generation, RunEvent::CaseDone(Box::new(case(at, NAMES[at], result)))));
            }
            screen.feed(Event::Tick(0.4));
        }
        "wrong" => drop(screen.press("r").done(wrong())),
        "accepted" => drop(screen.press("r").done(accepted())),
        "uncompilable" => drop(screen.press("r").done(uncompilable())),
        "panicked" => drop(screen.press("r").done(panicked())),
        "hints" => drop(screen.press("enter h h")),
        "diff" => {
            screen.press("enter s y");
            let own = "pub fn sdpa() {\n    // mine\n}\n".to_owned();
            screen.feed(Event::Source("sdpa".to_owned(), own));
        }
        "questions" => drop(screen.press("r").done(accepted()).press("5 a")),
        "help" => drop(screen.press("?")),
        "palette" => drop(screen.press(":").type_in("attn")),
        "picker" => {
            let versions =
                vec![version(3, "wrong answer: 2 of 4 cases fail on cpu", false), version(2, "accepted", true)];
            screen.press("i").feed(Event::Versions("sdpa".to_owned(), versions));
        }
        "path" => drop(screen.press("i j enter").type_in("~/old/sdpa.rs")),
        "confirm" => drop(screen.press("R")),
        "search" => drop(screen.press("/").type_in("attention")),
        "nothing-found" => drop(screen.press("/").type_in("zzz").press("enter")),
        "warming" => {
            screen.feed(Event::Warm(Warm::Building("Compiling candle-core v0.11.1".to_owned())));
            screen.feed(Event::WarmTick(43));
        }
        "error" => {
            let text = "the judge cannot be built: no linker: install a C toolchain (gcc or clang)";
            screen.feed(Event::Notice(Level::Warning, "the folder is looked at now and then".to_owned()));
            screen.feed(Event::Notice(Level::Error, text.to_owned()));
        }
        other => lead_in_lab(other, screen),
    }
}

/// The screens of the lab.
fn lead_in_lab(name: &str, screen: &mut Screen) {
    if name == "lab-loading" {
        screen.press("L");
        return;
    }
    if name == "lab-failed" {
        let why = "the weights of the embedded model are broken: 12 bytes are missing".to_owned();
        screen.press("L").feed(Event::Lab(Answer::Failed(why)));
        return;
    }
    screen.enter_lab();
    match name {
        "lab" => {}
        "lab-start" => drop(screen.press("home")),
        "lab-back" => drop(screen.press("← ← ← ← ←")),
        "lab-forced" => drop(screen.press("← ← ↓ ↓ enter → →")),
        "lab-settings" => drop(screen.press("s")),
        "lab-typed" => drop(screen.press("s enter backspace").type_in("65")),
        "lab-all-stages" => {
            screen.press("s");
            for line in ["repetition", "frequency", "min-p", "typical"] {
                screen.press("↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑");
                let lines = logitlings::app::lab::sheet::Sheet::new(logitlings::lab::recipe::Recipe::from(
                    screen.model.lab.track().expect("a lane").settings(),
                ))
                .lines();
                let at = lines.iter().position(|other| other.name() == line).expect("it is listed");
                for _ in 0..at {
                    screen.press("↓");
                }
                screen.press("space");
            }
            screen.press("esc");
        }
        "lab-greedy" => drop(screen.press("s ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↓ space esc")),
        "lab-two" => drop(screen.press("c s + + + esc → → →")),
        "lab-sweep" => drop(screen.press("p ↓ enter")),
        "lab-rules" => drop(screen.press("p G ↓ ↓ ↓ ↓ enter")),
        "lab-presets" => drop(screen.press("p ↓")),
        "lab-branches" => drop(screen.press("← ← ↓ ↓ enter → ← ← ↓ enter b")),
        "lab-expected" => drop(screen.press("v ↓ ↓")),
        "lab-find" => drop(screen.press("/").type_in("the")),
        "lab-prompt" => {
            screen.press("e").feed(Event::Paste("\nHer letter".to_owned())).press("← ←");
        }
        "lab-seed" => drop(screen.press("S backspace").type_in("7")),
        "lab-refused" => drop(screen.press("e ctrl-u enter")),
        "lab-playing" => drop(screen.press("space > >").feed(Event::Play).feed(Event::Play)),
        "lab-full" => drop(screen.press("] ] ] ] ] ]")),
        other => panic!("there is no screen {other}"),
    }
}

pub const LAB: [&str; 22] = [
    "lab-loading",
    "lab",
    "lab-start",
    "lab-back",
    "lab-forced",
    "lab-settings",
    "lab-typed",
    "lab-all-stages",
    "lab-greedy",
    "lab-two",
    "lab-sweep",
    "lab-rules",
    "lab-presets",
    "lab-branches",
    "lab-expected",
    "lab-find",
    "lab-prompt",
    "lab-seed",
    "lab-refused",
    "lab-playing",
    "lab-full",
    "lab-failed",
];

pub const SCREENS: [&str; 20] = [
    "list",
    "read",
    "untried",
    "running",
    "wrong",
    "accepted",
    "uncompilable",
    "panicked",
    "hints",
    "diff",
    "questions",
    "help",
    "palette",
    "picker",
    "path",
    "confirm",
    "search",
    "nothing-found",
    "warming",
    "error",
];
