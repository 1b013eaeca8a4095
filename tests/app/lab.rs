//! What keys and answers do in the lab.

use super::screens::{LAB, Screen, accepted, lead};
use logitlings::app::commands::{self, Action};
use logitlings::app::event::Level;
use logitlings::app::lab::{Lab, Line, Panel, SPEEDS};
use logitlings::app::model::Place;
use logitlings::app::{Effect, Event, Key};
use logitlings::lab::view::{Answer, Request};
use logitlings::runner::verdict::Implementation;
use logitlings::ui::theme::Theme;
use std::path::PathBuf;

fn lab() -> Screen {
    let mut screen = Screen::new(140, 44, Theme::default());
    screen.enter_lab();
    screen.take_effects();
    screen
}

fn requests(screen: &mut Screen) -> Vec<Request> {
    let effects = screen.take_effects().into_iter();
    effects.filter_map(|effect| if let Effect::Lab(_, request) = effect { Some(request) } else { None }).collect()
}

fn state(screen: &Screen) -> &Lab {
    &screen.model.lab
}

fn cursor(screen: &Screen) -> usize {
    state(screen).cursor()
}

fn recipe(screen: &Screen) -> String {
    logitlings::lab::recipe::Recipe::from(state(screen).track().expect("a lane").settings()).to_string()
}

#[test]
fn one_key_leads_into_a_live_decode_and_one_back() {
    let mut screen = Screen::new(140, 44, Theme::default());
    screen.enter_lab();
    assert_eq!(requests(&mut screen), [Request::Step(12)], "there is something to see at once");
    assert!(screen.sees("step  12 of  12"));
    screen.press("P");
    assert_eq!(screen.model.place, Place::Pack);
    screen.press("L");
    assert_eq!(requests(&mut screen), [], "coming back begins nothing");
}

#[test]
fn a_model_that_comes_late_finds_the_reader_waiting() {
    let mut screen = Screen::new(100, 30, Theme::default());
    screen.press("L");
    assert!(screen.sees("being loaded"));
    screen.press("→ s c space");
    assert_eq!(requests(&mut screen), [], "there is nobody to ask yet");
    let view = screen.desk.view();
    screen.feed(Event::Lab(Answer::View(0, Box::new(view))));
    assert_eq!(cursor(&screen), 12);
}

#[test]
fn without_a_model_the_reason_stays_and_the_pack_goes_on() {
    let mut screen = Screen::new(100, 30, Theme::default());
    lead("lab-failed", &mut screen);
    assert!(screen.sees("There is no lab: the weights"));
    screen.press("→ ? esc P");
    assert!(screen.sees("Scaled dot-product"));
}

#[test]
fn commands_of_one_place_do_not_act_in_the_other() {
    let mut screen = lab();
    for command in commands::ALL.iter().filter(|command| command.place == Some(Place::Pack)) {
        assert!(!command.works(&screen.model), "{} works in the lab", command.id);
    }
    screen.press("P");
    for command in commands::ALL.iter().filter(|command| matches!(command.action, Action::Lab(_))) {
        assert!(!command.works(&screen.model), "{} works in the pack", command.id);
    }
    screen.take_effects();
    screen.press("→ ←");
    assert_eq!(requests(&mut screen), []);
}

#[test]
fn left_and_right_move_in_time() {
    let mut screen = lab();
    screen.press("→ l ← h ] [ home end");
    let asked = requests(&mut screen);
    let (on, back) = (Request::Step(1), Request::Back(1));
    let leaps = [Request::Step(10), Request::Back(10), Request::Jump(0), Request::Jump(22)];
    assert_eq!(asked[..4], [on.clone(), on, back.clone(), back]);
    assert_eq!(asked[4..], leaps);
    assert_eq!(cursor(&screen), 22);
}

#[test]
fn ten_steps_on_and_five_back_lose_nothing() {
    let mut screen = lab();
    screen.press("]");
    let said = state(&screen).track().expect("a lane").generated();
    screen.press("← ← ← ← ←");
    assert!(screen.sees("step  17 of  22"));
    screen.press("→ → → → →");
    assert_eq!(state(&screen).track().expect("a lane").generated(), said);
}

#[test]
fn a_forced_token_takes_the_drawn_ones_place_and_the_rest_is_a_branch() {
    let mut screen = lab();
    screen.press("← ←");
    let lead = state(&screen).row();
    screen.press("↓ ↓");
    let wanted = state(&screen).candidates()[lead + 2];
    screen.press("enter");
    assert_eq!(requests(&mut screen).last(), Some(&Request::Force { lane: 0, token: wanted }));
    let step = state(&screen).step().expect("a step");
    assert_eq!((step.token(), step.forced), (wanted, Some(wanted)));
    assert!(screen.sees(", forced to ") && screen.sees("branches 1"));
    screen.press("b enter");
    assert_eq!(cursor(&screen), 12, "the branch is entered at its end");
}

#[test]
fn any_token_of_the_vocabulary_can_be_forced() {
    let mut screen = lab();
    screen.press("/").type_in("king");
    let words = screen.model.lab.view.as_ref().expect("a view").vocabulary.clone();
    assert!(screen.sees("␣king") && screen.sees("␣King"));
    screen.press("enter");
    let Some(Request::Force { token, .. }) = requests(&mut screen).pop() else { panic!("nothing was forced") };
    assert_eq!(words.text[token as usize], "king");
    screen.press("/").type_in("0").press("enter");
    assert_eq!(requests(&mut screen), [Request::Force { lane: 0, token: 0 }], "an id is a name");
    screen.press("/").type_in("qqq").press("enter");
    assert_eq!(requests(&mut screen), []);
}

#[test]
fn the_selection_begins_at_the_token_that_goes_on() {
    let mut screen = lab();
    let token = |screen: &Screen| state(screen).step().expect("a step").token();
    let selected = |screen: &Screen| state(screen).candidates()[state(screen).row()];
    assert_eq!(selected(&screen), token(&screen));
    screen.press("↓ ↓ ↓");
    assert_ne!(selected(&screen), token(&screen));
    screen.press("→");
    assert_eq!(selected(&screen), token(&screen), "another step, another selection");
    screen.press("pgdn pgdn pgdn pgdn pgdn pgdn pgdn");
    assert_eq!(state(&screen).row(), state(&screen).candidates().len() - 1);
}

#[test]
fn a_setting_is_changed_and_the_same_step_shown_again() {
    let mut screen = lab();
    screen.press("s");
    assert_eq!(state(&screen).panel, Panel::Settings { line: Line::Temperature });
    let logits = state(&screen).step().expect("a step").logits.clone();
    screen.press("+ +");
    assert_eq!(recipe(&screen), "temperature=1,top-k=40,top-p=0.95");
    assert_eq!((cursor(&screen), &state(&screen).step().expect("a step").logits), (12, &logits));
    screen.press("↓ space");
    assert_eq!(recipe(&screen), "temperature=1,!top-k=40,top-p=0.95");
    screen.press("space K");
    assert!(recipe(&screen).contains("top-k=40,temperature=1"), "{}", recipe(&screen));
    screen.press("J ↓ enter ctrl-u").type_in("0.5").press("enter");
    assert!(recipe(&screen).contains("top-p=0.5"), "{}", recipe(&screen));
    assert_eq!(cursor(&screen), 12);
    screen.press("→ esc");
    assert_eq!((state(&screen).panel.clone(), cursor(&screen)), (Panel::None, 13), "time goes on beside the settings");
}

#[test]
fn rules_bring_their_order_and_greedy_passes_over_the_rest() {
    let mut screen = lab();
    screen.press("s ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ + +");
    assert_eq!(recipe(&screen), "top-k=40,top-p=0.95,temperature=0.8,rules=llama.cpp");
    screen.press("↓ space");
    assert!(recipe(&screen).starts_with("greedy"));
    assert_eq!(state(&screen).step().expect("a step").trace.kept.len(), 1);
}

#[test]
fn what_the_sampler_refuses_is_said_and_nothing_changes() {
    let mut screen = lab();
    let before = recipe(&screen);
    screen.press("s enter ctrl-u").type_in("-1").press("enter");
    assert_eq!(recipe(&screen), before);
    assert!(screen.model.notices.iter().any(|(_, text)| text.contains("temperature")));
    screen.press("enter ctrl-u").type_in("warm").press("enter");
    assert!(screen.sees("\"warm\" is none"));
    assert_eq!(recipe(&screen), before);
}

#[test]
fn lanes_are_copied_chosen_and_closed() {
    let mut screen = lab();
    screen.press("c");
    assert_eq!((requests(&mut screen), state(&screen).lane()), (vec![Request::Copy(0)], 1), "the copy is chosen");
    screen.press("tab");
    assert_eq!(state(&screen).lane(), 0);
    screen.press("shift-tab c c c");
    assert_eq!(state(&screen).view.as_ref().expect("a view").tracks.len(), 4);
    assert!(screen.sees("4 lanes already"));
    screen.press("x x x");
    assert_eq!(state(&screen).view.as_ref().expect("a view").tracks.len(), 1);
    screen.take_effects();
    screen.press("x tab");
    assert_eq!(requests(&mut screen), [], "the last lane stays");
}

#[test]
fn a_preset_is_shown_at_the_step_where_the_reader_was() {
    let mut screen = lab();
    screen.press("p ↓ enter");
    assert_eq!(requests(&mut screen), [Request::Preset(1), Request::Step(12)]);
    let view = state(&screen).view.as_ref().expect("a view");
    assert_eq!((view.tracks.len(), cursor(&screen)), (4, 12));
    let parted = view.parted.expect("a hot lane leaves a cold one");
    assert!(screen.sees(&format!("step {}", parted + 1)));
}

#[test]
fn another_seed_runs_to_the_same_step() {
    let mut screen = lab();
    screen.press("r");
    assert_eq!(requests(&mut screen), [Request::Seed(43), Request::Step(12)]);
    screen.press("S ctrl-u").type_in("7").press("enter");
    assert_eq!(requests(&mut screen), [Request::Seed(7), Request::Step(12)]);
    screen.press("S ctrl-u").type_in("seven").press("enter");
    assert_eq!(requests(&mut screen), []);
    assert!(screen.sees("a seed is a whole number"));
}

#[test]
fn a_prompt_is_written_with_lines_and_a_refused_one_is_given_back() {
    let mut screen = lab();
    screen.press("e ctrl-u").type_in("The cat").press("ctrl-j").feed(Event::Paste("sat\n".to_owned()));
    screen.press("enter");
    let asked = requests(&mut screen);
    assert_eq!(asked, [Request::Prompt("The cat\nsat\n".to_owned()), Request::Step(1)]);
    screen.press("e ctrl-u ↑ ↑ ctrl-k delete ctrl-k delete ctrl-u ctrl-k").type_in("qqq").press("enter");
    let asked = requests(&mut screen);
    assert!(matches!(asked.as_slice(), [Request::Prompt(_)]), "no step follows a refused prompt: {asked:?}");
    assert!(matches!(&state(&screen).panel, Panel::Prompt(text) if text.as_str().contains("qqq")));
    assert_eq!(cursor(&screen), 1, "the run is as it was");
}

#[test]
fn the_prompt_view_is_asked_for_once_and_again_for_another_prompt() {
    let mut screen = lab();
    screen.press("v v v");
    assert_eq!(requests(&mut screen), [Request::Expect]);
    assert!(screen.sees("perplexity"));
    screen.press("↓ ↓");
    assert_eq!(state(&screen).place, 2);
    screen.press("e ctrl-u").type_in("The king").press("enter");
    let asked = requests(&mut screen);
    assert_eq!(asked.iter().filter(|request| **request == Request::Expect).count(), 1, "{asked:?}");
    screen.press("esc");
    assert!(!state(&screen).expecting);
}

#[test]
fn it_plays_at_the_chosen_speed_until_somebody_moves() {
    let mut screen = lab();
    screen.press("> > space");
    assert!(state(&screen).playing && state(&screen).pace().is_some_and(|pace| pace.as_millis() == 250));
    screen.feed(Event::Play).feed(Event::Play);
    assert_eq!(cursor(&screen), 15);
    screen.press("←");
    assert_eq!((state(&screen).pace(), cursor(&screen)), (None, 14));
    screen.feed(Event::Play);
    assert_eq!(cursor(&screen), 14, "a tick that comes late moves nothing");
    screen.press("< < < < <");
    assert_eq!(state(&screen).speed, 0);
    screen.press("> > > > > > > > > space");
    assert_eq!(state(&screen).speed, SPEEDS.len() - 1);
    for _ in 0..80 {
        screen.feed(Event::Play);
    }
    assert!(!state(&screen).playing, "it stops where the context ends");
    assert!(screen.sees("the context is full"));
}

#[test]
fn an_older_view_does_not_replace_a_newer_one() {
    let mut screen = lab();
    let old = screen.desk.view();
    screen.press("→");
    let number = state(&screen).answered;
    screen.feed(Event::Lab(Answer::View(number - 1, Box::new(old))));
    assert_eq!(cursor(&screen), 13);
}

#[test]
fn a_run_is_written_where_the_reader_says() {
    let mut screen = lab();
    screen.press("w ctrl-u").type_in("~/run.csv").press("enter");
    assert_eq!(requests(&mut screen), [Request::Export(PathBuf::from("~/run.csv"))]);
    assert!(screen.sees("the run was written to ~/run.csv"));
}

#[test]
fn letters_are_text_while_something_is_typed_and_pasted_text_is_never_a_command() {
    let mut screen = lab();
    screen.feed(Event::Paste("cxq".to_owned()));
    screen.press("S c x q s L P");
    assert_eq!((requests(&mut screen), screen.model.place), (vec![], Place::Lab));
    screen.press("esc e q P esc");
    assert_eq!(screen.take_effects(), []);
}

#[test]
fn a_verdict_that_comes_meanwhile_is_said_in_the_lab() {
    let mut screen = Screen::new(140, 44, Theme::default());
    screen.press("r").enter_lab();
    screen.done(accepted());
    assert!(screen.model.notices.iter().any(|(level, text)| *level == Level::Info && text.contains("P goes to")));
    assert_eq!(screen.model.place, Place::Lab);
}

#[test]
fn clicks_go_to_tokens_candidates_lanes_and_places() {
    let mut screen = lab();
    let ([x, y, _], step) = screen.model.layout.lab.tokens[3];
    screen.feed(Event::Click(x, y));
    assert_eq!(cursor(&screen), step + 1);
    let [x, y, ..] = screen.model.layout.lab.table;
    screen.feed(Event::Click(x + 3, y + 1));
    assert_eq!(state(&screen).row(), screen.model.layout.lab.rows[1]);
    screen.press("c");
    let [x, y, ..] = screen.model.layout.lab.lanes[0];
    screen.feed(Event::Click(x + 1, y));
    assert_eq!(state(&screen).lane(), 0);
    screen.press("p");
    let [x, y, ..] = screen.model.layout.lab.list;
    screen.feed(Event::Click(x + 1, y + 1));
    assert_eq!(state(&screen).view.as_ref().expect("a view").tracks.len(), 4, "the temperature sweep");
    let [x, y, _] = screen.model.layout.places[0];
    screen.feed(Event::Click(x, y));
    assert_eq!(screen.model.place, Place::Pack);
}

#[test]
fn the_palette_of_the_lab_has_the_labs_commands_and_leads_back_to_problems() {
    let mut screen = lab();
    screen.press(":").type_in("ready-made").press("enter");
    assert_eq!(state(&screen).panel, Panel::Presets { selected: 0 });
    screen.press("esc :").type_in("sdpa").press("enter");
    assert_eq!(screen.model.place, Place::Pack);
}

#[test]
fn leaving_works_from_every_screen_of_the_lab() {
    for name in LAB {
        let mut screen = Screen::new(80, 24, Theme::default());
        lead(name, &mut screen);
        screen.take_effects();
        let leave: Key = "ctrl-c".parse().expect("a key");
        screen.feed(Event::Key(leave));
        assert!(screen.take_effects().contains(&Effect::Quit), "{name}");
    }
}

#[test]
fn a_sampler_of_ones_own_is_picked_built_and_draws_from_the_start() {
    let mut screen = lab();
    screen.press("c o");
    assert!(screen.sees("which sampler draws in this lane?") && screen.sees("mistake top-k-ignored"));
    assert_eq!(screen.take_effects().last(), Some(&Effect::LoadVersions("sample-token".to_owned())));
    let lane = state(&screen).lane();
    screen.press("enter");
    let serve = Effect::Serve { lane, slug: "sample-token", implementation: Implementation::Own };
    assert_eq!(screen.take_effects(), [serve]);
    assert!(screen.sees("a sampler is being built for this lane"));
    let steps = cursor(&screen);
    screen.feed(Event::Guest(lane, Ok(())));
    assert!(!screen.sees("is being built"));
    let effects = screen.take_effects();
    let invited = effects.iter().filter(|effect| matches!(effect, Effect::Invite(_, at) if *at == lane)).count();
    assert_eq!((invited, cursor(&screen)), (1, steps));
    let numbers: Vec<u64> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Invite(number, _) | Effect::Lab(number, _) => Some(*number),
            _ => None,
        })
        .collect();
    assert_eq!(numbers.len(), 3, "it is invited, and all lanes go from the start to where they were: {effects:?}");
}

#[test]
fn a_sampler_that_cannot_be_built_is_said_and_the_lanes_stay() {
    let mut screen = lab();
    let steps = cursor(&screen);
    screen.press("O enter");
    screen.take_effects();
    screen.feed(Event::Guest(0, Err("error: expected `;`".to_owned())));
    assert!(screen.sees("expected `;`") && !screen.sees("is being built"));
    assert_eq!((screen.take_effects(), cursor(&screen)), (Vec::new(), steps));
}
