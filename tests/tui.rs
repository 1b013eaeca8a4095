//! What the screens look like: snapshots of every screen at the sizes and looks that people have, and the promise that no
//! size and no input makes the program fail.
//!
//! A snapshot of text does not see colour, so some screens are kept with their styles too.
#![allow(clippy::print_stdout)] // a test that is skipped says so

mod screens;

use logitlings::app::{Code, Event, Key};
use logitlings::ui::screens::{Cache, view};
use logitlings::ui::theme::{Background, Charset, Depth, Theme};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use screens::{LAB, SCREENS, Screen, accepted, lead, panicked, uncompilable, wrong};
use std::time::Instant;

fn shown(name: &str, width: u16, height: u16, theme: Theme) -> Screen {
    let mut screen = Screen::new(width, height, theme);
    lead(name, &mut screen);
    screen
}

#[test]
fn every_screen_at_80_by_24() {
    for name in SCREENS {
        let text = shown(name, 80, 24, Theme::default()).text();
        insta::assert_snapshot!(format!("{name}_80x24"), text);
    }
}

#[test]
fn every_screen_at_120_by_40() {
    for name in SCREENS {
        let text = shown(name, 120, 40, Theme::default()).text();
        insta::assert_snapshot!(format!("{name}_120x40"), text);
    }
}

#[test]
fn every_screen_of_the_lab_at_80_by_24_and_120_by_40() {
    for name in LAB {
        let small = shown(name, 80, 24, Theme::default()).text();
        insta::assert_snapshot!(format!("{name}_80x24"), small);
        let large = shown(name, 120, 40, Theme::default()).text();
        insta::assert_snapshot!(format!("{name}_120x40"), large);
    }
}

#[test]
fn the_lab_where_there_is_little_room_and_much() {
    for name in ["lab", "lab-sweep", "lab-settings", "lab-expected"] {
        let sizes = [(40, 12), (20, 5), (60, 40), (200, 50)];
        let texts = sizes.map(|(width, height)| shown(name, width, height, Theme::default()).text());
        insta::assert_snapshot!(format!("{name}_sizes"), texts.join("\n========\n"));
    }
}

#[test]
fn some_screens_where_there_is_little_room() {
    for name in ["list", "read", "wrong", "palette", "confirm", "error"] {
        let small = shown(name, 40, 12, Theme::default()).text();
        let least = shown(name, 20, 5, Theme::default()).text();
        let tall = shown(name, 60, 40, Theme::default()).text();
        insta::assert_snapshot!(format!("{name}_small"), format!("{small}\n========\n{least}\n========\n{tall}"));
    }
}

#[test]
fn styles_in_dark_light_and_without_colour() {
    let looks = [
        ("dark", Theme::dark(Depth::TrueColor, Charset::Unicode)),
        ("light", Theme::light(Depth::TrueColor, Charset::Unicode)),
        ("sixteen", Theme::dark(Depth::Ansi16, Charset::Unicode)),
        ("plain", Theme::plain(Charset::Unicode)),
        ("ascii", Theme::plain(Charset::Ascii)),
    ];
    for (look, theme) in looks {
        for name in ["list", "wrong", "accepted", "palette", "lab", "lab-sweep"] {
            let buffer = shown(name, 80, 24, theme.clone()).draw();
            insta::assert_debug_snapshot!(format!("{name}_styles_{look}"), buffer);
        }
    }
}

#[test]
fn without_colour_there_is_no_colour_and_in_ascii_nothing_else() {
    for name in SCREENS.into_iter().chain(LAB) {
        let buffer = shown(name, 120, 40, Theme::plain(Charset::Ascii)).draw();
        for cell in &buffer.content {
            assert!(cell.symbol().is_ascii(), "{name}: {:?}", cell.symbol());
            assert_eq!((cell.fg, cell.bg), (ratatui::style::Color::Reset, ratatui::style::Color::Reset), "{name}");
        }
    }
}

/// What is selected and what is right or wrong must be seen by more than a colour.
#[test]
fn meanings_survive_without_colour() {
    let mut list = shown("list", 80, 24, Theme::plain(Charset::Unicode));
    let buffer = list.draw();
    let row = list.text().lines().position(|line| line.contains("▌")).expect("the selected row is marked");
    let reversed = |x: u16| buffer[(x, row as u16)].modifier.contains(ratatui::style::Modifier::REVERSED);
    assert!(reversed(5) && reversed(15));
    let text = list.text();
    assert!(text.contains("✗ ★★★★★ Scaled") && text.contains("✓ ★★★★★ Grouped") && text.contains("· ★★★   Latent"));
}

#[test]
fn sizes_that_are_no_size_do_not_fail() {
    for name in SCREENS.into_iter().chain(LAB) {
        for (width, height) in
            [(1, 1), (2, 1), (1, 40), (200, 1), (19, 5), (20, 4), (20, 5), (21, 6), (400, 3), (300, 120)]
        {
            let mut screen = shown(name, width, height, Theme::default());
            screen.resize(80, 24).resize(width, height);
        }
    }
}

/// Anything that can happen.
fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => prop::sample::select(KEYS).prop_map(Happening::Key),
        1 => prop::char::any().prop_map(Happening::Char),
        1 => (1u16..230, 1u16..80).prop_map(|(width, height)| Happening::Resize(width, height)),
        1 => (0u16..230, 0u16..80).prop_map(|(x, y)| Happening::Click(x, y)),
        1 => (0u16..230, 0u16..80, -4isize..5).prop_map(|(x, y, rows)| Happening::Wheel(x, y, rows)),
        1 => "\\PC{0,12}".prop_map(Happening::Paste),
        1 => (0usize..4).prop_map(Happening::Verdict),
        1 => prop::sample::select(vec!["sdpa", "row-moe", "unknown"]).prop_map(Happening::Saved),
        1 => Just(Happening::Play),
    ]
}

#[derive(Clone, Debug)]
enum Happening {
    Key(&'static str),
    Char(char),
    Resize(u16, u16),
    Click(u16, u16),
    Wheel(u16, u16, isize),
    Paste(String),
    Verdict(usize),
    Saved(&'static str),
    Play,
}

const KEYS: &[&str] = &[
    "↑",
    "↓",
    "←",
    "→",
    "enter",
    "esc",
    "tab",
    "pgup",
    "pgdn",
    "home",
    "end",
    "backspace",
    "space",
    "/",
    "?",
    ":",
    "1",
    "2",
    "3",
    "4",
    "5",
    "[",
    "]",
    "a",
    "c",
    "d",
    "e",
    "g",
    "h",
    "i",
    "j",
    "k",
    "l",
    "n",
    "p",
    "r",
    "s",
    "x",
    "y",
    "Y",
    "G",
    "R",
    "ctrl-u",
    "ctrl-w",
    "ctrl-p",
    "shift-tab",
    "L",
    "P",
    "b",
    "f",
    "J",
    "K",
    "S",
    "u",
    "v",
    "w",
    "+",
    "-",
    "<",
    ">",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_a_frame_is_drawn(
        first in (1u16..230, 1u16..80),
        ascii: bool,
        in_lab: bool,
        happenings in prop::collection::vec(happening(), 1..40),
    ) {
        let theme = if ascii { Theme::plain(Charset::Ascii) } else { Theme::light(Depth::Indexed, Charset::Unicode) };
        let mut screen = Screen::new(first.0, first.1, theme);
        if in_lab {
            screen.enter_lab();
        }
        for happening in happenings {
            match happening {
                Happening::Key(name) => drop(screen.press(name)),
                Happening::Char(c) => drop(screen.feed(Event::Key(Key::plain(Code::Char(c))))),
                Happening::Resize(width, height) => drop(screen.resize(width, height)),
                Happening::Click(x, y) => drop(screen.feed(Event::Click(x, y))),
                Happening::Wheel(x, y, rows) => drop(screen.feed(Event::Wheel(x, y, rows))),
                Happening::Paste(text) => drop(screen.feed(Event::Paste(text))),
                Happening::Play => drop(screen.feed(Event::Play)),
                Happening::Saved(slug) => drop(screen.feed(Event::Saved(slug.to_owned()))),
                Happening::Verdict(which) => {
                    let run = [wrong, accepted, uncompilable, panicked][which]();
                    screen.done(run);
                }
            }
            let model = &screen.model;
            prop_assert!(model.selected < model.problems.len());
            let rows = model.layout.detail_rows;
            prop_assert!(model.scroll <= rows, "scrolled to {} of {rows}", model.scroll);
        }
    }
}

/// Not a limit, which would depend on the machine: `cargo test --release --test tui -- --nocapture how_long` says it.
#[test]
fn how_long_a_key_takes() {
    let mut screen = shown("wrong", 200, 60, Theme::default());
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..10 {
        for keys in
            ["n", "p", "2", "1", "j", "k", "tab", "pgdn", "pgup", "tab", "?", "esc", ":", "a", "esc", "i", "j", "esc"]
        {
            let started = Instant::now();
            screen.press(keys);
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("key to frame on 200×60: median {:.2} ms, 99th percentile {:.2} ms", at(0.5), at(0.99));
    assert!(times.len() == 180);
}

/// A frame after which nothing has happened costs no rendering of texts: the lines are those of the frame before.
#[test]
fn a_frame_without_news_is_the_same_frame() {
    let mut screen = shown("wrong", 120, 40, Theme::new(Background::Dark, Depth::TrueColor, Charset::Unicode));
    let mut cache = Cache::default();
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).expect("cells");
    let mut frame = || {
        terminal.draw(|frame| drop(view(&screen.model, &Theme::default(), &mut cache, frame))).expect("cells");
        terminal.backend().buffer().clone()
    };
    let first = frame();
    assert_eq!(first, frame());
    assert!(screen.sees("no-scale"));
}
