//! From a save to the verdict, beside plain cargo doing the same: `cargo bench --bench verdict`.
//!
//! For every problem the reference becomes the reader's file of a practice folder. Each round changes the text (a comment), and
//! times the runner from there to the verdict; then changes it again and times `cargo build` of that bin and its run.
//! What counts is the ratio: both are measured in turn on the same machine.

use logitlings::pack;
use logitlings::runner::{Cancel, Implementation, Limits, Practice, Request, Runner};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 5;

#[allow(clippy::print_stdout)] // a bench speaks
fn main() {
    if std::env::args().any(|arg| arg == "--test" || arg == "--list") {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let practice = Practice::locate(Some(folder.path().join("practice"))).expect("a practice folder");
    let runner = Runner::new(practice, Limits::default());
    runner.warm(&Cancel::default(), &mut |_| {}).expect("the library builds");
    println!("{:<20} {:>10} {:>10} {:>7}   {:>8} {:>8}", "problem", "ours (s)", "plain (s)", "ratio", "build", "run");
    let (mut all_ours, mut all_ratios) = (Vec::new(), Vec::new());
    for entry in pack::all() {
        let text = attempt(entry);
        let (mut ours, mut plain, mut builds, mut runs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut refused = None;
        for round in 0..=ROUNDS {
            let (mine, build, run, word) = judged(&runner, entry.slug, &format!("{text}// round {round}\n"));
            if word != "accepted" {
                refused = Some(word);
                break;
            }
            let theirs = by_hand(&runner, entry.slug, &format!("{text}// by hand {round}\n"));
            // The first round warms the caches.
            if round > 0 {
                ours.push(mine);
                plain.push(theirs);
                builds.push(build);
                runs.push(run);
            }
        }
        if let Some(word) = refused {
            println!("{:<20} skipped: its reference as an attempt is \"{word}\"", entry.slug);
            continue;
        }
        let (mine, theirs) = (median(&mut ours), median(&mut plain));
        println!(
            "{:<20} {mine:>10.3} {theirs:>10.3} {:>7.2}   {:>8.3} {:>8.3}",
            entry.slug,
            mine / theirs,
            median(&mut builds),
            median(&mut runs)
        );
        all_ours.push(mine);
        all_ratios.push(mine / theirs);
    }
    println!(
        "median over {} problems: {:.3} s, ratio {:.2}",
        all_ours.len(),
        median(&mut all_ours),
        median(&mut all_ratios)
    );
}

/// The reference as a reader would have written it: outside the library, with the skeleton's last line.
fn attempt(entry: &pack::Entry) -> String {
    let module = format!("logitlings::pack::{}::{}::", entry.topic.slug(), entry.slug.replace('-', "_"));
    let call = &entry.skeleton[entry.skeleton.find("logitlings::attempt!").unwrap_or(0)..];
    format!("{}\n{call}\n", entry.reference.replace("super::", &module).replace("crate::", "logitlings::"))
}

fn judged(runner: &Runner, slug: &str, text: &str) -> (f64, f64, f64, String) {
    std::fs::write(runner.practice().file(slug).expect("a file"), text).expect("a save");
    let request = Request {
        slug: slug.to_owned(),
        implementation: Implementation::Own,
        device: "cpu".parse().expect("a device"),
        only: None,
    };
    let started = Instant::now();
    let run = runner.run(&request, &Cancel::default(), &mut |_| {}).expect("a verdict");
    (started.elapsed().as_secs_f64(), run.build_seconds, run.run_seconds, run.verdict.word().to_owned())
}

fn by_hand(runner: &Runner, slug: &str, text: &str) -> f64 {
    std::fs::write(runner.practice().file(slug).expect("a file"), text).expect("a save");
    let started = Instant::now();
    let mut build = Command::new("cargo");
    build
        .args(["build", "--release", "--offline", "--bin", &format!("my-{slug}")])
        .current_dir(runner.practice().root());
    build.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("cargo");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/release").join(format!("my-{slug}"));
    let mut run = Command::new(program);
    run.args(["--device", "cpu"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    run.status().expect("the attempt");
    started.elapsed().as_secs_f64()
}

fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
}
