//! A reader's own sampler in a lane: beside the reference, named where it parts, and survived when it fails.

use logitlings::lab::{Guest, Part, Recipe, Request, Sampler, Theirs, Track, Workbench, embedded, replay};
use logitlings::sampling::{Engine, History, Settings, Stage, trace};
use std::process::{Command, Stdio};

/// A sampler that does what a function of the question says, otherwise as the reference.
struct Like<F>(F);

impl<F: FnMut(Guest) -> Result<Guest, String> + Send> Sampler for Like<F> {
    fn sample(&mut self, logits: &[f32], asked: Guest, uniform: f64) -> Result<u32, String> {
        let asked = (self.0)(asked)?;
        let greedy = asked.temperature == 0.0;
        let stages = [Stage::Temperature(asked.temperature), Stage::TopK(asked.top_k), Stage::TopP(asked.top_p)];
        let stages = stages.into_iter().map(|stage| (stage, true)).collect();
        let settings = Settings { stages, rules: Engine::Transformers.rules(), greedy };
        let trace = trace(logits, &History::default(), &settings, 0).map_err(|error| error.to_string())?;
        Ok(trace.kept.draw(uniform).id)
    }
}

struct Always(u32);

impl Sampler for Always {
    fn sample(&mut self, _: &[f32], _: Guest, _: f64) -> Result<u32, String> {
        Ok(self.0)
    }
}

fn bench(recipe: &str) -> Workbench {
    let recipe: Recipe = recipe.parse().expect("a recipe");
    let loaded = embedded::load().expect("the embedded model loads");
    Workbench::with(loaded, "Her sister,", 3, &[recipe.clone(), recipe]).expect("a bench")
}

/// Twelve steps with a guest in the first of two equal lanes.
fn hosted(recipe: &str, guest: impl Sampler + 'static) -> (Workbench, Track) {
    let mut bench = bench(recipe);
    bench.invite(0, "own", Box::new(guest)).expect("a guest");
    bench.carry_out(Request::Step(12), &mut |_| true).expect("steps");
    let track = bench.view().tracks[0].clone();
    (bench, track)
}

const RECIPE: &str = "temperature=1.4,top-k=30,top-p=0.7";

#[test]
fn a_sampler_that_does_as_the_reference_never_parts() {
    for recipe in [RECIPE, "greedy", "", "temperature=0.5"] {
        let (bench, track) = hosted(recipe, Like(Ok));
        assert_eq!((track.guest.as_deref(), track.guest_parted()), (Some("own"), None), "{recipe}");
        assert_eq!(bench.lanes().first_difference(), None);
        assert!(track.steps().iter().all(|step| step.theirs.is_some() && step.forced.is_none()));
    }
}

#[test]
fn the_first_stage_at_which_it_parts_is_named() {
    let part = |guest: Box<dyn FnMut(Guest) -> Result<Guest, String> + Send>| {
        let (bench, track) = hosted(RECIPE, Like(guest));
        let (at, theirs) = track.guest_parted().expect("it parts");
        assert_eq!(bench.lanes().first_difference(), Some(at), "the lane goes on with the guest's tokens");
        match theirs {
            Theirs::Token(token, Some(part)) => {
                assert_eq!(track.steps()[at].forced, Some(*token));
                *part
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(part(Box::new(|asked| Ok(Guest { temperature: 1.0 / asked.temperature, ..asked }))), Part::Temperature);
    assert_eq!(part(Box::new(|asked| Ok(Guest { top_k: 0, ..asked }))), Part::TopK);
    assert_eq!(part(Box::new(|asked| Ok(Guest { top_p: 1.0, ..asked }))), Part::TopP);
    let (_, track) = hosted(RECIPE, Always(5));
    assert!(
        matches!(track.guest_parted(), Some((0, Theirs::Token(5, Some(Part::Draw))))),
        "{:?}",
        track.guest_parted()
    );
}

#[test]
fn a_guest_that_fails_is_said_and_the_lane_goes_on_as_the_reference() {
    let mut left = 4;
    let fails = move |asked| {
        left -= 1;
        if left < 0 { Err("it panicked: index out of bounds".to_owned()) } else { Ok(asked) }
    };
    let (bench, track) = hosted(RECIPE, Like(fails));
    assert!(matches!(track.guest_parted(), Some((4, Theirs::Nothing(why))) if why.contains("index out of bounds")));
    assert_eq!((track.steps().len(), bench.lanes().first_difference()), (12, None));
    let (_, track) = hosted(RECIPE, Always(4096));
    assert!(matches!(track.guest_parted(), Some((0, Theirs::Nothing(why))) if why.contains("token 4096")));
}

#[test]
fn what_a_guest_cannot_be_asked_for_is_refused() {
    for recipe in ["min-p=0.1", "top-p=0.5,temperature=2", "temperature=2,rules=vllm", "repetition=1.2"] {
        let reason = bench(recipe).invite(0, "own", Box::new(Always(1))).expect_err("refused");
        assert!(reason.contains("it knows temperature, top-k and top-p"), "{reason}");
    }
    assert!(bench(RECIPE).invite(2, "own", Box::new(Always(1))).expect_err("refused").contains("no lane 3"));
    let (mut bench, before) = hosted(RECIPE, Like(Ok));
    let set = Request::Set { lane: 0, recipe: "min-p=0.2".parse().expect("a recipe") };
    assert!(bench.carry_out(set, &mut |_| true).is_err());
    assert_eq!(bench.view().tracks[0].settings(), before.settings());
}

#[test]
fn a_run_with_a_guest_runs_again_without_it() {
    let (bench, track) = hosted(RECIPE, Like(|asked| Ok(Guest { top_p: 1.0, ..asked })));
    assert!(track.guest_parted().is_some());
    let record = bench.record();
    let loaded = embedded::load().expect("the embedded model loads");
    assert_eq!(replay(&loaded, &record).expect("a run"), record);
}

#[test]
fn the_guest_stays_in_its_lane() {
    let (mut bench, _) = hosted(RECIPE, Always(5));
    bench.carry_out(Request::Copy(0), &mut |_| true).expect("a copy");
    bench.carry_out(Request::Step(1), &mut |_| true).expect("a step");
    let tracks = bench.view().tracks;
    assert_eq!(tracks.iter().map(|track| track.guest.is_some()).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(tracks[1].current().expect("a step").theirs, None);
}

// As processes, through the command line.

fn lab(args: &[&str], program: Option<&std::path::Path>) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_logitlings"));
    command.arg("lab").args(["--steps", "12"]).args(args).stdin(Stdio::null()).env_remove("LOGITLINGS_PROGRAM");
    command.env("LOGITLINGS_DIR", folder.path().join("practice")).env("LOGITLINGS_DATA", folder.path().join("data"));
    if let Some(program) = program {
        command.env("LOGITLINGS_PROGRAM", program);
    }
    let done = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output in UTF-8");
    let (out, err) = (text(done.stdout), text(done.stderr));
    assert!(!err.contains("panicked at src"), "{err}");
    (done.status.code(), out, err)
}

#[test]
fn references_and_mistakes_are_served() {
    let settings = ["--temperature", "1.4", "--top-k", "30", "--top-p", "0.7"];
    for (what, problem, words) in [
        ("reference", "sample-token", "draws what the reference draws, in all 12 steps"),
        ("reference", "decode-notebook", "draws what the reference draws, in all 12 steps"),
        ("mistake:top-p-ignored", "sample-token", "they part first at top-p"),
        ("mistake:smallest-k", "sample-token", "they part first at top-k"),
        ("mistake:temperature-multiplied", "sample-token", "they part first at temperature"),
        ("mistake:argmax", "sample-token", "they part first at the draw itself"),
    ] {
        let (code, out, err) = lab(&[&settings[..], &["--sampler", what, "--problem", problem]].concat(), None);
        assert_eq!(code, Some(0), "{what}: {err}");
        assert!(
            out.lines().last().is_some_and(|line| line.starts_with(what) && line.contains(words)),
            "{what}:\n{out}"
        );
    }
    let (code, out, _) = lab(&["--sampler", "mistake:k-not-clamped", "--top-k", "5000"], None);
    assert!(code == Some(0) && out.contains("mistake:k-not-clamped stops at step 0: it"), "{out}");
}

#[test]
fn what_cannot_be_served_is_said() {
    for (args, words) in [
        (&["--sampler", "reference", "--problem", "sdpa"][..], "sdpa is about no sampler"),
        (&["--sampler", "reference", "--problem", "sampling"], "no problem"),
        (&["--sampler", "mistake:none"], "no known mistake"),
        (&["--sampler", "no/such/file.rs"], "no such file"),
        (&["--sampler", "reference", "--min-p", "0.2"], "it knows temperature"),
        (&["--sampler", "reference", "--expect"], "cannot be used with"),
    ] {
        let (code, out, err) = lab(args, None);
        assert!(code == Some(2) && err.contains(words) && out.is_empty(), "{args:?} {code:?}: {err}\n{out}");
    }
}

#[cfg(unix)]
#[test]
fn a_process_that_hangs_ends_or_babbles_is_survived() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let ready = r#"echo '{"reply":"ready","protocol":1,"problem":"sample-token"}'"#;
    let script = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable");
        path
    };
    let forged = r#"echo '{"reply":"token","number":77,"token":1}'"#;
    for (name, text, words) in [
        ("hangs", format!("{ready}\nread x\nread y\nread z"), "no answer within 3 s"),
        ("deaf", format!("{ready}\nexec sleep 1000"), "no answer within 3 s"),
        ("exits", format!("{ready}\nread x\necho oh no >&2\nexit 3"), "exit status: 3); it said: oh no"),
        ("forges", format!("{ready}\nread x\n{forged}\nexit 0"), "its process ended"),
        ("babbles", format!("{ready}\nread x\necho hello\nexit 4"), "exit status: 4"),
    ] {
        let (code, out, err) = lab(&["--sampler", "reference"], Some(&script(name, text)));
        assert_eq!(code, Some(0), "{name}: {err}");
        assert!(out.contains("reference stops at step 0") && out.contains(words), "{name}:\n{out}");
        let rows = out.lines().filter(|line| line.trim_start().starts_with(char::is_numeric)).count();
        assert_eq!(rows, 12, "{name}: the lane goes on");
    }
    for (name, text, words) in [
        ("silent", "exit 0".to_owned(), "its process ended"),
        ("old", r#"echo '{"reply":"ready","protocol":0,"problem":"sample-token"}'; read x"#.to_owned(), "protocol 0"),
        ("other", r#"echo '{"reply":"ready","protocol":1,"problem":"sdpa"}'; read x"#.to_owned(), "an attempt at sdpa"),
    ] {
        let (code, _, err) = lab(&["--sampler", "reference"], Some(&script(name, text)));
        assert!(code.is_some_and(|code| code == 2 || code == 3) && err.contains(words), "{name} {code:?}: {err}");
    }
}
