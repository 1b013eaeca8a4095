//! The lab as a whole: requests in, views out, on the embedded model; records that run again; and its thread.

use candle_core::{Device, Tensor};
use logitlings::lab::engine::Done;
use logitlings::lab::recipe::PRESETS;
use logitlings::lab::record::same_json;
use logitlings::lab::{Answer, Loaded, Recipe, Record, Request, View, Workbench, embedded, replay};
use logitlings::model::{Cache, CausalLm};
use logitlings::work::lab::{Lab, start, start_with};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

fn loaded() -> Loaded {
    static LOADED: OnceLock<Loaded> = OnceLock::new();
    LOADED.get_or_init(|| embedded::load().expect("the embedded model loads")).clone()
}

fn recipe(text: &str) -> Recipe {
    text.parse().expect("a recipe")
}

fn bench(prompt: &str, recipes: &[&str]) -> Workbench {
    let recipes: Vec<Recipe> = recipes.iter().map(|text| recipe(text)).collect();
    Workbench::with(loaded(), prompt, 7, &recipes).expect("a bench")
}

/// Carries out a request to its end.
fn ask(bench: &mut Workbench, request: Request) -> Result<View, String> {
    bench.carry_out(request, &mut |_| true)?;
    Ok(bench.view())
}

fn done(bench: &mut Workbench, request: Request) -> View {
    ask(bench, request).expect("it can be done")
}

fn cursors(view: &View) -> Vec<usize> {
    view.tracks.iter().map(|track| track.steps().len()).collect()
}

#[test]
fn it_opens_with_something_to_step_through() {
    let mut bench = Workbench::new(loaded()).expect("a bench");
    let view = bench.view();
    assert_eq!((view.seed, view.tracks.len(), view.parted, view.speed), (42, 1, None, None));
    let view = done(&mut bench, Request::Step(3));
    assert_eq!(cursors(&view), [3]);
    assert!(view.speed.is_some_and(|speed| speed > 0.0));
    assert_eq!(view.tracks[0].fill(), (view.tracks[0].prompt().len() + 3, 256));
}

#[test]
fn stepping_ten_and_back_five_and_forward_again_is_the_same_run() {
    let mut bench = bench("Her sister,", &["temperature=0.8,top-k=40", "temperature=1.5"]);
    let ten = done(&mut bench, Request::Step(10));
    let five = done(&mut bench, Request::Back(5));
    assert_eq!((cursors(&five), five.tracks[0].ahead()), (vec![5, 5], 5));
    let again = done(&mut bench, Request::Jump(10));
    for (a, b) in ten.tracks.iter().zip(&again.tracks) {
        assert_eq!(a.generated(), b.generated());
    }
    assert_eq!(cursors(&done(&mut bench, Request::Jump(2))), [2, 2]);
    assert_eq!(cursors(&done(&mut bench, Request::Back(usize::MAX))), [0, 0]);
}

#[test]
fn a_long_step_stops_where_it_is_told() {
    let mut bench = bench("Her sister,", &["temperature=1"]);
    let mut left = 4;
    bench
        .carry_out(Request::Step(100), &mut |bench| {
            left -= 1;
            assert_eq!(bench.lanes().cursor(), 4 - left);
            left > 0
        })
        .expect("steps");
    assert_eq!(bench.lanes().cursor(), 4);
}

#[test]
fn what_cannot_be_done_is_a_sentence_and_changes_nothing() {
    let mut bench = bench("Her sister,", &["temperature=1"]);
    done(&mut bench, Request::Step(3));
    let before = bench.record();
    let long = "many words ".repeat(200);
    for (request, word) in [
        (Request::Prompt(String::new()), "empty"),
        (Request::Prompt(long), "leave out"),
        (Request::Force { lane: 1, token: 3 }, "no lane 2"),
        (Request::Force { lane: 0, token: 4096 }, "no token 4096"),
        (Request::Set { lane: 0, recipe: recipe("temperature=0") }, "refuses"),
        (Request::Set { lane: 0, recipe: recipe("top-p=1.5") }, "between 0 and 1"),
        (Request::Set { lane: 3, recipe: recipe("top-p=0.5") }, "no lane 4"),
        (Request::Copy(1), "no lane 2"),
        (Request::Close(0), "only lane"),
        (Request::Close(4), "no lane 5"),
        (Request::Enter { lane: 0, branch: 0 }, "no branch"),
        (Request::Enter { lane: 2, branch: 0 }, "no lane 3"),
        (Request::Preset(99), "no preset"),
    ] {
        let reason = ask(&mut bench, request.clone()).expect_err("refused");
        assert!(reason.contains(word), "{request:?}: {reason}");
        assert_eq!(bench.record(), before, "{request:?}");
    }
    let mut fresh = Workbench::with(loaded(), "x", 7, &[]).err().expect("no lanes");
    assert!(fresh.contains("no lane"));
    fresh = Workbench::with(loaded(), "x", 7, &vec![Recipe::default(); 5]).err().expect("five lanes");
    assert!(fresh.contains("too many"));
    fresh = Workbench::with(loaded(), "x", 7, &[recipe("temperature=0")]).err().expect("T = 0");
    assert!(fresh.contains("lane a") && fresh.contains("temperature = 0"), "{fresh}");
}

#[test]
fn nothing_to_force_before_the_first_step() {
    let mut bench = bench("Her sister,", &["temperature=1"]);
    let reason = ask(&mut bench, Request::Force { lane: 0, token: 5 }).expect_err("refused");
    assert!(reason.contains("no step yet"), "{reason}");
}

#[test]
fn the_context_is_used_to_its_end_and_no_further() {
    let one = loaded().tokens.encode(" the").expect("a token").len();
    assert_eq!(one, 1);
    let mut bench = bench(&" the".repeat(250), &["temperature=1", "greedy"]);
    let view = done(&mut bench, Request::Step(100));
    // 250 tokens, and one more after each length from 250 to 256.
    assert_eq!(cursors(&view), [7, 7]);
    assert!(view.tracks.iter().all(|track| track.ended.as_ref().is_some_and(|why| why.contains("context is full"))));
    let reason = ask(&mut bench, Request::Step(1)).expect_err("nothing is left");
    assert!(reason.contains("context is full"), "{reason}");
    assert_eq!(cursors(&bench.view()), [7, 7]);
    let back = done(&mut bench, Request::Back(2));
    assert!(back.tracks.iter().all(|track| track.ended.is_none()));
    let full = Workbench::with(loaded(), &" the".repeat(256), 7, &[Recipe::default()]);
    assert_eq!(cursors(&done(&mut full.expect("it just fits"), Request::Step(2))), [1]);
    assert!(Workbench::with(loaded(), &" the".repeat(257), 7, &[Recipe::default()]).is_err());
}

#[test]
fn lanes_are_copied_closed_and_part() {
    let mut bench = bench("To be, or", &["temperature=1"]);
    done(&mut bench, Request::Step(2));
    for lanes in 2..=4 {
        assert_eq!(done(&mut bench, Request::Copy(0)).tracks.len(), lanes);
    }
    assert!(ask(&mut bench, Request::Copy(0)).expect_err("five").contains("close one"));
    let names: BTreeSet<String> = bench.view().tracks.iter().map(|track| track.name.clone()).collect();
    assert_eq!(names.len(), 4, "each lane has a name of its own");
    assert_eq!(done(&mut bench, Request::Step(6)).parted, None, "equal settings never part");
    done(&mut bench, Request::Back(6));
    let hot = Request::Set { lane: 2, recipe: recipe("temperature=3") };
    done(&mut bench, hot);
    let view = done(&mut bench, Request::Step(12));
    let at = view.parted.expect("a temperature of 3 leaves the others");
    let tokens = |lane: usize| view.tracks[lane].generated();
    assert_eq!(tokens(0)[..at], tokens(2)[..at]);
    assert_ne!(tokens(0)[at], tokens(2)[at]);
    let uniforms = |lane: usize| view.tracks[lane].steps().iter().map(|s| s.draw.uniform).collect::<Vec<_>>();
    assert_eq!(uniforms(0), uniforms(2), "whatever was drawn, the uniforms are the same");
    done(&mut bench, Request::Close(2));
    assert_eq!((bench.view().tracks.len(), bench.view().parted), (3, None));
}

#[test]
fn a_lane_that_was_left_behind_catches_up() {
    // A penalty that leaves no possible token stops a lane in mid-run, and the other goes on.
    let mut bench = bench("To be, or", &["temperature=1", "temperature=1"]);
    done(&mut bench, Request::Step(3));
    done(&mut bench, Request::Back(3));
    done(&mut bench, Request::Set { lane: 1, recipe: recipe("presence=-1e39,rules=llama.cpp") });
    let view = done(&mut bench, Request::Step(4));
    assert_eq!(cursors(&view), [4, 0]);
    assert!(view.tracks[1].ended.as_ref().is_some_and(|why| why.contains("finite")), "{:?}", view.tracks[1].ended);
    done(&mut bench, Request::Set { lane: 1, recipe: recipe("temperature=1") });
    let view = done(&mut bench, Request::Step(1));
    assert_eq!((cursors(&view), view.parted), (vec![5, 5], None));
}

#[test]
fn forcing_and_branches_beside_other_lanes() {
    let mut bench = bench("To be, or", &["temperature=1", "temperature=0.7"]);
    let eight = done(&mut bench, Request::Step(8));
    done(&mut bench, Request::Back(5));
    let other = (eight.tracks[0].generated()[2] + 1) % 4096;
    let forced = done(&mut bench, Request::Force { lane: 0, token: other });
    assert_eq!((forced.tracks[0].branches().len(), forced.tracks[0].ahead(), forced.tracks[1].ahead()), (1, 0, 5));
    assert_eq!(forced.tracks[0].current().and_then(|step| step.forced), Some(other));
    let on = done(&mut bench, Request::Step(2));
    assert_eq!(cursors(&on), [5, 5]);
    let entered = done(&mut bench, Request::Enter { lane: 0, branch: 0 });
    assert_eq!(cursors(&entered), [5, 5], "the others stand where they stood");
    assert_eq!(entered.tracks[0].generated(), eight.tracks[0].generated()[..5]);
    assert_eq!(entered.tracks[0].branches().len(), 1, "the forced continuation is kept in its turn");
    assert_eq!(done(&mut bench, Request::Step(3)).tracks[0].generated(), eight.tracks[0].generated());
}

#[test]
fn a_setting_keeps_a_forced_token_and_what_was_known() {
    let mut bench = bench("To be, or", &["temperature=1"]);
    let five = done(&mut bench, Request::Step(5)).tracks[0].generated();
    done(&mut bench, Request::Back(2));
    done(&mut bench, Request::Force { lane: 0, token: 4000 });
    let view = done(&mut bench, Request::Set { lane: 0, recipe: recipe("temperature=0.5,top-k=3") });
    let step = view.tracks[0].current().expect("a step");
    assert_eq!((step.token(), step.trace.kept.len()), (4000, 3));
    done(&mut bench, Request::Back(3));
    let view = done(&mut bench, Request::Set { lane: 0, recipe: recipe("greedy") });
    assert_eq!((view.tracks[0].known().len(), view.tracks[0].branches().len()), (0, 2));
    let view = done(&mut bench, Request::Enter { lane: 0, branch: 0 });
    assert_eq!(view.tracks[0].generated(), five, "what was known before the first setting");
}

#[test]
fn seeds_and_prompts_and_presets_begin_again() {
    let mut bench = bench("To be, or", &["temperature=1", "greedy"]);
    let first = done(&mut bench, Request::Step(6));
    let other = done(&mut bench, Request::Seed(8));
    assert_eq!((other.seed, cursors(&other)), (8, vec![0, 0]));
    let other = done(&mut bench, Request::Step(6));
    assert_ne!(first.tracks[0].generated(), other.tracks[0].generated());
    assert_eq!(first.tracks[1].generated(), other.tracks[1].generated(), "greedy asks no uniform");
    done(&mut bench, Request::Seed(7));
    let again = done(&mut bench, Request::Step(6));
    assert_eq!(first.tracks[0].generated(), again.tracks[0].generated());
    done(&mut bench, Request::Expect);
    let view = done(&mut bench, Request::Prompt("Her sister,".to_owned()));
    assert_eq!((view.prompt.as_str(), cursors(&view), view.expected.is_none()), ("Her sister,", vec![0, 0], true));
    assert!(view.tracks[1].settings().greedy, "the settings stay");
    for (index, (_, _, lanes)) in PRESETS.iter().enumerate() {
        let view = done(&mut bench, Request::Preset(index));
        assert_eq!(view.tracks.len(), lanes.len());
        assert_eq!(cursors(&done(&mut bench, Request::Step(3))), vec![3; lanes.len()]);
    }
}

#[test]
fn the_prompt_view_says_what_was_expected() {
    let mut bench = bench("It is a truth universally acknowledged, that", &["greedy"]);
    assert!(bench.view().expected.is_none());
    let expected = done(&mut bench, Request::Expect).expected.expect("a prompt view");
    let ids = bench.lanes().lanes()[0].prompt().to_vec();
    assert_eq!(expected.iter().map(|e| e.token).collect::<Vec<_>>(), ids);
    assert!(expected[0].rank.is_none() && expected[0].probability.is_none() && expected[0].leaders.is_empty());
    for (at, e) in expected.iter().enumerate().skip(1) {
        let (rank, p) = (e.rank.expect("a rank"), e.probability.expect("a probability"));
        assert!(p > 0.0 && p <= 1.0 && e.entropy.is_some_and(|h| h > 0.0));
        assert!(e.leaders.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        // What a lane that has said the words before draws from is the same distribution.
        let before = Workbench::with(loaded(), &loaded().tokens.decode(&ids[..at]), 7, &[Recipe::default()]);
        let mut before = before.expect("a bench");
        if before.lanes().lanes()[0].prompt() == &ids[..at] {
            let step = done(&mut before, Request::Step(1)).tracks[0].current().cloned().expect("a step");
            assert!((step.trace.kept.probability(e.token) - p).abs() < 1e-4 * p.max(1e-3));
        }
        match e.leaders.iter().position(|(id, _)| *id == e.token) {
            Some(place) => assert_eq!(place, rank),
            None => assert!(rank >= e.leaders.len()),
        }
    }
}

#[test]
fn attention_looks_back_only() {
    let mut bench = bench("To be, or", &["greedy"]);
    done(&mut bench, Request::Step(3));
    let maps = bench.attention(0).expect("maps");
    let length = bench.lanes().lanes()[0].prompt().len() + 3;
    assert_eq!((maps.len(), maps[0].len(), maps[0][0].len(), maps[0][0][0].len()), (4, 8, length, length));
    for row in maps.iter().flatten().flat_map(|head| head.iter().enumerate()) {
        assert!(row.1[row.0 + 1..].iter().all(|w| *w == 0.0));
    }
    assert!(bench.attention(1).is_err());
}

/// A run with everything in it that a reader can do.
fn eventful() -> Workbench {
    let mut bench = bench("Enter the King and", &["temperature=0.9,top-p=0.95", "greedy"]);
    for request in [
        Request::Step(6),
        Request::Back(3),
        Request::Force { lane: 0, token: 17 },
        Request::Step(4),
        Request::Copy(0),
        Request::Set { lane: 1, recipe: recipe("repetition=1.3,!top-k=5,typical=0.9,temperature=1.1") },
        Request::Step(3),
        Request::Back(2),
        Request::Force { lane: 2, token: 261 },
        Request::Step(2),
        Request::Enter { lane: 0, branch: 0 },
        Request::Step(5),
        Request::Set { lane: 0, recipe: recipe("temperature=2,top-k=40,rules=llama.cpp") },
    ] {
        done(&mut bench, request);
    }
    bench
}

#[test]
fn any_run_is_reproduced_bit_for_bit() {
    let record = eventful().record();
    assert!(record.lanes.iter().flat_map(|lane| &lane.steps).any(|step| step.forced));
    assert!(record.lanes.iter().flat_map(|lane| &lane.steps).any(|step| step.settings.is_some()));
    let text = record.to_json();
    let read = Record::read(&text).expect("a record");
    let again = replay(&loaded(), &read).expect("a run");
    assert_eq!(read.difference(&again.reread().expect("a record")), None);
    assert_eq!(record.difference(&again), None);
    assert_eq!(again, record, "every number, as it was before it was written");
    assert!(same_json(&text, &again.to_json()));
}

#[test]
fn a_full_context_is_reproduced_with_its_reason() {
    let mut bench = bench(&" the".repeat(253), &["temperature=1"]);
    done(&mut bench, Request::Step(9));
    let record = bench.record();
    assert!(record.lanes[0].ended.is_some());
    assert_eq!(replay(&loaded(), &record).expect("a run"), record);
}

#[test]
fn a_record_that_was_changed_is_caught() {
    let record = eventful().record();
    let differs = |change: &dyn Fn(&mut Record)| {
        let mut changed = record.clone();
        change(&mut changed);
        match replay(&loaded(), &changed) {
            Ok(again) => changed.difference(&again).expect("a difference"),
            Err(reason) => reason,
        }
    };
    let changes: [(&dyn Fn(&mut Record), &str); 11] = [
        (&|r| r.lanes[0].steps[4].drawn += 1, "lane a: step 4: drawn"),
        (&|r| r.lanes[1].steps[2].probability += 1e-12, "step 2: probability"),
        (&|r| r.seed += 1, "lane a: step 0"),
        (&|r| r.model.push('x'), "with the model"),
        (&|r| r.prompt_ids.push(1), "another tokenizer"),
        (&|r| r.prompt.clear(), "empty"),
        (&|r| r.lanes[0].settings = "heat=3".to_owned(), "no setting"),
        (&|r| r.lanes[2].text.push('x'), "another text"),
        (&|r| r.lanes[2].ended = Some("tired".to_owned()), "steps"),
        (&|r| r.lanes = vec![r.lanes[0].clone(); 5], "too many"),
        (
            &|r| {
                (r.lanes[0].steps[0].forced, r.lanes[0].steps[0].token) = (true, 9999);
            },
            "no token 9999",
        ),
    ];
    for (change, words) in changes {
        let said = differs(change);
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn what_is_no_record_is_said() {
    for (text, words) in [
        ("", "no record"),
        ("{}", "missing field"),
        ("lane,settings", "no record"),
        (r#"{"format":2,"model":"m","prompt":"p","prompt_ids":[],"seed":1,"lanes":[]}"#, "format 2"),
        (r#"{"format":1,"model":"m","prompt":"p","prompt_ids":[],"seed":1,"lanes":[]}"#, "no lanes"),
    ] {
        let reason = Record::read(text).expect_err("no record");
        assert!(reason.contains(words), "{text}: {reason}");
    }
    assert!(same_json("{\"a b\": [1, 2]}", "{\"a b\":[1,2]}\n"));
    assert!(!same_json("{\"a b\":1}", "{\"ab\":1}"));
    assert!(!same_json(r#"{"a\" b":1}"#, r#"{"a\"b":1}"#));
}

#[test]
fn csv_has_a_row_for_every_step() {
    let bench = eventful();
    let record = bench.record();
    let csv = record.to_csv();
    let steps: usize = record.lanes.iter().map(|lane| lane.steps.len()).sum();
    // A line end inside a token's text is inside quotes: rows are counted outside of them.
    let (mut quoted, mut rows) = (false, 0);
    for c in csv.chars() {
        quoted ^= c == '"';
        rows += usize::from(c == '\n' && !quoted);
    }
    assert_eq!(rows, steps + 1);
}

// The thread.

/// A model that reports each forward pass before it begins, and does what the test says.
struct Hooked {
    inner: Arc<dyn CausalLm>,
    hook: Box<dyn Fn(&Tensor) + Send + Sync>,
}

impl CausalLm for Hooked {
    fn vocab(&self) -> usize {
        self.inner.vocab()
    }
    fn context(&self) -> usize {
        self.inner.context()
    }
    fn device(&self) -> &Device {
        self.inner.device()
    }
    fn new_cache(&self) -> Cache {
        self.inner.new_cache()
    }
    fn forward(
        &self,
        input_ids: &Tensor,
        position_ids: &Tensor,
        attention_mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> logitlings::model::Result<Tensor> {
        (self.hook)(input_ids);
        self.inner.forward(input_ids, position_ids, attention_mask, cache)
    }
    fn forward_with_attention(
        &self,
        input_ids: &Tensor,
        position_ids: &Tensor,
        attention_mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> logitlings::model::Result<(Tensor, Vec<Tensor>)> {
        self.inner.forward_with_attention(input_ids, position_ids, attention_mask, cache)
    }
}

fn hooked(hook: impl Fn(&Tensor) + Send + Sync + 'static) -> (Lab, Receiver<Answer>) {
    let (tell, heard) = channel();
    let load = move || {
        let loaded = loaded();
        let model = Arc::new(Hooked { inner: loaded.model.clone(), hook: Box::new(hook) });
        Ok(Loaded { model, ..loaded })
    };
    (start_with(load, move |answer| drop(tell.send(answer))), heard)
}

/// The answers up to the view of this generation, and that view.
fn until(heard: &Receiver<Answer>, generation: u64) -> (Vec<Answer>, Box<View>) {
    let mut before = Vec::new();
    loop {
        match heard.recv_timeout(Duration::from_secs(60)).expect("an answer") {
            Answer::View(number, view) if number == generation => return (before, view),
            other => before.push(other),
        }
    }
}

/// The first view in which the first lane stands behind so many steps.
fn until_steps(heard: &Receiver<Answer>, steps: usize) -> Box<View> {
    loop {
        if let Answer::View(_, view) = heard.recv_timeout(Duration::from_secs(60)).expect("an answer")
            && cursors(&view)[0] == steps
        {
            return view;
        }
    }
}

/// The last view that comes before the thread ends, if one does.
fn last(lab: Lab, heard: &Receiver<Answer>) -> Option<Box<View>> {
    lab.stop();
    drop(lab);
    let views = heard.iter().filter_map(|answer| if let Answer::View(_, view) = answer { Some(view) } else { None });
    views.last()
}

#[test]
fn the_thread_shows_itself_and_carries_out_in_order() {
    let (tell, heard) = channel();
    let lab = start(move |answer| drop(tell.send(answer)));
    assert_eq!(until(&heard, 0).1.tracks.len(), 1);
    lab.ask(1, Request::Step(4));
    until_steps(&heard, 4);
    lab.ask(2, Request::Copy(0));
    lab.ask(3, Request::Back(1));
    assert_eq!(cursors(&until(&heard, 3).1), [3, 3]);
    lab.ask(4, Request::Close(5));
    let (before, _) = until(&heard, 4);
    assert!(matches!(&before[..], [Answer::Refused(4, reason)] if reason.contains("no lane 6")), "{before:?}");
    lab.stop();
    drop(lab);
    assert!(heard.iter().next().is_none(), "nothing is said after the end");
}

#[test]
fn a_newer_request_stops_a_long_one_between_two_tokens() {
    let (started, begun) = channel::<()>();
    let (permit, permits): (Sender<()>, Receiver<()>) = channel();
    let permits = Mutex::new(permits);
    let (lab, heard) = hooked(move |_| {
        let _ = started.send(());
        // With no one left to give permits every pass is free.
        let _ = permits.lock().expect("one thread").recv();
    });
    until(&heard, 0);
    lab.ask(1, Request::Step(200));
    for _ in 0..2 {
        begun.recv().expect("a pass begins");
        permit.send(()).expect("the thread waits");
    }
    begun.recv().expect("the third pass begins");
    lab.ask(2, Request::Back(1));
    drop(permit);
    assert_eq!(cursors(&until(&heard, 2).1), [2], "three tokens were done, and one taken back");
}

#[test]
fn leaving_stops_a_long_request_and_ends_the_thread() {
    let (started, begun) = channel::<()>();
    let (lab, heard) = hooked(move |_| {
        let _ = started.send(());
    });
    until(&heard, 0);
    lab.ask(1, Request::Step(250));
    begun.recv().expect("a pass begins");
    assert!(last(lab, &heard).is_none_or(|view| cursors(&view)[0] < 250));
}

#[test]
fn views_between_tokens_are_few() {
    let (lab, heard) = hooked(|_| ());
    until(&heard, 0);
    let began = Instant::now();
    lab.ask(1, Request::Step(120));
    let mut views = 0;
    loop {
        if let Answer::View(1, view) = heard.recv_timeout(Duration::from_secs(60)).expect("an answer") {
            views += 1;
            if cursors(&view) == [120] {
                break;
            }
        }
    }
    assert!(views as u128 <= began.elapsed().as_millis() / 15 + 2, "{views} in {:?}", began.elapsed());
}

#[test]
fn a_panic_is_a_sentence_and_the_lanes_are_kept() {
    let (lab, heard) = hooked(|ids| {
        let fed = ids.flatten_all().and_then(|ids| ids.to_vec1::<u32>()).expect("ids");
        assert!(fed != [4000], "a broken model");
    });
    until(&heard, 0);
    lab.ask(1, Request::Step(3));
    let three = until_steps(&heard, 3).tracks[0].generated();
    lab.ask(2, Request::Force { lane: 0, token: 4000 });
    lab.ask(3, Request::Step(1));
    let (said, view) = until(&heard, 3);
    let failed = said.iter().find_map(|answer| if let Answer::Failed(why) = answer { Some(why) } else { None });
    assert!(failed.is_some_and(|why| why.contains("a broken model")), "{said:?}");
    assert_eq!(view.tracks[0].generated()[..2], three[..2]);
    lab.ask(4, Request::Force { lane: 0, token: three[2] });
    lab.ask(5, Request::Step(1));
    let view = until(&heard, 5).1;
    assert_eq!((cursors(&view), view.tracks[0].generated()[..3].to_vec()), (vec![4], three));
}

#[test]
fn a_model_that_does_not_load_is_said_once_and_again_at_each_request() {
    let loads: [fn() -> Result<Loaded, String>; 2] =
        [|| Err("half of the file is missing".to_owned()), || panic!("half of the file is missing")];
    for load in loads {
        let (tell, heard) = channel();
        let lab = start_with(load, move |answer| drop(tell.send(answer)));
        lab.ask(1, Request::Step(1));
        let first = heard.recv_timeout(Duration::from_secs(60)).expect("an answer");
        assert!(matches!(first, Answer::Failed(why) if why.contains("half of the file")));
        let second = heard.recv_timeout(Duration::from_secs(60)).expect("an answer");
        assert!(matches!(second, Answer::Refused(1, why) if why.contains("half of the file")));
    }
}

#[test]
fn an_export_is_written_and_replaces_only_an_export() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let (tell, heard) = channel();
    let lab = start(move |answer| drop(tell.send(answer)));
    lab.ask(1, Request::Step(4));
    let exported = |generation: u64, path: PathBuf| {
        lab.ask(generation, Request::Export(path));
        let (answers, _) = until(&heard, generation);
        answers
            .into_iter()
            .find(|answer| matches!(answer, Answer::Exported(_) | Answer::Refused(..)))
            .expect("an answer")
    };
    assert!(matches!(exported(2, path("run.json")), Answer::Exported(at) if at == path("run.json")));
    let record = Record::read(&std::fs::read_to_string(path("run.json")).expect("a file")).expect("a record");
    let again = replay(&loaded(), &record).expect("a run").reread().expect("a record");
    assert_eq!(again.difference(&record), None);
    assert!(matches!(exported(3, path("run.json")), Answer::Exported(_)), "an earlier export is replaced");
    assert!(matches!(exported(4, path("run.CSV")), Answer::Exported(_)));
    assert!(std::fs::read_to_string(path("run.CSV")).expect("a file").starts_with("lane,settings,step"));
    assert!(matches!(exported(5, path("run.CSV")), Answer::Exported(_)));
    std::fs::write(path("mine.json"), "{\"my\": \"thesis\"}").expect("a file");
    assert!(matches!(exported(6, path("mine.json")), Answer::Refused(6, why) if why.contains("no export")));
    assert_eq!(std::fs::read_to_string(path("mine.json")).expect("a file"), "{\"my\": \"thesis\"}");
    assert!(
        matches!(exported(7, path("no/such/folder.json")), Answer::Refused(7, why) if why.contains("cannot write"))
    );
    assert!(matches!(exported(8, folder.path().to_owned()), Answer::Refused(..)));
    assert!(matches!(exported(9, PathBuf::new()), Answer::Refused(9, why) if why.contains("name of a file")));
}

#[test]
fn the_engine_hands_an_export_out_and_writes_nothing_itself() {
    let mut bench = bench("To be", &["greedy"]);
    let done = bench.carry_out(Request::Export("x.json".into()), &mut |_| true).expect("a text");
    assert!(matches!(done, Done::Export(path, text) if path.to_str() == Some("x.json") && Record::read(&text).is_ok()));
}
