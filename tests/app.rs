//! What keys and events do: keys in; state, effects and the screen's words out. No terminal, no files, no clock.
#![allow(clippy::print_stdout)] // a test that is skipped says so

#[path = "app/lab.rs"]
mod lab;
mod screens;

use logitlings::app::commands;
use logitlings::app::event::{Level, Warm};
use logitlings::app::model::Focus;
use logitlings::app::{Code, Effect, Event, Key, RunEvent, Tab};
use logitlings::runner::verdict::Implementation;
use logitlings::store::Status;
use logitlings::ui::theme::Theme;
use screens::{LAB, SCREENS, Screen, accepted, lead, panicked, progress, uncompilable, version, wrong};
use std::collections::HashSet;
use std::path::PathBuf;

fn wide() -> Screen {
    Screen::new(140, 40, Theme::default())
}

fn narrow() -> Screen {
    Screen::new(60, 20, Theme::default())
}

fn run_of(effects: &[Effect]) -> (&Implementation, Option<&str>) {
    let found = effects.iter().find_map(|effect| match effect {
        Effect::Run { implementation, only, .. } => Some((implementation, only.as_deref())),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no run among {effects:?}"))
}

// The table.

#[test]
fn every_key_is_a_key_and_means_one_thing_at_a_time() {
    let names: HashSet<&str> = commands::ALL.iter().flat_map(|command| command.keys.iter().copied()).collect();
    for name in &names {
        let key: Key = name.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(key.to_string(), *name, "the name is the key's own");
    }
    for size in [(140, 40), (80, 24), (40, 12)] {
        for screen_name in SCREENS.into_iter().chain(LAB) {
            let mut screen = Screen::new(size.0, size.1, Theme::default());
            lead(screen_name, &mut screen);
            for focus in [Focus::List, Focus::Detail] {
                screen.model.focus = focus;
                for name in &names {
                    let mine = commands::ALL.iter().filter(|c| c.keys.contains(name) && c.works(&screen.model));
                    let ids: Vec<&str> = mine.map(|command| command.id).collect();
                    assert!(ids.len() <= 1, "{name} on {screen_name} means {ids:?}");
                }
            }
        }
    }
}

#[test]
fn every_command_has_a_name_words_and_a_context_in_which_it_works() {
    let ids: HashSet<&str> = commands::ALL.iter().map(|command| command.id).collect();
    assert_eq!(ids.len(), commands::ALL.len(), "names are unique");
    let mut dead: HashSet<&str> = ids.clone();
    for name in SCREENS.into_iter().chain(LAB) {
        let mut screen = wide();
        lead(name, &mut screen);
        for focus in [Focus::List, Focus::Detail] {
            screen.model.focus = focus;
            screen.model.overlay = None;
            commands::ALL.iter().filter(|c| c.works(&screen.model)).for_each(|c| {
                dead.remove(c.id);
            });
        }
    }
    assert!(dead.is_empty(), "never reachable: {dead:?}");
    for command in commands::ALL {
        assert!(!command.keys.is_empty() && !command.title.is_empty() && !command.doc.is_empty(), "{}", command.id);
    }
}

#[test]
fn the_footer_shows_what_works_now() {
    let mut screen = wide();
    assert!(screen.sees("e edit") && screen.sees("? keys") && !screen.sees("x stop"));
    screen.press("r");
    assert!(screen.sees("x stop"));
    screen.done(wrong());
    assert!(!screen.sees("x stop") && screen.sees("n next case"));
    for (width, height) in [(40, 12), (20, 5)] {
        let mut small = Screen::new(width, height, Theme::default());
        assert!(small.text().lines().last().is_some_and(|line| line.contains('?')), "{}", small.text());
    }
}

#[test]
fn the_help_lists_every_command() {
    let mut screen = Screen::new(100, 140, Theme::default());
    let text = screen.press("?").text();
    for command in commands::ALL {
        let first: String = command.doc.chars().take(30).collect();
        assert!(text.contains(&first), "{} is missing:\n{text}", command.id);
    }
}

#[test]
fn the_readme_has_the_table() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let Ok(readme) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no README.md");
        return;
    };
    let table = commands::readme_table();
    let between = readme.split_once("<!-- keys -->").and_then(|(_, rest)| rest.split_once("<!-- /keys -->"));
    let found = between.map(|(text, _)| text.trim()).unwrap_or_default();
    assert_eq!(found, table.trim(), "README.md must hold, between <!-- keys --> and <!-- /keys -->:\n\n{table}");
}

#[test]
fn the_readme_table_is_markdown() {
    let table = commands::readme_table();
    assert!(table.lines().filter(|line| !line.is_empty()).all(|line| line.starts_with('|') && line.ends_with('|')));
    for command in commands::ALL {
        assert!(table.contains(command.doc), "{}", command.id);
    }
}

// Moving.

#[test]
fn the_list_moves_over_topics_and_stops_at_its_ends() {
    let mut screen = wide();
    let slug = |screen: &Screen| screen.model.slug();
    assert_eq!(slug(screen.press("j")), "row-gqa");
    assert_eq!(slug(screen.press("↓ ↓")), "row-rope");
    assert_eq!(slug(screen.press("G")), "row-moe");
    assert_eq!(slug(screen.press("j j")), "row-moe");
    assert_eq!(slug(screen.press("g k")), "sdpa");
}

#[test]
fn a_text_scrolls_no_further_than_its_end_also_after_a_resize() {
    let mut screen = Screen::new(80, 20, Theme::default());
    screen.press("enter G");
    let end = screen.model.scroll;
    assert!(end > 0);
    screen.press("j pgdn");
    assert_eq!(screen.model.scroll, end);
    screen.resize(200, 70);
    assert_eq!(screen.model.scroll, 0, "all of it is seen");
    screen.resize(80, 20).press("space");
    assert!(screen.model.scroll > 0);
}

#[test]
fn in_a_narrow_window_what_was_asked_for_comes_forward() {
    for keys in ["r", "h", "2", "enter"] {
        let mut screen = narrow();
        assert_eq!(screen.model.focus, Focus::List);
        assert_eq!(screen.press(keys).model.focus, Focus::Detail, "{keys}");
        assert_eq!(screen.press("esc").model.focus, Focus::List);
        let mut screen = wide();
        let focus = screen.press(keys).model.focus;
        assert_eq!(focus == Focus::Detail, keys == "enter", "in a wide one the list keeps the keys: {keys}");
    }
}

#[test]
fn the_parts_go_round() {
    let mut screen = wide();
    assert_eq!(screen.press("]").model.tab, Tab::Verdict);
    assert_eq!(screen.press("[ [").model.tab, Tab::Statement, "the solution asks first and stays away");
    assert!(screen.sees("show the reference?"));
    assert_eq!(screen.press("y").model.tab, Tab::Solution);
    assert_eq!(screen.press("]").model.tab, Tab::Questions);
    assert_eq!(screen.press("]").model.tab, Tab::Statement);
}

#[test]
fn searching_narrows_the_list_and_keeps_a_selection_that_is_seen() {
    let mut screen = wide();
    screen.press("/").type_in("POSITIONS");
    assert_eq!(screen.model.slug(), "row-rope", "topics are found, whatever the case");
    assert!(screen.sees("1 of 5"));
    screen.press("enter");
    assert!(!screen.model.searching);
    assert_eq!(screen.press("j").model.slug(), "row-rope", "the hidden ones cannot be reached");
    screen.press("esc");
    assert_eq!((screen.model.search.as_str(), screen.model.slug()), ("", "row-rope"));
    screen.press("/").type_in("nothing at all");
    assert!(screen.sees("Nothing matches") && screen.sees("esc"));
    screen.press("ctrl-w ctrl-u").type_in("q").press("backspace");
    assert_eq!(screen.model.rows().len(), 10);
}

#[test]
fn letters_typed_into_a_search_are_no_commands() {
    let mut screen = wide();
    screen.press("/").type_in("qreR?:");
    assert!(screen.take_effects().is_empty());
    assert_eq!(screen.model.search, "qreR?:");
}

#[test]
fn pasted_text_is_never_a_command() {
    let mut screen = wide();
    screen.feed(Event::Paste("q\nR\ny".to_owned()));
    assert!(screen.take_effects().is_empty() && screen.model.overlay.is_none());
    screen.press("/").feed(Event::Paste("ro\tpe\n".to_owned()));
    assert_eq!(screen.model.search, "rope");
    screen.press("esc i j enter").feed(Event::Paste("/tmp/a b.rs\n".to_owned()));
    screen.press("enter");
    assert_eq!(run_of(&screen.take_effects()).0, &Implementation::File(PathBuf::from("/tmp/a b.rs")));
}

// Running.

#[test]
fn a_run_shows_its_progress_and_its_verdict() {
    let mut screen = wide();
    lead("running", &mut screen);
    assert!(screen.sees("sdpa 0.4 s") && screen.sees("case 3 of 4"));
    screen.done(wrong());
    for text in ["2 of 4 cases fail", "this is the mistake no-scale", "expected", "what it printed", "copies them"] {
        assert!(screen.sees(text) || screen.press("tab G").sees(text), "{text}:\n{}", screen.text());
        screen.model.scroll = 0;
    }
}

#[test]
fn a_save_judges_that_problem_and_shows_it_wherever_one_is() {
    let mut screen = narrow();
    screen.press("G /").type_in("moe").press("enter");
    screen.take_effects();
    screen.feed(Event::Saved("sdpa".to_owned()));
    assert_eq!(run_of(&screen.take_effects()), (&Implementation::Own, None));
    assert_eq!((screen.model.slug(), screen.model.tab, screen.model.focus), ("sdpa", Tab::Verdict, Focus::Detail));
}

#[test]
fn a_save_during_a_run_counts_and_the_older_answer_is_dropped() {
    let mut screen = wide();
    screen.feed(Event::Saved("sdpa".to_owned()));
    let first = screen.model.generation;
    screen.feed(Event::Saved("sdpa".to_owned()));
    assert!(screen.model.generation > first);
    screen.feed(Event::Run(first, RunEvent::Done(Box::new(accepted()))));
    assert!(screen.model.running.is_some() && screen.model.judged().is_none());
    screen.done(wrong());
    assert_eq!(screen.model.judged().map(|judged| judged.run.verdict.word()), Some("wrong-answer"));
}

#[test]
fn a_save_puts_the_readers_own_file_back_in_its_place() {
    let mut screen = wide();
    screen.press("i G enter");
    assert!(matches!(run_of(&screen.take_effects()).0, Implementation::Mistake(_)));
    screen.done(wrong()).press("r");
    assert!(matches!(run_of(&screen.take_effects()).0, Implementation::Mistake(_)), "r repeats what was picked");
    screen.feed(Event::Saved("sdpa".to_owned()));
    assert_eq!(run_of(&screen.take_effects()).0, &Implementation::Own);
}

#[test]
fn one_case_alone_is_judged_and_does_not_count() {
    let mut screen = wide();
    screen.press("r").done(wrong());
    screen.take_effects();
    assert_eq!(screen.model.case, 1, "the first that fails is selected");
    screen.press("n c");
    assert_eq!(run_of(&screen.take_effects()), (&Implementation::Own, Some("a mask of (Tq, Tk)")));
    screen.done(accepted());
    assert!(screen.sees("it does not count") && screen.sees("judges all cases"));
    assert_eq!(screen.model.status("sdpa"), Status::Tried, "passing one case is no acceptance");
    screen.press("r").done(accepted());
    assert_eq!(screen.model.status("sdpa"), Status::Accepted);
}

#[test]
fn the_reference_and_the_mistakes_do_not_count() {
    let mut screen = wide();
    screen.press("i j j enter");
    assert_eq!(run_of(&screen.take_effects()).0, &Implementation::Reference);
    screen.done(accepted());
    assert_eq!(screen.model.status("sdpa"), Status::Untried);
    assert!(!screen.model.may_see_solution());
}

#[test]
fn an_accepted_problem_stays_accepted() {
    let mut screen = wide();
    screen.press("r").done(accepted()).press("r").done(wrong());
    assert_eq!(screen.model.status("sdpa"), Status::Accepted);
}

#[test]
fn a_stopped_run_is_said_and_not_heard_again() {
    let mut screen = wide();
    screen.press("r");
    let generation = screen.model.generation;
    screen.take_effects();
    screen.press("x");
    assert_eq!(screen.take_effects(), [Effect::Cancel]);
    screen.feed(Event::Run(generation, RunEvent::Done(Box::new(accepted()))));
    assert!(screen.model.running.is_none() && screen.model.judged().is_none());
    assert!(screen.sees("was stopped"));
}

#[test]
fn a_failure_of_our_own_ends_the_run_and_stays_until_dismissed() {
    let mut screen = wide();
    screen.press("r");
    let generation = screen.model.generation;
    screen.feed(Event::Run(generation, RunEvent::Failed("cargo was not found".to_owned())));
    assert!(screen.model.running.is_none());
    screen.press("j k 1 tab").resize(80, 24).resize(140, 40);
    assert!(screen.sees("cargo was not found"), "no redraw and no key wipes it");
    assert!(!screen.press("d").sees("cargo was not found"));
}

#[test]
fn messages_are_stacked_and_told_once() {
    let mut screen = wide();
    for text in ["one", "two", "one"] {
        screen.feed(Event::Notice(Level::Error, text.to_owned()));
    }
    assert_eq!(screen.model.notices.len(), 2);
    assert!(screen.sees("one (1 more)"));
    assert!(screen.press("d").sees("two"));
    screen.feed(Event::Notice(Level::Info, "good to know".to_owned()));
    assert!(!screen.press("j").sees("good to know"), "what is only good to know goes with the next key");
}

#[test]
fn the_editor_opens_where_rustc_points() {
    let mut screen = wide();
    screen.press("e").press("r").done(uncompilable()).press("e");
    let lines: Vec<Option<usize>> = screen
        .take_effects()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Edit { line, .. } => Some(line),
            _ => None,
        })
        .collect();
    assert_eq!(lines, [None, Some(8)]);
}

#[test]
fn a_verdict_of_another_problem_does_not_disturb_the_one_that_is_read() {
    let mut screen = wide();
    screen.press("r j enter");
    screen.done(wrong());
    assert_eq!((screen.model.slug(), screen.model.tab), ("row-gqa", Tab::Statement));
    screen.press("esc k 2");
    assert!(screen.sees("2 of 4 cases fail"));
}

#[test]
fn the_header_says_how_far_the_judge_is() {
    let mut screen = wide();
    lead("warming", &mut screen);
    assert!(screen.sees("warming 43 s · compiling candle-core"), "{}", screen.text());
    screen.press("r");
    let generation = screen.model.generation;
    screen.feed(Event::Run(generation, RunEvent::Waiting));
    assert!(screen.sees("waiting for the judge · compiling candle-core"), "it is no stranger's cargo");
    screen.feed(Event::Run(generation, RunEvent::Planned(vec!["one".to_owned()], "cpu".to_owned())));
    screen.done(accepted());
    assert_eq!(screen.model.warm, Warm::Ready);
    assert!(screen.sees("cpu · ✓ judge ready"), "{}", screen.text());
    screen.feed(Event::Warm(Warm::Failed("no linker".to_owned())));
    assert!(screen.sees("judge not built") && screen.sees("no linker"));
}

#[test]
fn a_build_that_was_not_needed_does_not_make_the_judge_ready() {
    let mut screen = wide();
    lead("warming", &mut screen);
    screen.press("i G enter");
    let mut run = wrong();
    run.build_seconds = 0.0;
    screen.done(run);
    assert!(matches!(screen.model.warm, Warm::Building(_)));
}

#[test]
fn a_panic_and_a_compiler_error_are_shown_in_their_own_words() {
    let mut screen = wide();
    screen.press("r").done(panicked());
    assert!(screen.sees("index out of bounds") && screen.sees("attention/sdpa.rs:9:14"));
    assert!(screen.sees("· a mask of (Tq, Tk)"), "cases that were not reached are there, and not as failed");
    screen.press("r").done(uncompilable());
    assert!(screen.sees("does not compile: 1 error") && screen.sees("mismatched types"));
}

// Help on the way.

#[test]
fn hints_come_one_by_one_and_are_counted() {
    let mut screen = wide();
    let hints = screen.model.problem().hints;
    for number in 1..=hints {
        screen.press("h");
        assert_eq!(screen.take_effects(), [Effect::HintShown("sdpa".to_owned(), number)]);
        assert!(screen.sees(&format!("hints {number}/{hints}")));
    }
    screen.press("h");
    assert!(screen.take_effects().is_empty(), "there are no more");
}

#[test]
fn a_history_that_comes_late_does_not_take_a_hint_back() {
    let mut screen = wide();
    screen.press("h h").feed(Event::Loaded(progress()));
    assert_eq!(screen.model.hints_shown(), 2);
}

#[test]
fn the_solution_asks_before_acceptance_and_is_free_after() {
    let mut screen = wide();
    screen.press("s n");
    assert!(screen.take_effects().is_empty() && screen.model.tab == Tab::Statement);
    screen.press("s enter");
    assert!(screen.model.overlay.is_some(), "enter alone does not give it away");
    screen.press("y");
    let slug = "sdpa".to_owned();
    assert_eq!(screen.take_effects(), [Effect::SolutionShown(slug.clone()), Effect::LoadSource(slug.clone())]);
    assert!(screen.sees("The reference"));
    let mut screen = wide();
    screen.press("r").done(accepted());
    screen.take_effects();
    screen.press("s");
    assert_eq!(screen.take_effects(), [Effect::LoadSource(slug)]);
    assert!(screen.model.overlay.is_none());
}

#[test]
fn the_readers_own_code_stands_beside_the_reference() {
    let mut screen = wide();
    lead("diff", &mut screen);
    assert!(screen.sees("Your file, and the reference") && screen.sees("// mine"));
}

#[test]
fn answers_to_what_an_interviewer_asks_come_one_by_one() {
    let mut screen = wide();
    screen.press("5");
    assert_eq!(screen.model.tab, Tab::Statement, "not before acceptance");
    screen.press("r").done(accepted()).press("5");
    let before = screen.text();
    assert!(before.contains("a shows the answer"));
    screen.press("a");
    assert_ne!(screen.text(), before);
    let questions = screen.model.problem().questions;
    (0..questions + 2).for_each(|_| {
        screen.press("a");
    });
    assert_eq!(screen.model.answers_shown(), questions);
}

#[test]
fn a_reset_asks_and_is_about_the_problem_it_asked_for() {
    let mut screen = wide();
    screen.press("R n");
    assert!(screen.take_effects().is_empty());
    screen.press("R y");
    assert_eq!(screen.take_effects(), [Effect::Reset("sdpa".to_owned())]);
    screen.feed(Event::WasReset("sdpa".to_owned(), 7));
    assert!(screen.sees("version 7"));
    // Another file is saved while the question is open: it is gone, and y answers nothing.
    screen.press("j R").feed(Event::Saved("sdpa".to_owned()));
    screen.take_effects();
    screen.press("y");
    assert!(!screen.take_effects().iter().any(|effect| matches!(effect, Effect::Reset(_))));
}

#[test]
fn the_picker_offers_versions_files_the_reference_and_the_mistakes() {
    let mut screen = wide();
    screen.press("i");
    assert_eq!(screen.take_effects(), [Effect::LoadVersions("sdpa".to_owned())]);
    screen.feed(Event::Versions("row-gqa".to_owned(), vec![version(9, "of another problem", false)]));
    assert!(!screen.sees("version 9"));
    screen.feed(Event::Versions("sdpa".to_owned(), vec![version(3, "accepted: 4 of 4", true)]));
    assert!(screen.sees("version 3") && screen.sees("2 Mar 12:04") && screen.sees("mistake no-scale"));
    screen.press("j j enter");
    let effects = screen.take_effects();
    assert!(matches!(effects[..], [Effect::RunSaved { id: 3, .. }]), "{effects:?}");
}

#[test]
fn the_palette_finds_commands_by_their_words_and_problems_by_theirs() {
    let mut screen = wide();
    screen.press("ctrl-p").type_in("rotary").press("enter");
    assert_eq!(screen.model.slug(), "row-rope");
    screen.press(":").type_in("skelet").press("enter");
    assert!(screen.sees("put the skeleton back?"));
    screen.press("esc :").type_in("copy-verdict");
    assert!(screen.sees("Nothing has that name"), "what does not work now is not offered");
    screen.press("ctrl-u").type_in("mla").press("enter");
    assert_eq!(screen.model.slug(), "row-mla");
}

#[test]
fn copies_can_be_pasted() {
    let mut screen = wide();
    screen.press("r").done(wrong());
    screen.take_effects();
    screen.press("y Y");
    let effects = screen.take_effects();
    let [Effect::Copy(case), Effect::Copy(verdict)] = &effects[..] else { panic!("{effects:?}") };
    assert!(case.starts_with("// case \"every axis of another size\"\nlet device"), "{case}");
    assert!(case.contains("let q = Tensor::new(") && case.contains("// k: f32 tensor of shape"));
    assert!(verdict.contains("wrong answer") && verdict.contains("no-scale"));
}

// Mouse.

/// Where a text stands on the screen.
fn place(screen: &mut Screen, text: &str) -> (u16, u16) {
    let shown = screen.text();
    let found =
        shown.lines().enumerate().find_map(|(y, line)| line.find(text).map(|at| (line[..at].chars().count(), y)));
    let (x, y) = found.unwrap_or_else(|| panic!("no {text:?} on\n{shown}"));
    (x as u16, y as u16)
}

#[test]
fn clicks_select_problems_parts_and_lines() {
    let mut screen = wide();
    let (x, y) = place(&mut screen, "Rotary");
    screen.feed(Event::Click(x, y));
    assert_eq!((screen.model.slug(), screen.model.focus), ("row-rope", Focus::List));
    screen.feed(Event::Click(x, y));
    assert_eq!(screen.model.focus, Focus::Detail, "a second click opens it");
    let (x, y) = place(&mut screen, "hints");
    screen.feed(Event::Click(x, y));
    assert_eq!(screen.model.tab, Tab::Hints);
    screen.press(":").type_in("latent");
    let (x, y) = place(&mut screen, "Latent attention with a title that is too long");
    screen.feed(Event::Click(x, y));
    assert_eq!(screen.model.slug(), "row-mla");
    screen.press("?").feed(Event::Click(0, 0));
    assert!(screen.model.overlay.is_none(), "a click beside a panel closes it");
}

#[test]
fn the_wheel_scrolls_what_is_under_it() {
    let mut screen = Screen::new(140, 16, Theme::default());
    screen.feed(Event::Wheel(100, 10, 3));
    assert_eq!((screen.model.scroll, screen.model.slug(), screen.model.focus), (3, "sdpa", Focus::List));
    screen.feed(Event::Wheel(5, 5, 3));
    assert_eq!(screen.model.slug(), "row-gqa");
    screen.press("?").feed(Event::Wheel(70, 8, 3));
    assert!(!screen.sees("↑ k"));
}

// Leaving.

#[test]
fn the_keys_that_leave_work_everywhere() {
    for name in SCREENS.into_iter().chain(LAB) {
        let mut screen = wide();
        lead(name, &mut screen);
        screen.take_effects();
        screen.press("ctrl-z");
        assert_eq!(screen.take_effects(), [Effect::Suspend], "{name}");
        screen.press("ctrl-c");
        assert_eq!(screen.take_effects(), [Effect::Cancel, Effect::Quit], "{name}");
    }
}

#[test]
fn a_key_without_a_meaning_does_nothing() {
    let mut screen = wide();
    let before = screen.text();
    screen.feed(Event::Key(Key::plain(Code::Other))).press("Z ctrl-k 9");
    assert!(screen.take_effects().is_empty());
    assert_eq!(screen.text(), before);
}
