//! The history survives what happens to files: two windows, a broken disk, a newer program, a read-only folder.
#![allow(clippy::print_stdout)] // a test that is skipped says so

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
    let measured = versions[0].measured.as_ref().expect("numbers");
    assert_eq!((measured.build_ms, measured.run_ms, measured.cases), (200, 100, 0));
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
fn two_windows_find_it_broken_and_move_it_aside_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    std::fs::write(&path, "no database".repeat(50)).expect("a file");
    let opened: Vec<Opened> = std::thread::scope(|scope| {
        let windows: Vec<_> = (0..4).map(|_| scope.spawn(|| open(&path).1)).collect();
        windows.into_iter().map(|window| window.join().expect("no panic")).collect()
    });
    let moved = opened.iter().filter(|opened| matches!(opened, Opened::Recovered { .. })).count();
    assert_eq!(moved, 1, "{opened:?}");
}

#[test]
fn two_broken_files_get_two_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let backups: Vec<_> = ["first", "second"]
        .map(|text| {
            std::fs::write(&path, text.repeat(200)).expect("a file");
            let Opened::Recovered { backup, .. } = open(&path).1 else { panic!("it is broken") };
            backup
        })
        .into();
    assert_ne!(backups[0], backups[1], "within one second too");
    assert!(std::fs::read_to_string(&backups[0]).expect("the first").starts_with("first"));
}

#[test]
fn an_older_file_is_brought_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let older = rusqlite::Connection::open(&path).expect("a database");
    let layout =
        "CREATE TABLE versions (id INTEGER PRIMARY KEY, slug TEXT NOT NULL, text TEXT NOT NULL, at TEXT NOT NULL,
            verdict TEXT NOT NULL, headline TEXT NOT NULL, accepted INTEGER NOT NULL);
        CREATE INDEX versions_by_slug ON versions (slug, id);
        CREATE UNIQUE INDEX versions_once ON versions (slug, at, verdict, text);
        CREATE TABLE progress (slug TEXT PRIMARY KEY, runs INTEGER NOT NULL DEFAULT 0, hints INTEGER NOT NULL DEFAULT 0,
            solution_seen INTEGER NOT NULL DEFAULT 0, accepted_at TEXT);
        INSERT INTO versions VALUES (7, 'sdpa', 'old', '2026-01-02T03:04:05Z', 'accepted', 'accepted: all', 1);
        INSERT INTO progress VALUES ('sdpa', 3, 1, 0, '2026-01-02T03:04:05Z');
        PRAGMA user_version = 1;";
    older.execute_batch(layout).expect("the first layout");
    drop(older);
    let (store, opened) = open(&path);
    assert_eq!(opened, Opened::Existing);
    store.record(&run("new", Verdict::NotImplemented), "own").expect("kept");
    let versions = store.versions("sdpa").expect("versions");
    assert_eq!((versions[1].id, versions[1].measured.clone(), versions[1].accepted), (7, None, true));
    assert_eq!(store.progress().expect("progress")["sdpa"].runs, 4);
}

#[test]
fn a_folder_in_the_files_place_is_said_and_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    std::fs::create_dir(&path).expect("a folder");
    let (_, opened) = open(&path);
    let Opened::ReadOnly { why } = opened else { panic!("{opened:?}") };
    assert!(why.contains("store.db") && path.is_dir(), "{why}");
}

#[test]
fn an_empty_file_is_a_fresh_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    std::fs::write(&path, "").expect("a file");
    let (store, opened) = open(&path);
    assert_eq!(opened, Opened::Fresh);
    store.record(&run("one", Verdict::NotImplemented), "own").expect("kept");
}

#[test]
fn a_newer_file_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    open(&path).0.record(&run("zero", Verdict::Accepted), "own").expect("kept");
    let newer = rusqlite::Connection::open(&path).expect("a database");
    newer.pragma_update(None, "user_version", 99).expect("a version");
    drop(newer);
    let before = std::fs::read(&path).expect("a file");
    let (store, opened) = open(&path);
    let Opened::ReadOnly { why } = opened else { panic!("{opened:?}") };
    assert!(why.contains("newer"), "{why}");
    store.record(&run("one", Verdict::NotImplemented), "own").expect("it works in memory");
    assert_eq!(store.progress().expect("progress")["sdpa"].status, Status::Accepted, "what is understood is shown");
    assert_eq!(std::fs::read(&path).expect("a file"), before);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(names, ["store.db"], "nothing is left beside it");
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
    let progress = r#"{"slug": "sdpa", "runs": -1, "hints": 0, "solution_seen": false, "accepted_at": null}"#;
    let late = r#"{"slug": "sdpa", "runs": 1, "hints": 0, "solution_seen": false, "accepted_at": "soon"}"#;
    let with = |progress: &str| format!(r#"{{"logitlings_history": 1, "versions": [], "progress": [{progress}]}}"#);
    let newer = r#"{"logitlings_history": 7, "versions": [], "progress": []}"#.to_owned();
    for nonsense in ["{}".to_owned(), "[]".to_owned(), newer, with(progress), with(late)] {
        let nonsense = nonsense.as_str();
        let json = serde_json::from_str(nonsense).expect("JSON");
        assert!(there.import(&json).is_err(), "{nonsense}");
    }
}

#[test]
fn what_was_imported_is_not_newer_than_it_is() {
    let (here, there) = (Store::in_memory().expect("a store"), Store::in_memory().expect("a store"));
    there.record(&run("older", Verdict::Accepted), "own").expect("kept");
    let mine = here.record(&run("newer", Verdict::NotImplemented), "own").expect("kept").expect("an id");
    here.import(&there.export().expect("a history")).expect("merged");
    assert_eq!(here.versions("sdpa").expect("versions")[0].id, mine);
    let progress = &here.progress().expect("progress")["sdpa"];
    assert_eq!(progress.last.as_ref().map(|version| version.id), Some(mine));
    let again = here.record(&run("newer", Verdict::Accepted), "own").expect("kept");
    assert_eq!(again, Some(mine), "it is still the text that was judged last");
}

#[test]
fn a_history_without_numbers_is_as_good() {
    let store = Store::in_memory().expect("a store");
    let old = r#"{"logitlings_history": 1, "progress": [], "versions": [{"slug": "sdpa", "text": "t", "at": "2026-01-02T03:04:05Z",
        "verdict": "accepted", "headline": "h", "accepted": true}]}"#;
    let imported = store.import(&serde_json::from_str(old).expect("JSON")).expect("merged");
    assert_eq!((imported.versions, store.versions("sdpa").expect("versions")[0].measured.clone()), (1, None));
}
