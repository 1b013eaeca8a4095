//! The command line, as a reader or a script uses it: every subcommand with good and bad input, and its exit codes.
//!
//! Each test has a practice folder and a history of its own. Only `a_reader_goes_from_the_skeleton_to_accepted` and
//! `the_pack_passes_its_own_check` build something.
#![allow(clippy::print_stdout)] // a test that is skipped says so

use logitlings::cli::exit::HELP;
use logitlings::pack;
use logitlings::runner::{Run, Verdict};
use serde_json::{Value as Json, json};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A temporary folder with everything that a command may write to.
struct Place {
    folder: TempDir,
    /// Instead of the caller's.
    path: Option<OsString>,
}

/// How a command ended.
#[derive(Debug)]
struct Done {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), path: None }
    }

    /// No program at all on `PATH`.
    fn without_cargo() -> Self {
        let mut place = Self::new();
        place.path = Some(place.folder("nothing").into());
        place
    }

    /// A `cargo` that is this shell script.
    #[cfg(unix)]
    fn with_cargo(script: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let mut place = Self::new();
        let tools = place.folder("tools");
        let cargo = place.file("tools/cargo", format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(cargo, fs::Permissions::from_mode(0o755)).expect("an executable file");
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let all = [tools].into_iter().chain(std::env::split_paths(&rest));
        place.path = Some(std::env::join_paths(all).expect("a PATH"));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn folder(&self, name: &str) -> PathBuf {
        fs::create_dir_all(self.path(name)).expect("a folder");
        self.path(name)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), text).expect("a written file");
        self.path(name)
    }

    /// The reader's file of causal-mask.
    fn own(&self) -> PathBuf {
        self.path("practice/attention/causal-mask.rs")
    }

    fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_logitlings"));
        command.args(args).stdin(Stdio::null()).current_dir(self.folder.path());
        command.env("LOGITLINGS_DATA", self.path("data")).env("LOGITLINGS_DIR", self.path("practice"));
        command.env_remove("LOGITLINGS_PROGRAM");
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        command
    }

    fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Done {
        let done = self.command(args).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output in UTF-8");
        let done = Done { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) };
        assert!(!done.err.contains("panicked at"), "{}", done.err);
        done
    }

    /// Runs a line of words.
    fn say(&self, line: &str) -> Done {
        self.run(line.split_whitespace())
    }

    fn history(&self) -> Json {
        serde_json::from_str(&self.say("export").ends(0).out).expect("an export is JSON")
    }

    /// A history of two versions: 1 of causal-mask, 2 of sdpa.
    fn with_history() -> Self {
        let place = Self::new();
        let file = place.file("history.json", history().to_string());
        place.run([OsStr::new("import"), file.as_os_str()]).ends(0);
        place
    }
}

impl Done {
    #[track_caller]
    fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn prints(self, part: &str) -> Self {
        assert!(self.out.contains(part), "no \"{part}\" in standard output:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn complains(self, part: &str) -> Self {
        assert!(self.err.contains(part), "no \"{part}\" in standard error:\n{}", self.err);
        self
    }
}

fn history() -> Json {
    let version = |slug: &str, accepted: bool| {
        json!({"slug": slug, "text": format!("// {slug}\n"), "at": "2026-01-02T03:04:05Z", "verdict": "wrong-answer",
               "headline": "1 of 7 cases fail", "accepted": accepted})
    };
    let progress = |slug: &str, accepted: Json| json!({"slug": slug, "runs": 1, "hints": 0, "solution_seen": false, "accepted_at": accepted});
    json!({"logitlings_history": 1, "versions": [version("causal-mask", false), version("sdpa", true)],
           "progress": [progress("causal-mask", Json::Null), progress("sdpa", json!("2026-01-02T03:04:05Z"))]})
}

fn entry(slug: &str) -> &'static pack::Entry {
    pack::find(slug).expect("a problem of the pack")
}

/// The run that `--json` printed; printing it again must give the same.
#[track_caller]
fn parsed(done: &Done) -> Run {
    let run: Run = serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}:\n{}", done.out));
    let again = serde_json::to_value(&run).expect("a run is JSON");
    assert_eq!(again, serde_json::from_str::<Json>(&done.out).expect("JSON"));
    run
}

// The program as a whole.

#[test]
fn help_states_the_exit_codes() {
    let done = Place::new().say("--help").ends(0);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&done.out).contains(&flat(HELP)), "{}", done.out);
}

#[test]
fn every_subcommand_has_help() {
    let place = Place::new();
    for name in "list show run watch hint solution reset versions export import check doctor completions man".split(' ')
    {
        place.run([name, "--help"]).ends(0).prints("Usage: logitlings");
        place.say("--help").prints(&format!("\n  {name} "));
    }
}

#[test]
fn version_is_the_packages() {
    let done = Place::new().say("--version").ends(0);
    assert_eq!(done.out, format!("logitlings {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_unknown_option_is_wrong_usage() {
    Place::new().say("list --nonsense").ends(2).complains("--nonsense");
}

#[test]
fn an_unknown_subcommand_is_wrong_usage() {
    Place::new().say("lisst").ends(2).complains("list");
}

#[test]
fn the_screens_ask_for_a_terminal() {
    Place::new().run::<&str>([]).ends(2).complains("need a terminal");
}

#[test]
fn an_unknown_problem_is_wrong_usage_and_the_nearest_is_named() {
    let place = Place::new();
    for command in ["show", "run", "hint", "solution", "reset", "versions", "check"] {
        let done = place.run([command, "spda"]).ends(2).complains("there is no problem \"spda\"; did you mean sdpa?");
        assert_eq!(done.out, "", "{command}");
    }
    assert!(!place.path("practice").exists() && !place.path("data").exists(), "nothing is written for a typing error");
}

#[test]
fn a_part_of_a_slug_is_near() {
    Place::new().say("show mask").ends(2).complains("did you mean").complains("causal-mask");
}

#[test]
fn where_nothing_is_near_nothing_is_suggested() {
    let place = Place::new();
    for word in ["", "!", "zzzzzzzzzzzz", "日本語", "../../etc/passwd"] {
        let done = place.run(["show", word]).ends(2).complains("logitlings list");
        assert!(!done.err.contains("did you mean"), "{}", done.err);
    }
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let place = Place::new();
    for line in
        ["--help", "list", "list --json", "show sdpa", "hint sdpa", "solution sdpa", "export", "man", "completions zsh"]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let done = place.command(line.split(' ')).stdout(writer).stderr(Stdio::piped()).output().expect("it starts");
        assert_eq!(done.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{line}");
    }
}

#[test]
fn a_history_that_cannot_be_read_is_moved_aside_and_said() {
    let place = Place::new();
    place.folder("data");
    place.file("data/store.db", "this is no database, and longer than the header of one would be ".repeat(40));
    place.say("list").ends(0).complains("could not be read").prints("sdpa");
    let names = fs::read_dir(place.path("data"))
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(names.filter(|name| name.contains("broken-")).count(), 1);
}

#[test]
fn without_a_place_for_the_history_it_is_said_and_the_rest_works() {
    let place = Place::new();
    place.file("data", "a file where a folder should be");
    place.say("list").ends(0).complains("cannot be created").prints("sdpa");
}

// list and show.

#[test]
fn list_names_every_problem() {
    let mut done = Place::new().say("list").ends(0);
    for entry in pack::all() {
        done = done.prints(entry.slug).prints(entry.topic.title()).prints(&entry.statement().title);
    }
}

#[test]
fn list_of_a_topic_names_only_its_problems() {
    let done = Place::new().say("list attention").ends(0).prints("causal-mask");
    assert!(!done.out.contains("decode-notebook"), "{}", done.out);
}

#[test]
fn an_unknown_topic_is_wrong_usage_and_the_topics_are_named() {
    Place::new().say("list nonsense").ends(2).complains("attention").complains("decoding");
}

#[test]
fn list_as_json_has_every_problem_with_its_status() {
    let done = Place::with_history().say("list --json").ends(0);
    let rows: Vec<Json> = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(rows.len(), pack::all().count());
    let status = |slug: &str| rows.iter().find(|row| row["slug"] == slug).map(|row| row["status"].clone());
    assert_eq!(status("sdpa"), Some(json!("accepted")));
    assert_eq!(status("causal-mask"), Some(json!("tried")));
    assert_eq!(status("gqa"), Some(json!("untried")));
}

#[test]
fn show_prints_the_task_and_names_the_file_but_no_hint() {
    let place = Place::new();
    let statement = entry("causal-mask").statement();
    let done = place.say("show causal-mask").ends(0).prints(&statement.task).prints(&place.own().display().to_string());
    assert!(!done.out.contains(&statement.hints[0]));
}

#[test]
fn show_prints_the_skeleton_as_it_is() {
    assert_eq!(Place::new().say("show sdpa --skeleton").ends(0).out, entry("sdpa").skeleton);
}

#[test]
fn dir_goes_before_the_environment() {
    let place = Place::new();
    let done = place.say("show sdpa --dir elsewhere").ends(0);
    let file = place.path("elsewhere/attention/sdpa.rs").display().to_string();
    done.prints(&format!("Your file: {file}"));
}

// run without a build.

#[test]
fn every_reference_is_accepted() {
    let place = Place::new();
    for entry in pack::all() {
        let done = place.run(["run", entry.slug, "--impl", "reference", "--device", "cpu", "--json"]).ends(0);
        let run = parsed(&done);
        assert_eq!((run.problem.as_str(), &run.verdict), (entry.slug, &Verdict::Accepted));
        assert!(run.report.complete && run.report.device == "cpu");
    }
}

#[test]
fn no_mistake_is_accepted_and_its_json_can_be_parsed() {
    let place = Place::new();
    for slug in ["causal-mask", "sdpa"] {
        for mistake in (entry(slug).problem)().mistakes() {
            let what = format!("mistake:{}", mistake.name);
            let done = place.run(["run", slug, "--impl", &what, "--device", "cpu", "--json"]).ends(1);
            assert!(!parsed(&done).verdict.accepted(), "{what}");
        }
    }
}

#[test]
fn a_known_mistake_is_named() {
    let done = Place::new().say("run causal-mask --impl mistake:top-left --device cpu").ends(1);
    done.prints("✗ causal-mask: wrong answer").prints("aligned at the top left");
}

#[test]
fn an_unknown_mistake_is_wrong_usage_and_the_known_ones_are_named() {
    for name in ["nonsense", "", "reference"] {
        let done = Place::new().run(["run", "causal-mask", "--impl", &format!("mistake:{name}")]).ends(2);
        done.complains("top-left").complains("sees-next");
    }
}

#[test]
fn a_case_runs_alone() {
    let args = ["run", "causal-mask", "--impl", "reference", "--device", "cpu", "--case", "one token", "--json"];
    let run = parsed(&Place::new().run(args).ends(0));
    assert_eq!(run.report.cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["one token"]);
}

#[test]
fn an_unknown_case_is_wrong_usage_and_the_cases_are_named() {
    let args = ["run", "causal-mask", "--impl", "reference", "--case", "two tokens"];
    Place::new().run(args).ends(2).complains("has no case \"two tokens\"").complains("\n  one token");
}

#[test]
fn an_unknown_device_is_wrong_usage() {
    for word in ["tpu", "cuda:", "cuda:-1", ""] {
        let done = Place::new().run(["run", "sdpa", "--impl", "reference", "--device", word]).ends(2);
        done.complains("auto, cpu, cuda:N or metal");
    }
}

#[test]
#[cfg(not(any(feature = "cuda", feature = "metal")))]
fn a_device_that_is_not_here_is_wrong_usage_with_a_way_out() {
    for word in ["cuda", "cuda:7", "metal"] {
        let done = Place::new().run(["run", "sdpa", "--impl", "reference", "--device", word]).ends(2);
        done.complains("cannot be used").complains("--device cpu");
    }
}

#[test]
fn no_program_of_the_practice_folder_has_the_name_of_a_skeletons() {
    let place = Place::new();
    place.say("reset sdpa").ends(0);
    let read = |file: &Path| fs::read_to_string(file).expect("a Cargo.toml");
    let (own, skeletons) =
        (read(&place.path("practice/Cargo.toml")), Path::new(env!("CARGO_MANIFEST_DIR")).join("exercises"));
    for line in read(&skeletons.join("Cargo.toml")).lines().filter(|line| line.starts_with("name = ")) {
        assert!(
            !own.lines().any(|other| other == line),
            "both write the same file of the shared target folder: {line}"
        );
    }
}

#[test]
fn a_missing_file_is_wrong_usage_and_named() {
    Place::new().say("run sdpa --impl no/such/file.rs").ends(2).complains("no/such/file.rs");
}

#[test]
fn a_folder_in_place_of_a_file_is_wrong_usage() {
    let place = Place::new();
    place.folder("attempts");
    place.say("run sdpa --impl attempts").ends(2).complains("attempts");
}

#[test]
fn a_file_that_is_no_text_is_wrong_usage() {
    let place = Place::new();
    place.file("attempt.rs", [0x66, 0x6e, 0xff, 0xfe]);
    place.say("run sdpa --impl attempt.rs").ends(2).complains("attempt.rs is not UTF-8 text");
}

#[test]
fn a_version_that_is_not_there_is_wrong_usage() {
    let place = Place::new();
    place.say("run sdpa --impl saved:7").ends(2).complains("there is no saved version 7");
    place.say("run sdpa --impl saved:last").ends(2).complains("\"last\" is not a version's number");
}

#[test]
fn a_version_of_another_problem_is_not_judged() {
    let done = Place::with_history().say("run causal-mask --impl saved:2").ends(2);
    done.complains("version 2 is one of sdpa, not of causal-mask");
}

#[test]
fn colours_are_written_only_where_asked_for() {
    let place = Place::new();
    let line = "run causal-mask --impl reference --device cpu --color";
    place.say(&format!("{line} always")).ends(0).prints("\u{1b}[1;32m");
    for when in ["auto", "never"] {
        let done = place.say(&format!("{line} {when}")).ends(0);
        assert!(!done.out.contains('\u{1b}'), "{when}: {}", done.out);
    }
}

#[test]
fn the_reference_is_no_attempt_of_the_readers() {
    let place = Place::new();
    place.say("run causal-mask --impl reference --device cpu").ends(0);
    assert_eq!(place.history()["versions"], json!([]));
    assert_eq!(place.history()["progress"], json!([]));
}

#[test]
fn a_file_in_place_of_the_practice_folder_is_a_failure_and_stays() {
    let place = Place::new();
    let file = place.file("practice", "mine");
    let shown = file.display().to_string();
    for line in ["run sdpa", "run sdpa --impl reference", "reset sdpa", "watch"] {
        place.say(line).ends(3).complains("cannot create the folder").complains(&shown);
    }
    assert_eq!(fs::read(file).expect("the file"), b"mine");
}

#[test]
fn without_cargo_it_is_said_how_to_get_it() {
    let place = Place::without_cargo();
    for line in ["run sdpa", "watch", "check", "check sdpa"] {
        place.say(line).ends(3).complains("cargo was not found: install Rust from https://rustup.rs");
    }
}

#[test]
fn without_cargo_the_reference_is_judged_all_the_same() {
    Place::without_cargo().say("run causal-mask --impl reference --device cpu").ends(0).prints("accepted");
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_a_failure_that_is_named() {
    let place = Place::with_cargo("echo 'error: No space left on device (os error 28)' >&2\nexit 101");
    place.say("run sdpa").ends(3).complains("the disk is full");
    assert_eq!(place.history()["versions"], json!([]), "what was not judged is not kept");
}

/// Starts a command whose cargo never ends, waits until it says `word`, and interrupts it.
#[cfg(unix)]
fn interrupted(line: &str, word: &str) -> Option<i32> {
    use nix::sys::signal::{Signal, kill};
    use std::io::{BufRead, BufReader};
    let place = Place::with_cargo("echo 'Blocking waiting for file lock on build directory' >&2\nexec sleep 300");
    let mut child =
        place.command(line.split(' ')).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
    let said = BufReader::new(child.stderr.take().expect("a pipe"));
    let found = said.lines().map_while(Result::ok).any(|said| said.contains(word));
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
    kill(id, Signal::SIGINT).expect("the signal is sent");
    let code = child.wait().expect("it ends").code();
    assert!(found, "it never said \"{word}\"");
    code
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_ends_with_130() {
    assert_eq!(interrupted("run sdpa", "waiting for it"), Some(130));
}

#[test]
#[cfg(unix)]
fn an_interrupted_watch_ends_with_130() {
    assert_eq!(interrupted("watch", "waiting for it"), Some(130));
}

// hint and solution.

#[test]
fn each_hint_comes_after_the_other_and_the_last_one_stays() {
    let place = Place::new();
    let hints = &entry("causal-mask").statement().hints;
    for (at, hint) in hints.iter().enumerate() {
        let done = place.say("hint causal-mask").ends(0).prints(hint);
        assert!(done.out.starts_with(&format!("Hint {} of {}\n", at + 1, hints.len())), "{}", done.out);
        assert_eq!(done.err, "");
    }
    place.say("hint causal-mask").ends(0).prints(hints.last().expect("a hint")).complains("last hint again");
}

#[test]
fn all_hints_come_at_once_and_count_as_seen() {
    let place = Place::new();
    let hints = &entry("sdpa").statement().hints;
    let done = place.say("hint sdpa --all").ends(0);
    hints.iter().fold(done, |done, hint| done.prints(hint));
    assert_eq!(place.history()["progress"][0]["hints"], hints.len());
}

#[test]
fn the_solution_is_the_reference_with_the_answers_and_is_noted() {
    let place = Place::new();
    let entry = entry("sdpa");
    let done = place.say("solution sdpa").ends(0).prints(entry.reference);
    entry.statement().follow_ups.iter().fold(done, |done, (question, _)| done.prints(question));
    assert_eq!(place.history()["progress"][0]["solution_seen"], true);
}

// reset and versions.

#[test]
fn reset_of_an_untouched_file_keeps_nothing() {
    let place = Place::new();
    place.say("reset causal-mask").ends(0).prints("is the skeleton already");
    assert_eq!(place.history()["versions"], json!([]));
}

#[test]
fn reset_puts_the_skeleton_back_and_keeps_the_text() {
    let place = Place::new();
    place.say("reset causal-mask").ends(0);
    fs::write(place.own(), "fn mine() {}\n").expect("a written file");
    place.say("reset causal-mask").ends(0).prints("your text is version 1");
    assert_eq!(fs::read_to_string(place.own()).expect("the file"), entry("causal-mask").skeleton);
    assert_eq!(place.say("versions causal-mask --show 1").ends(0).out, "fn mine() {}\n");
}

#[test]
fn reset_without_a_history_leaves_the_text() {
    let place = Place::new();
    place.say("reset causal-mask").ends(0);
    fs::write(place.own(), "fn mine() {}\n").expect("a written file");
    fs::remove_dir_all(place.path("data")).ok();
    place.file("data", "a file where a folder should be");
    place.say("reset causal-mask").ends(3).complains("nothing was reset");
    assert_eq!(fs::read_to_string(place.own()).expect("the file"), "fn mine() {}\n");
}

#[test]
fn reset_of_a_file_that_is_no_text_leaves_it() {
    let place = Place::new();
    place.say("reset causal-mask").ends(0);
    fs::write(place.own(), [0xff, 0xfe]).expect("a written file");
    place.say("reset causal-mask").ends(2).complains("is not UTF-8 text");
    assert_eq!(fs::read(place.own()).expect("the file"), [0xff, 0xfe]);
}

#[test]
fn versions_of_an_untouched_problem_say_how_to_get_some() {
    Place::new().say("versions sdpa").ends(0).prints("logitlings run sdpa");
}

#[test]
fn versions_are_listed_with_their_verdict() {
    let place = Place::with_history();
    place.say("versions sdpa").ends(0).prints("    2  ").prints("✓ 1 of 7 cases fail");
    place.say("versions causal-mask").ends(0).prints("    1  ").prints("✗ 1 of 7 cases fail");
}

#[test]
fn only_a_version_of_the_problem_is_shown() {
    let place = Place::with_history();
    assert_eq!(place.say("versions sdpa --show 2").ends(0).out, "// sdpa\n");
    place.say("versions sdpa --show 1").ends(2).complains("one of causal-mask");
    place.say("versions sdpa --show 3").ends(2).complains("no saved version 3");
    place.say("versions sdpa --show last").ends(2).complains("last");
}

// export and import.

#[test]
fn a_history_survives_export_and_import() {
    let (here, there) = (Place::with_history(), Place::new());
    let file = there.path("moved.json");
    assert_eq!(here.run([OsStr::new("export"), file.as_os_str()]).ends(0).out, "");
    there.say("import moved.json").ends(0).prints("2 new versions, progress of 2 problems");
    assert_eq!(here.history(), there.history());
}

#[test]
fn the_same_history_twice_is_the_same_as_once() {
    let place = Place::with_history();
    let before = place.history();
    place.say("import history.json").ends(0).prints("0 new versions");
    assert_eq!(place.history(), before);
}

/// Each of these is refused, and what was there stays.
#[track_caller]
fn refused_import(text: impl AsRef<[u8]>, reason: &str) {
    let place = Place::with_history();
    let before = place.history();
    place.file("other.json", text);
    place.say("import other.json").ends(2).complains("other.json").complains(reason);
    assert_eq!(place.history(), before);
}

#[test]
fn broken_json_is_not_imported() {
    let whole = history().to_string();
    refused_import(&whole[..whole.len() / 2], "is not JSON");
    refused_import("", "is not JSON");
}

#[test]
fn a_file_that_is_no_text_is_not_imported() {
    refused_import([0xff, 0xfe, 0x00], "UTF-8");
}

#[test]
fn other_json_is_not_imported() {
    refused_import("[1, 2, 3]", "no history of logitlings");
    refused_import(r#"{"versions": []}"#, "no history of logitlings");
}

#[test]
fn a_history_of_a_newer_format_is_not_imported() {
    let mut newer = history();
    newer["logitlings_history"] = json!(2);
    refused_import(newer.to_string(), "format 2");
}

#[test]
fn a_history_with_impossible_numbers_is_not_imported() {
    let mut odd = history();
    odd["progress"][0]["hints"] = json!(-1);
    refused_import(odd.to_string(), "no history of logitlings");
}

#[test]
fn a_missing_history_is_wrong_usage() {
    Place::new().say("import nowhere.json").ends(2).complains("nowhere.json");
}

#[test]
fn an_import_that_cannot_be_kept_is_a_failure() {
    let place = Place::new();
    place.file("data", "a file where a folder should be");
    place.file("history.json", history().to_string());
    let done = place.say("import history.json").ends(3).complains("nothing was imported");
    assert_eq!(done.out, "");
}

#[test]
fn a_history_that_is_out_of_reach_does_not_replace_an_export() {
    let place = Place::with_history();
    place.say("export backup.json").ends(0);
    let before = fs::read(place.path("backup.json")).expect("the export");
    fs::remove_dir_all(place.path("data")).expect("the folder goes");
    place.file("data", "a file where a folder should be");
    place.say("export backup.json").ends(3).complains("nothing was exported");
    assert_eq!(fs::read(place.path("backup.json")).expect("the export"), before);
}

#[test]
fn an_export_that_cannot_be_written_is_a_failure() {
    Place::new()
        .say("export no/such/folder/history.json")
        .ends(3)
        .complains("cannot write no/such/folder/history.json");
}

// doctor, completions, man.

#[test]
fn doctor_says_where_things_lie() {
    let place = Place::new();
    let (practice, data) = (place.path("practice"), place.path("data").join("store.db"));
    let done =
        place.say("doctor").ends(0).prints("✓ cargo").prints("✓ rustc").prints("✓ device").prints("✓ protection");
    done.prints(&format!("✓ practice    {}", practice.display())).prints(&data.display().to_string());
}

#[test]
fn doctor_without_cargo_says_how_to_get_it() {
    Place::without_cargo().say("doctor").ends(1).prints("✗ cargo       not found: install Rust from https://rustup.rs");
}

#[test]
fn doctor_finds_a_file_in_place_of_a_folder() {
    let place = Place::new();
    place.file("practice", "mine");
    place.file("data", "mine");
    place.say("doctor").ends(1).prints("✗ practice").prints("✗ history");
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = Place::new().run(["completions", shell]).ends(0).prints("versions").prints("skeleton");
        assert!(!done.out.contains("judge-builtin"), "{shell} offers what only the program itself calls");
    }
}

#[test]
fn an_unknown_shell_is_wrong_usage() {
    Place::new().say("completions nonsense").ends(2).complains("bash");
}

#[test]
fn the_manual_page_is_one_and_states_the_exit_codes() {
    Place::new().say("man").ends(0).prints(".TH logitlings 1").prints("Exit codes:");
}

// What builds.

fn cargo_is_here() -> bool {
    Command::new("cargo").arg("--version").output().is_ok()
}

fn write(file: &Path, text: &str) {
    fs::write(file, text).expect("a written file");
}

#[test]
fn a_reader_goes_from_the_skeleton_to_accepted() {
    if !cargo_is_here() {
        println!("skipped: there is no cargo here to build with");
        return;
    }
    let place = Place::new();
    let first = place.say("run causal-mask --device cpu").ends(1).prints("✗ causal-mask: not implemented");
    assert!(first.out.contains("build "), "{}", first.out);
    place.say("list").prints("✗ ★");

    let right =
        format!("{}\nlogitlings::attempt!(attention::causal_mask, causal_mask);\n", entry("causal-mask").reference);
    write(&place.own(), &right);
    let run = parsed(&place.say("run causal-mask --device cpu --json").ends(0));
    assert_eq!((run.verdict, run.source.as_deref()), (Verdict::Accepted, Some(right.as_str())));
    place.say("versions causal-mask").ends(0).prints("    2  ").prints("✓ accepted").prints("✗ not implemented");
    place.say("list").prints("✓ ★");

    write(&place.own(), "fn main() { nothing_of_this_name() }\n");
    place
        .say("run causal-mask --device cpu")
        .ends(1)
        .prints("does not compile: 1 error")
        .prints("nothing_of_this_name");

    let other = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/runner/right.rs");
    let args = ["run", "causal-mask", "--device", "cpu", "--json", "--impl"].map(OsString::from);
    let run = parsed(&place.run(args.into_iter().chain([other.into()])).ends(1));
    let Verdict::Crashed { how, .. } = &run.verdict else { panic!("{:?}", run.verdict) };
    assert!(how.contains("an attempt at sdpa"), "{how}");

    write(&place.own(), &right);
    place.say("reset causal-mask").ends(0);
    assert_eq!(fs::read_to_string(place.own()).expect("the file"), entry("causal-mask").skeleton);
    assert_eq!(place.say("versions causal-mask --show 2").ends(0).out, right);
    place.say("run causal-mask --device cpu --impl saved:2").ends(0).prints("accepted");
}

#[test]
fn the_pack_passes_its_own_check() {
    if !cargo_is_here() {
        println!("skipped: there is no cargo here to build with");
        return;
    }
    let done = Place::new().say("check");
    println!("{}", done.out);
    done.ends(0);
}
