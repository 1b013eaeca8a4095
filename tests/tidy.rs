//! Holds the code to the house plan: which room may use which, and what a problem's folder must hold.
#![allow(clippy::print_stdout)] // a test that is skipped says so

use logitlings::pack;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Room, and the rooms that it may name after `crate::`. A room that is missing here may not exist.
const EDGES: &[(&str, &[&str])] = &[
    ("judge", &[]),
    ("model", &[]),
    ("sampling", &[]),
    ("pack", &["judge", "model", "sampling"]),
    ("lab", &["model", "sampling"]),
    ("runner", &["judge", "pack"]),
    ("session", &["pack"]),
    // The store keeps what the runner hands over: data, not behaviour.
    ("store", &["pack", "judge::report", "runner::verdict", "runner::text"]),
    // Data types only.
    (
        "app",
        &[
            "judge::report",
            "judge::DeviceChoice",
            "judge::number",
            "judge::compare",
            "judge::text",
            "lab::lanes::MOST",
            "lab::recipe",
            "lab::track",
            "lab::view",
            "pack",
            "runner::verdict",
            "runner::text",
            "sampling",
            "store",
        ],
    ),
    (
        "ui",
        &[
            "app",
            "judge::report",
            "judge::number",
            "judge::compare",
            "judge::text",
            "lab::recipe",
            "lab::track",
            "lab::view",
            "pack",
            "runner::verdict",
            "runner::text",
            "sampling",
            "store",
        ],
    ),
    // What the terminal can show decides the theme.
    ("term", &["app", "ui::theme"]),
    ("work", &["app", "judge", "lab", "pack", "runner", "store", "term", "ui"]),
    ("cli", &["judge", "lab", "pack", "runner", "store", "term", "work", "app"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(&root().join("src"), &mut found);
    found.sort();
    let name = |path: &PathBuf| path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned();
    found.iter().map(|path| (name(path), fs::read_to_string(path).unwrap_or_default())).collect()
}

/// Every `crate::a::b` of a text, with `use crate::{a, b::c}` opened up one level.
fn names_after_crate(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with('$') || code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let end = list.find("};").unwrap_or(list.len());
            let (mut depth, mut item) = (0, String::new());
            for c in list[..end].chars().chain([',']) {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        found.insert(path_of(item.trim()));
                        item.clear();
                        continue;
                    }
                    _ => {}
                }
                item.push(c);
            }
        } else {
            found.insert(path_of(rest));
        }
    }
    found.remove("");
    found
}

fn path_of(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    text[..end].trim_end_matches(':').to_owned()
}

#[test]
fn rooms_use_only_the_rooms_they_may() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) = file.strip_prefix("src/").and_then(|rest| rest.split('/').next()) else { continue };
        if ["lib.rs", "main.rs"].contains(&room) {
            continue;
        }
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("{file}: the house has no room \"{room}\""));
            continue;
        };
        for name in names_after_crate(&text) {
            let within = |other: &str| name == other || name.starts_with(&format!("{other}::"));
            if !within(room) && !allowed.iter().any(|other| within(other)) {
                wrong.push(format!("{file}: `{room}` may not use crate::{name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_use_lines_reads_them() {
    let names = names_after_crate(
        "use crate::judge::{self, Case};\nuse crate::{pack, ui::theme::Theme};\nlet x = crate::term::Guard;\n// crate::no",
    );
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["judge", "pack", "term::Guard", "ui::theme::Theme"]);
}

#[test]
fn pure_rooms_stay_pure() {
    let forbidden: &[(&str, &[&str])] = &[
        (
            "src/app/",
            &["ratatui", "crossterm", "std::fs", "std::process", "Instant::now", "SystemTime::now", "Timestamp::now"],
        ),
        ("src/ui/", &["std::fs", "std::process", "crossterm::"]),
        ("src/sampling/", &["candle_", "std::fs", "Instant"]),
        ("src/judge/", &["ratatui", "rusqlite"]),
    ];
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for (_, words) in forbidden.iter().filter(|(folder, _)| file.starts_with(folder)) {
            wrong.extend(words.iter().filter(|word| code.contains(**word)).map(|word| format!("{file} names {word}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Longer files are read by nobody.
#[test]
fn no_file_is_long() {
    let code = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    let long: Vec<String> = sources()
        .iter()
        .map(|(file, text)| (file, code(text)))
        .filter(|(_, lines)| *lines > 400)
        .map(|(file, lines)| format!("{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn nothing_is_left_unfinished() {
    let words = ["todo!(", "unimplemented!(", "FIXME", "XXX", "dbg!("];
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            // The judge speaks of these macros; it does not call them.
            if words.iter().any(|word| line.contains(word)) && !line.contains('"') {
                wrong.push(format!("{file}:{}: {line}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_problem_has_its_files() {
    let listed = fs::read_to_string(root().join("exercises/Cargo.toml")).expect("exercises/Cargo.toml");
    let mut wrong = Vec::new();
    let mut slugs = BTreeSet::new();
    for entry in pack::all() {
        let (topic, slug) = (entry.topic.slug(), entry.slug);
        assert!(slugs.insert(slug), "two problems are called {slug}");
        if !listed.contains(&format!("path = \"{topic}/{slug}/skeleton.rs\"")) {
            wrong.push(format!("exercises/Cargo.toml does not build {topic}/{slug}"));
        }
        let maker = root().join(format!("tests/golden/makers/{}.py", slug.replace('-', "_")));
        if !maker.exists() {
            wrong.push(format!("{} is missing", maker.display()));
        }
        if !entry.skeleton.contains("logitlings::attempt!(") || !entry.skeleton.contains("todo!(") {
            wrong.push(format!(
                "exercises/{topic}/{slug}/skeleton.rs must end in attempt! and have something to fill in"
            ));
        }
    }
    let folders = walk_problems(&root().join("exercises"));
    wrong.extend(
        folders.iter().filter(|slug| !slugs.contains(slug.as_str())).map(|s| format!("{s} is not in the pack")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn walk_problems(exercises: &Path) -> Vec<String> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let problems = folders(exercises).iter().flat_map(|topic| folders(topic)).collect::<Vec<_>>();
    problems.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
}

/// What `cargo build` and `cargo test` each ask of every crate they share. A difference means that candle is built twice.
#[test]
fn build_and_test_share_their_artifacts() {
    let tree = |edges: &str| -> Option<BTreeSet<String>> {
        let args = ["tree", "--offline", "--locked", "--prefix", "none", "-e", edges, "-f", "{p} [{f}]"];
        let done = Command::new(env!("CARGO")).args(args).current_dir(root()).output().ok()?;
        let text = String::from_utf8(done.stdout).ok()?;
        done.status.success().then(|| text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect())
    };
    let (Some(build), Some(test)) = (tree("normal,build"), tree("normal,build,dev")) else {
        println!("skipped: `cargo tree --offline` does not work here");
        return;
    };
    let lost: Vec<&String> = build.difference(&test).collect();
    assert!(lost.is_empty(), "these crates get other features in `cargo test`, so they are built twice: {lost:#?}");
}
