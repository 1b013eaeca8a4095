//! From a key to its frame while the lab decodes, on 200×60, in this process: `cargo bench --bench frame`.
//!
//! Every event is timed from `update` to the last byte that the terminal would be sent, beside an empty frame of the same
//! size. Keys come in turn with the views that a decode of four lanes over 4 096 tokens produces.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a bench speaks

#[path = "../screens/lab.rs"]
mod lab;

use lab::Desk;
use logitlings::app::{Effect, Event, Key, Model, update};
use logitlings::lab::view::{Answer, Request};
use logitlings::ui::screens::{Cache, view};
use logitlings::ui::theme::Theme;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::hint::black_box;
use std::time::Instant;

const SIZE: Rect = Rect { x: 0, y: 0, width: 200, height: 60 };
const ROUNDS: usize = 60;
const KEYS: [&str; 20] = [
    "→", "↓", "↓", "tab", "←", "s", "↓", "+", "-", "space", "esc", "v", "v", "]", "[", "enter", "b", "esc", "?", "esc",
];

/// A writer that forgets.
type Screen = Terminal<CrosstermBackend<std::io::Sink>>;

struct Lab {
    model: Model,
    theme: Theme,
    cache: Cache,
    screen: Screen,
    desk: Desk,
    asked: Vec<(u64, Request)>,
}

impl Lab {
    fn new() -> Self {
        let options = TerminalOptions { viewport: Viewport::Fixed(SIZE) };
        let screen = Terminal::with_options(CrosstermBackend::new(std::io::sink()), options).expect("a screen");
        let (model, theme, cache) = (Model::new(), Theme::default(), Cache::default());
        Self { model, theme, cache, screen, desk: Desk::with_vocabulary(256, 4096), asked: Vec::new() }
    }

    /// Milliseconds from the event to its frame.
    fn feed(&mut self, event: Event) -> f64 {
        let began = Instant::now();
        let effects = update(&mut self.model, event);
        let (model, theme, cache) = (&self.model, &self.theme, &mut self.cache);
        let mut layout = None;
        let drawn = self.screen.draw(|frame| layout = Some(view(model, theme, cache, frame)));
        drawn.expect("a sink takes everything");
        update(&mut self.model, Event::Drawn(layout.expect("it was drawn")));
        let took = began.elapsed().as_secs_f64() * 1e3;
        self.asked.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Lab(number, request) => Some((number, request)),
            _ => None,
        }));
        took
    }

    /// The thread's answers are made outside of the time that is measured.
    fn answers(&mut self, times: &mut Vec<f64>) {
        while !self.asked.is_empty() {
            let (number, request) = self.asked.remove(0);
            for answer in self.desk.answer(number, request) {
                times.push(self.feed(Event::Lab(answer)));
            }
        }
    }
}

fn main() {
    let mut lab = Lab::new();
    let first = lab.desk.view();
    lab.feed(Event::Lab(Answer::View(0, Box::new(first))));
    let (mut keys, mut views) = (Vec::new(), Vec::new());
    for name in ["L", "p", "↓", "enter"] {
        lab.feed(Event::Key(name.parse().expect("a key")));
        lab.answers(&mut views);
    }
    views.clear();
    for _ in 0..ROUNDS {
        for name in KEYS {
            let key: Key = name.parse().expect("a key");
            keys.push(lab.feed(Event::Key(key)));
            lab.answers(&mut views);
        }
        lab.feed(Event::Key("home".parse().expect("a key")));
        lab.answers(&mut views);
    }
    report("key to frame", &mut keys);
    report("view to frame", &mut views);
    report("nothing to frame", &mut (0..ROUNDS * 10).map(|_| empty(&mut lab.screen)).collect());
}

fn empty(screen: &mut Screen) -> f64 {
    let began = Instant::now();
    screen
        .draw(|frame| {
            black_box(frame.area());
        })
        .expect("a sink takes everything");
    began.elapsed().as_secs_f64() * 1e3
}

#[allow(clippy::ptr_arg)] // so that a measured list can be collected in the call
fn report(what: &str, times: &mut Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{what:<18} {:>5} frames of {}x{}: p50 {:.3} ms, p99 {:.3} ms, most {:.3} ms",
        times.len(),
        SIZE.width,
        SIZE.height,
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
