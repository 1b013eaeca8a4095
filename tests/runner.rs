//! The runner against attempts that are wrong, hostile or both: each ends within its limit, with the right verdict, and
//! leaves no process behind.
//!
//! The attempts are in tests/runner/. They are built by the real runner in a practice folder of their own that shares this
//! clone's target, one after another.
#![allow(clippy::print_stdout)] // a test that is skipped says so

use logitlings::runner::watch::{Change, WatchMode, watch};
use logitlings::runner::{Cancel, Error, Implementation, Limits, Practice, Progress, Request, Run, Runner, Verdict};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{LazyLock, Mutex, mpsc};
use std::time::{Duration, Instant};

/// One practice folder for all tests: its first build takes a minute, and cargo would make them wait for each other anyway.
static FOLDER: LazyLock<Mutex<tempfile::TempDir>> =
    LazyLock::new(|| Mutex::new(tempfile::tempdir().expect("a temporary folder")));

fn limits() -> Limits {
    Limits {
        case: Duration::from_millis(1500),
        run: Duration::from_secs(8),
        memory: 300 << 20,
        output: 64 << 10,
        ..Limits::default()
    }
}

/// Runs `work` with the shared practice folder; says aloud when there is no cargo.
fn with_runner(work: impl FnOnce(&Runner)) {
    if Command::new("cargo").arg("--version").output().is_err() {
        println!("skipped: there is no cargo here to build attempts with");
        return;
    }
    let folder = FOLDER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let practice = Practice::locate(Some(folder.path().join("practice"))).expect("a practice folder");
    let runner = Runner::new(practice, limits());
    runner.warm(&Cancel::default(), &mut |_| {}).expect("the library builds");
    work(&runner);
}

fn attempt(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/runner").join(format!("{name}.rs"))
}

fn request(implementation: Implementation) -> Request {
    Request { slug: "sdpa".to_owned(), implementation, device: "cpu".parse().expect("a device"), only: None }
}

fn judge(runner: &Runner, implementation: Implementation) -> Run {
    runner.run(&request(implementation), &Cancel::default(), &mut |_| {}).expect("a verdict")
}

/// Runs a hostile attempt and makes sure that nothing of it is left.
fn hostile(name: &str, check: impl FnOnce(&Run)) {
    with_runner(|runner| {
        let started = Instant::now();
        let run = judge(runner, Implementation::File(attempt(name)));
        assert!(started.elapsed() < Duration::from_secs(60), "took {:?}", started.elapsed());
        check(&run);
        assert_eq!(left_behind("scratch"), Vec::<String>::new());
    });
}

/// Processes that run the scratch program, by /proc.
fn left_behind(program: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let line = |entry: std::fs::DirEntry| {
        let exe = std::fs::read_link(entry.path().join("exe")).ok()?;
        (exe.file_name()? == program).then(|| exe.display().to_string())
    };
    entries.filter_map(line).collect()
}

#[test]
fn an_infinite_loop_runs_out_of_time() {
    hostile("loops", |run| {
        let Verdict::TimedOut { case: Some(case), .. } = &run.verdict else { panic!("{:?}", run.verdict) };
        assert_eq!(case, "one head, by hand");
    });
}

#[test]
fn endless_printing_is_cut() {
    hostile("prints", |run| {
        assert!(matches!(run.verdict, Verdict::TooMuchOutput { .. }), "{:?}", run.verdict);
        assert!(run.output.len() <= 64 << 10 && run.output_cut);
    });
}

#[test]
fn standard_input_is_empty() {
    hostile("reads_stdin", |run| {
        assert!(matches!(run.verdict, Verdict::WrongAnswer { .. }), "{:?}", run.verdict);
        assert!(run.output.contains("read 0 bytes"), "{}", run.output);
    });
}

#[test]
fn a_sleeping_grandchild_is_found_and_ended() {
    hostile("forks", |run| {
        assert!(matches!(run.verdict, Verdict::LeftProcesses { count: 1 }), "{:?}", run.verdict);
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_escapes_its_group_is_said() {
    hostile("escapes", |run| {
        assert_eq!(run.verdict, Verdict::Accepted);
        assert!(run.notes.iter().any(|note| note.contains("left its group")), "{:?}", run.notes);
        // It is not ours to end in life; here it is.
        let id = run.output.lines().find_map(|line| line.strip_prefix("escaped ")).expect("its id").to_owned();
        Command::new("kill").arg(id).status().expect("kill");
    });
}

#[test]
fn endless_allocation_meets_the_limit() {
    hostile("allocates", |run| {
        assert!(matches!(run.verdict, Verdict::OutOfMemory { limit, .. } if limit == 300 << 20), "{:?}", run.verdict);
    });
}

#[test]
fn endless_recursion_is_named() {
    hostile("recurses", |run| {
        assert!(
            matches!(&run.verdict, Verdict::Crashed { how, .. } if how.contains("stack overflow")),
            "{:?}",
            run.verdict
        );
    });
}

#[test]
fn an_abort_is_named() {
    hostile("aborts", |run| {
        assert!(
            matches!(&run.verdict, Verdict::Crashed { how, case: Some(_) } if how.contains("SIGABRT")),
            "{:?}",
            run.verdict
        );
    });
}

#[test]
fn exit_zero_is_no_pass() {
    hostile("exits", |run| {
        let Verdict::Crashed { how, .. } = &run.verdict else { panic!("{:?}", run.verdict) };
        assert!(how.contains("exited with code 0 before the end"), "{how}");
    });
}

#[test]
fn a_panic_in_drop_is_a_panic() {
    hostile("panics_in_drop", |run| {
        assert!(matches!(&run.verdict, Verdict::Panicked { message, .. } if message == "dropped"), "{:?}", run.verdict);
    });
}

#[test]
fn a_panic_while_panicking_is_a_crash() {
    hostile("panics_twice", |run| {
        assert!(matches!(&run.verdict, Verdict::Crashed { how, .. } if how.contains("SIGABRT")), "{:?}", run.verdict);
    });
}

#[test]
fn a_panic_in_a_thread_reaches_the_verdict() {
    hostile("panics_in_a_thread", |run| {
        assert!(matches!(&run.verdict, Verdict::Panicked { .. }), "{:?}", run.verdict);
        assert!(run.output.contains("in a thread"), "{}", run.output);
    });
}

#[test]
fn a_forged_verdict_is_only_output() {
    hostile("forges", |run| {
        assert!(matches!(run.verdict, Verdict::WrongAnswer { .. }), "{:?}", run.verdict);
        assert!(run.output.contains("\"done\""), "{}", run.output);
    });
}

#[test]
fn output_that_is_not_utf8_is_shown_as_well_as_can_be() {
    hostile("prints_bytes", |run| {
        assert_eq!(run.verdict, Verdict::Accepted);
        assert!(run.output.contains('\u{fffd}') && run.output.contains("after"), "{:?}", run.output);
    });
}

#[test]
fn rustc_has_its_say() {
    with_runner(|runner| {
        let file = attempt("does_not_compile");
        let run = judge(runner, Implementation::File(file.clone()));
        assert_eq!(run.verdict, Verdict::DoesNotCompile);
        let first = &run.diagnostics[0];
        assert_eq!(first.level, "error");
        let (path, line, _) = first.place.as_ref().expect("a place");
        assert_eq!((PathBuf::from(path), *line), (file, 5));
        assert!(first.rendered.contains("mismatched types"), "{}", first.rendered);
    });
}

#[test]
fn the_skeleton_is_not_implemented_and_the_reference_is_accepted() {
    with_runner(|runner| {
        assert_eq!(judge(runner, Implementation::Own).verdict, Verdict::NotImplemented);
        let right = judge(runner, Implementation::File(attempt("right")));
        assert_eq!(right.verdict, Verdict::Accepted);
        assert!(right.report.cost.is_some() && right.source.is_some());
        assert_eq!(right.report.device, "cpu");
    });
}

#[test]
fn one_case_runs_alone() {
    with_runner(|runner| {
        let only = Some("one query, one key".to_owned());
        let request = Request { only, ..request(Implementation::File(attempt("right"))) };
        let run = runner.run(&request, &Cancel::default(), &mut |_| {}).expect("a verdict");
        assert_eq!(run.verdict, Verdict::Accepted);
        assert_eq!(run.report.planned, ["one query, one key"]);
    });
}

#[test]
fn a_cancelled_run_ends_at_once() {
    with_runner(|runner| {
        let cancel = Cancel::default();
        let flag = cancel.clone();
        let request = request(Implementation::File(attempt("loops")));
        let run = runner.run(&request, &cancel, &mut |progress| {
            if matches!(progress, Progress::CaseStarted { .. }) {
                flag.cancel();
            }
        });
        assert_eq!(run.expect("a verdict").verdict, Verdict::Cancelled);
        assert_eq!(left_behind("scratch"), Vec::<String>::new());
    });
}

#[test]
fn a_device_that_is_not_there_is_said() {
    with_runner(|runner| {
        let request =
            Request { device: "cuda:7".parse().expect("a device"), ..request(Implementation::File(attempt("right"))) };
        let error = runner.run(&request, &Cancel::default(), &mut |_| {}).expect_err("no such device").to_string();
        assert!(error.contains("cuda:7") && error.contains("--device cpu"), "{error}");
    });
}

#[test]
fn what_is_missing_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let practice = Practice::locate(Some(folder.path().join("practice"))).expect("a practice folder");
    let runner = Runner::new(practice, limits());
    let run = |implementation| {
        runner.run(&request(implementation), &Cancel::default(), &mut |_| {}).expect_err("an error").to_string()
    };
    assert!(run(Implementation::File("/nowhere/at/all.rs".into())).contains("/nowhere/at/all.rs"));
    assert!(run(Implementation::Own).contains("sdpa.rs"));
    assert!(run(Implementation::Mistake("no-such".to_owned())).contains("no-scale"));
    let bytes = folder.path().join("bytes.rs");
    std::fs::write(&bytes, [0xff, 0xfe, 0x00]).expect("a file");
    assert!(run(Implementation::File(bytes)).contains("not UTF-8"));
}

#[test]
fn nothing_of_the_readers_is_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let practice = Practice::locate(Some(folder.path().join("practice"))).expect("a practice folder");
    let first = practice.ensure().expect("a folder");
    assert!(first.created && first.added.contains(&"sdpa".to_owned()));
    let file = practice.file("sdpa").expect("a file");
    std::fs::write(&file, "// mine\n").expect("a save");
    let manifest = practice.root().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, format!("{text}\n[dependencies.half]\nversion = \"2\"\n")).expect("a save");
    let again = practice.ensure().expect("a folder");
    assert!(!again.created && again.added.is_empty());
    assert_eq!(practice.read("sdpa").expect("a text"), "// mine\n");
    assert!(std::fs::read_to_string(&manifest).expect("a manifest").contains("[dependencies.half]"));
    assert_eq!(practice.reset("sdpa").expect("a reset"), "// mine\n");
    assert!(practice.read("sdpa").expect("a text").contains("todo!("));
}

#[test]
fn two_programs_may_make_the_folder_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let make = || Practice::locate(Some(folder.path().join("practice"))).and_then(|p| p.ensure()).expect("a folder");
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
        let added: usize = makers.into_iter().map(|maker| maker.join().expect("no panic").added.len()).sum();
        assert_eq!(added, logitlings::pack::all().count(), "each file is written by one of them");
    });
}

#[test]
fn the_practice_folder_shares_the_clones_crates() {
    use logitlings::runner::sharing::{Sharing, sharing};
    with_runner(|runner| match sharing(runner.practice()) {
        Sharing::Shared { crates } => assert!(crates > 50, "{crates}"),
        Sharing::Differs { crates } => panic!("built twice: {crates:#?}"),
        Sharing::Unknown { why } => println!("skipped: {why}"),
    });
}

struct Watching {
    practice: Practice,
    changes: mpsc::Receiver<Change>,
    _watcher: logitlings::runner::watch::Watcher,
    _folder: tempfile::TempDir,
}

fn watching() -> Watching {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let practice = Practice::locate(Some(folder.path().join("practice"))).expect("a practice folder");
    practice.ensure().expect("a folder");
    let (send, changes) = mpsc::channel();
    let watcher = watch(&practice, move |change| drop(send.send(change))).expect("a watcher");
    let watching = Watching { practice, changes, _watcher: watcher, _folder: folder };
    match watching.next() {
        Some(Change::Mode(WatchMode::Events)) => {}
        Some(Change::Mode(WatchMode::Polling { why })) => println!("polling: {why}"),
        other => panic!("{other:?}"),
    }
    watching
}

impl Watching {
    fn next(&self) -> Option<Change> {
        self.changes.recv_timeout(Duration::from_secs(10)).ok()
    }

    fn saved(&self) -> Option<String> {
        match self.next()? {
            Change::Saved { slug } => Some(slug),
            Change::Mode(mode) => panic!("{mode:?}"),
        }
    }

    /// Whatever came before a save of sdpa that is made now: nothing may.
    fn nothing_but(&self, marker: &str) {
        std::fs::write(self.practice.file("sdpa").expect("a file"), marker).expect("a save");
        assert_eq!(self.saved().as_deref(), Some("sdpa"));
        assert_eq!(self.changes.try_recv().ok(), None);
    }
}

#[test]
fn a_save_in_place_and_one_by_renaming_are_each_seen_once() {
    let watching = watching();
    watching.nothing_but("// in place\n");
    let file = watching.practice.file("sdpa").expect("a file");
    for round in 0..2 {
        // vim, helix: write beside, rename over; the watched file is another inode from then on.
        let beside = file.with_file_name("4913");
        std::fs::write(&beside, format!("// renamed {round}\n")).expect("a file");
        std::fs::rename(&beside, &file).expect("a rename");
        assert_eq!(watching.saved().as_deref(), Some("sdpa"));
    }
    watching.nothing_but("// at last\n");
}

#[test]
fn droppings_and_unchanged_saves_are_no_saves() {
    let watching = watching();
    let file = watching.practice.file("sdpa").expect("a file");
    let text = std::fs::read(&file).expect("a text");
    for dropping in ["4913", "sdpa.rs~", ".sdpa.rs.swp", "sdpa copy.rs", "#sdpa.rs#"] {
        std::fs::write(file.with_file_name(dropping), "x").expect("a dropping");
    }
    std::fs::write(&file, &text).expect("the same text again");
    watching.nothing_but("// changed\n");
}

#[test]
fn two_quick_saves_are_one_change() {
    let watching = watching();
    let file = watching.practice.file("sdpa").expect("a file");
    std::fs::write(&file, "// one\n").expect("a save");
    std::fs::write(&file, "// two\n").expect("a save");
    assert_eq!(watching.saved().as_deref(), Some("sdpa"));
    watching.nothing_but("// three\n");
}

#[test]
fn errors_have_words() {
    let error = Error::NoCargo.to_string();
    assert!(error.contains("rustup"), "{error}");
}
