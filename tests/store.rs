//! The history survives what happens to files: two windows, a broken disk, a newer program, a read-only folder.

use logitlings::judge::report::Report;
use logitlings::runner::verdict::{Run, Verdict};
use logitlings::store::{Opened, Status, Store};
use std::path::Path;

fn run(text: &str, verdict: Verdict) -> Run {
    Run {
        problem: "sdpa".to_owned(),
        verdict,
        report: Report::default(),
        diagnostics: Vec::new(),
        output: String::new(),
        output_cut: false,
        build_seconds: 0.2,
        run_seconds: 0.1,
        source: Some(text.to_owned()),
        notes: Vec::new(),
    }
}

fn open(path: &Path) -> (Store, Opened) {
    Store::open(path).expect("a store")
}

#[test]
fn every_judged_version_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep/store.db");
    let (store, opened) = open(&path);
    assert_eq!(opened, Opened::Fresh);
    store.record(&run("one", Verdict::NotImplemented), "own").expect("kept");
    let two = store.record(&run("two", Verdict::WrongAnswer { diagnosis: None }), "own").expect("kept");
    let again = store.record(&run("two", Verdict::Accepted), "own").expect("kept");
    assert_eq!(two, again, "the same text again is the same version");
    store.record(&run("one", Verdict::NotImplemented), "own").expect("kept");
    assert_eq!(store.record(&run("three", Verdict::Cancelled), "own").expect("no error"), None);
    assert_eq!(store.record(&run("theirs", Verdict::Accepted), "reference").expect("no error"), None);
    drop(store);
    let (store, opened) = open(&path);
    assert_eq!(opened, Opened::Existing);
    let versions = store.versions("sdpa").expect("versions");
    let words: Vec<&str> = versions.iter().map(|v| v.verdict.as_str()).collect();
    assert_eq!(words, ["not-implemented", "accepted", "not-implemented"]);
    assert_eq!(store.text(versions[1].id).expect("a text"), "two");
    let progress = &store.progress().expect("progress")["sdpa"];
    assert_eq!((progress.status, progress.runs), (Status::Accepted, 4));
    assert_eq!(progress.last.as_ref().map(|v| v.verdict.as_str()), Some("not-implemented"));
    assert!(store.text(999).expect_err("none").to_string().contains("999"));
}

#[test]
fn hints_count_upwards_and_the_solution_counts_before_acceptance() {
    let store = Store::in_memory().expect("a store");
    for number in [1, 2, 1] {
        store.hint_shown("gqa", number).expect("kept");
    }
    store.record(&run("right", Verdict::Accepted), "own").expect("kept");
    store.solution_shown("sdpa").expect("kept");
    store.solution_shown("gqa").expect("kept");
    let progress = store.progress().expect("progress");
    assert_eq!(
        (progress["gqa"].hints, progress["gqa"].solution_seen, progress["gqa"].status),
        (2, true, Status::Untried)
    );
    assert!(!progress["sdpa"].solution_seen, "after acceptance it is no help any more");
}

#[test]
fn a_text_is_kept_before_it_is_replaced() {
    let store = Store::in_memory().expect("a store");
    let id = store.save_text("sdpa", "mine", "before reset").expect("kept");
    assert_eq!(store.save_text("sdpa", "mine", "before reset").expect("kept"), id);
    assert_eq!(store.text(id).expect("a text"), "mine");
    assert!(store.progress().expect("progress").is_empty(), "it was not judged");
}

#[test]
fn two_windows_write_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    std::thread::scope(|scope| {
        for window in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let (store, _) = open(path);
                for n in 0..6 {
                    store.record(&run(&format!("{window} {n}"), Verdict::NotImplemented), "own").expect("kept");
                }
            });
        }
    });
    let (store, _) = open(&path);
    assert_eq!(store.versions("sdpa").expect("versions").len(), 24);
    assert_eq!(store.progress().expect("progress")["sdpa"].runs, 24);
}

#[test]
fn a_broken_file_is_moved_aside_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    std::fs::write(&path, "this was a photograph once".repeat(50)).expect("a file");
    let (store, opened) = open(&path);
    let Opened::Recovered { backup, .. } = opened else { panic!("{opened:?}") };
    assert!(std::fs::read_to_string(backup).expect("the old file").starts_with("this was"));
    store.record(&run("one", Verdict::NotImplemented), "own").expect("the new one works");
}

#[test]
fn a_file_that_was_cut_off_is_moved_aside_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let (store, _) = open(&path);
    for n in 0..300 {
        store.record(&run(&"x".repeat(200 + n), Verdict::NotImplemented), "own").expect("kept");
    }
    drop(store);
    let whole = std::fs::read(&path).expect("a file");
    std::fs::write(&path, &whole[..whole.len() / 2 + 100]).expect("a file");
    let (_, opened) = open(&path);
    let Opened::Recovered { backup, .. } = opened else { panic!("{opened:?}") };
    assert_eq!(std::fs::read(backup).expect("the old file").len(), whole.len() / 2 + 100);
}

#[test]
fn an_empty_file_is_a_fresh_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    std::fs::write(&path, "").expect("a file");
    let (store, _) = open(&path);
    store.record(&run("one", Verdict::NotImplemented), "own").expect("kept");
}

#[test]
fn a_newer_file_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    drop(open(&path));
    let newer = rusqlite::Connection::open(&path).expect("a database");
    newer.pragma_update(None, "user_version", 99).expect("a version");
    drop(newer);
    let before = std::fs::read(&path).expect("a file");
    let (store, opened) = open(&path);
    let Opened::ReadOnly { why } = opened else { panic!("{opened:?}") };
    assert!(why.contains("newer"), "{why}");
    store.record(&run("one", Verdict::NotImplemented), "own").expect("it works in memory");
    assert_eq!(std::fs::read(&path).expect("a file"), before);
}

#[test]
fn a_folder_that_cannot_be_made_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let (store, opened) = open(&file.join("store.db"));
    let Opened::ReadOnly { why } = opened else { panic!("{opened:?}") };
    assert!(why.contains("cannot be created"), "{why}");
    store.record(&run("one", Verdict::NotImplemented), "own").expect("it works in memory");
}

#[test]
#[cfg(unix)]
fn a_read_only_file_is_shown_and_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let (store, _) = open(&path);
    store.record(&run("one", Verdict::Accepted), "own").expect("kept");
    drop(store);
    let allow = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    allow(0o444);
    if std::fs::OpenOptions::new().append(true).open(&path).is_ok() {
        println!("skipped: this user may write to read-only files");
        return;
    }
    let (store, opened) = open(&path);
    allow(0o644);
    assert!(matches!(opened, Opened::ReadOnly { .. }), "{opened:?}");
    assert_eq!(store.progress().expect("progress")["sdpa"].status, Status::Accepted);
}

#[test]
fn a_history_moves_and_merges() {
    let (here, there) = (Store::in_memory().expect("a store"), Store::in_memory().expect("a store"));
    here.record(&run("one", Verdict::NotImplemented), "own").expect("kept");
    here.record(&run("two", Verdict::Accepted), "own").expect("kept");
    there.record(&run("other", Verdict::NotImplemented), "own").expect("kept");
    there.hint_shown("sdpa", 2).expect("kept");
    let history = here.export().expect("a history");
    let first = there.import(&history).expect("merged");
    assert_eq!((first.versions, first.problems), (2, 1));
    assert_eq!(there.import(&history).expect("merged").versions, 0, "twice is once");
    assert_eq!(there.versions("sdpa").expect("versions").len(), 3);
    let progress = &there.progress().expect("progress")["sdpa"];
    assert_eq!((progress.status, progress.hints, progress.runs), (Status::Accepted, 2, 2));
    for nonsense in ["{}", "[]", r#"{"logitlings_history": 7, "versions": [], "progress": []}"#] {
        let json = serde_json::from_str(nonsense).expect("JSON");
        assert!(there.import(&json).is_err(), "{nonsense}");
    }
}
