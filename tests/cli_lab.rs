//! `logitlings lab`: the same numbers as the screen's, for readers and for machines.

use logitlings::lab::Record;
use serde_json::Value as Json;
use std::path::PathBuf;
use std::process::{Command, Stdio};

struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

fn lab(args: &[&str]) -> Done {
    let done = Command::new(env!("CARGO_BIN_EXE_logitlings"))
        .arg("lab")
        .args(args)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output in UTF-8");
    let done = Done { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) };
    assert!(!done.err.contains("panicked at"), "{}", done.err);
    done
}

#[track_caller]
fn ends(code: i32, args: &[&str]) -> Done {
    let done = lab(args);
    assert_eq!(done.code, Some(code), "{args:?}\nstdout:\n{}\nstderr:\n{}", done.out, done.err);
    done
}

fn record(args: &[&str]) -> Record {
    Record::read(&ends(0, args).out).expect("a record")
}

#[test]
fn a_table_by_default() {
    let done = ends(0, &["--prompt", "Her sister,", "--steps", "4", "--temperature", "0.8", "--lane", "greedy"]);
    assert!(done.err.is_empty(), "{}", done.err);
    for words in ["model   embedded", "prompt  Her sister,  (3 tokens)", "lane a  temperature=0.8", "lane b  greedy"] {
        assert!(done.out.contains(words), "{words}:\n{}", done.out);
    }
    assert!(done.out.contains("the lanes part at step") || done.out.contains("the lanes do not part"));
    let rows = done.out.lines().filter(|line| line.trim_start().starts_with(char::is_numeric)).count();
    assert_eq!(rows, 8);
    assert!(ends(0, &["--steps", "0"]).out.contains("lane a  the model's own distribution"));
}

#[test]
fn settings_become_lanes_in_their_order() {
    let found = record(&["--steps", "1", "--json", "--top-p", "0.9", "--temperature", "2", "--repetition", "1.1"]);
    assert_eq!(found.lanes[0].settings, "repetition=1.1,temperature=2,top-p=0.9");
    let found = record(&["--steps", "1", "--json", "--top-p", "0.9", "--temperature", "2", "--rules", "llama.cpp"]);
    assert_eq!(found.lanes[0].settings, "top-p=0.9,temperature=2,rules=llama.cpp");
    let found =
        record(&["--steps", "1", "--json", "--lane", "top-p=0.9,temperature=2", "--lane", "!top-k=3,min-p=0.1"]);
    let settings: Vec<&str> = found.lanes.iter().map(|lane| lane.settings.as_str()).collect();
    assert_eq!(settings, ["top-p=0.9,temperature=2", "!top-k=3,min-p=0.1"]);
    assert_eq!(record(&["--steps", "2", "--json", "--preset", "temperature-sweep"]).lanes.len(), 4);
}

#[test]
fn the_same_seed_is_the_same_run() {
    let args = ["--steps", "12", "--json", "--temperature", "1.2"];
    let with = |seed| record(&[&args[..], &["--seed", seed]].concat());
    assert_eq!(with("5"), with("5"));
    assert_ne!(with("5").lanes, with("6").lanes);
    let ids = |record: Record| record.lanes[0].steps.iter().map(|step| step.uniform).collect::<Vec<_>>();
    let greedy = record(&["--steps", "12", "--json", "--greedy", "--seed", "5"]);
    assert_eq!(ids(with("5")), ids(greedy), "the uniforms belong to the seed, not to the sampler");
}

#[test]
fn json_and_csv_say_the_same() {
    let args = ["--steps", "6", "--top-k", "5", "--prompt", "To be, or"];
    let run = record(&[&args[..], &["--json"]].concat());
    let csv = ends(0, &[&args[..], &["--csv"]].concat()).out;
    assert_eq!(csv.lines().count(), run.to_csv().lines().count());
    for step in &run.lanes[0].steps {
        assert!(csv.contains(&format!("\n\"a\",\"top-k=5\",{},{},", step.step, step.token)));
        assert!(step.kept == 5 && step.probability >= step.raw_probability);
        assert!(step.from <= step.uniform && step.uniform <= step.to);
    }
}

#[test]
fn the_prompt_view() {
    let args = ["--expect", "--prompt", "It is a truth universally acknowledged, that"];
    let table = ends(0, &args).out;
    assert!(table.lines().nth(3).is_some_and(|head| head.contains("rank") && head.contains("expected")), "{table}");
    let json: Json = serde_json::from_str(&ends(0, &[&args[..], &["--json"]].concat()).out).expect("JSON");
    let positions = json["positions"].as_array().expect("positions");
    assert_eq!(table.lines().count(), positions.len() + 4);
    assert!(positions[0]["rank"].is_null() && positions[1]["rank"].as_u64().is_some_and(|rank| rank >= 1));
    assert_eq!(positions[1]["leaders"].as_array().map(Vec::len), Some(10));
    let csv = ends(0, &[&args[..], &["--csv"]].concat()).out;
    assert_eq!(csv.lines().count(), positions.len() + 1);
}

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn a_record_runs_again_bit_for_bit_or_the_difference_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = ends(0, &["--steps", "8", "--json", "--temperature", "1.3", "--lane", "typical=0.9"]).out;
    let replay = |name: &str, text: &str, code: i32| {
        let path = written(&folder, name, text);
        ends(code, &["--replay", path.to_str().expect("a path")])
    };
    let same = replay("same.json", &run, 0).out;
    assert_eq!(same, "16 steps in 2 lanes, the same bit for bit\n");
    let mut changed = Record::read(&run).expect("a record");
    changed.lanes[1].steps[3].kept += 1;
    let said = replay("changed.json", &changed.to_json(), 1).out;
    assert!(said.starts_with("not the same: lane b: step 3: kept"), "{said}");
    let broken = run.replacen("\"kept\"", "kept", 1);
    assert_eq!(replay("broken.json", &broken, 2).out, "");
    let blanks = run.replace('\n', "\n\n");
    assert!(
        replay("blanks.json", &blanks, 0).out.contains("bit for bit"),
        "blanks between the parts are no difference"
    );
    let path = written(&folder, "again.json", &run);
    assert_eq!(ends(0, &["--json", "--replay", path.to_str().expect("a path")]).out, run);
}

#[test]
fn what_is_wrong_is_said_with_code_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let csv = written(&folder, "run.csv", "lane,settings\n");
    let long = "many words ".repeat(300);
    let cases: &[(&[&str], &str)] = &[
        (&["--prompt", ""], "the prompt is empty"),
        (&["--prompt", &long], "leave out"),
        (&["--temperature", "0"], "transformers refuses temperature = 0"),
        (&["--temperature", "-1"], "temperature is -1"),
        (&["--temperature", "warm"], "\"warm\" is not a number"),
        (&["--top-k", "1.5"], "not a whole number"),
        (&["--top-p", "1.5"], "between 0 and 1"),
        (&["--top-p", "NaN"], "between 0 and 1"),
        (&["--min-p", "-0.1"], "between 0 and 1"),
        (&["--repetition", "0"], "above 0"),
        (&["--top-k", "0", "--rules", "candle"], "candle refuses top-k = 0"),
        (&["--rules", "gpt"], "no engine"),
        (&["--lane", "heat=2"], "--lane \"heat=2\""),
        (
            &["--lane", "greedy", "--lane", "greedy", "--lane", "greedy", "--lane", "greedy", "--lane", "greedy"],
            "too many",
        ),
        (&["--preset", "wild"], "temperature-sweep"),
        (&["--preset", "greedy", "--top-k", "3"], "leave out the sampler"),
        (&["--preset", "greedy", "--lane", "greedy"], "cannot be used with"),
        (&["--json", "--csv"], "cannot be used with"),
        (&["--steps", "many"], "invalid value"),
        (&["--replay", "/no/such/file.json"], "cannot read"),
        (&["--replay", csv.to_str().expect("a path")], "no record of a lab run"),
        (&["--replay", folder.path().to_str().expect("a path")], "cannot read"),
    ];
    for (args, words) in cases {
        let done = ends(2, args);
        assert!(done.err.contains(words), "{args:?}: {}", done.err);
        assert!(done.out.is_empty(), "{args:?}: {}", done.out);
    }
}

#[test]
fn zero_is_greedy_where_the_engine_says_so() {
    let greedy = record(&["--steps", "10", "--json", "--greedy"]);
    let cold = record(&["--steps", "10", "--json", "--temperature", "0", "--rules", "llama.cpp"]);
    assert_eq!(greedy.lanes[0].text, cold.lanes[0].text);
}

#[test]
fn the_end_of_the_context_is_said_and_what_there_is_is_shown() {
    let prompt = " the".repeat(250);
    let done = ends(0, &["--prompt", &prompt, "--steps", "50", "--json"]);
    assert!(done.err.contains("lane a: the context is full"), "{}", done.err);
    assert_eq!(Record::read(&done.out).expect("a record").lanes[0].steps.len(), 7);
}
