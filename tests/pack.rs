//! The pack's self-test: every reference accepted, every mistake rejected and named, every fixture compared.
//!
//! One test in a binary of its own, because peak memory is measured for the process as a whole. `PACK=slug` narrows it.
#![allow(clippy::print_stdout)] // a test that is skipped says so

use logitlings::pack;

#[test]
fn every_problem_holds() {
    let only = std::env::var("PACK").ok();
    let mut shortfalls = Vec::new();
    for entry in pack::all().filter(|entry| only.as_deref().is_none_or(|only| only == entry.slug)) {
        if let Err(reason) = entry.check_statement() {
            shortfalls.push(format!("{}: README.md: {reason}", entry.slug));
            continue;
        }
        let statement = entry.statement();
        if statement.hints.len() < 3 || statement.follow_ups.len() < 2 {
            shortfalls.push(format!("{}: README.md wants three hints and two follow-up questions", entry.slug));
        }
        let check = (entry.problem)().check();
        println!(
            "{:<20} reference {} mistakes {:>2} rejected {:>2} named {:>2} golden {:>5} {:>6.2} s",
            entry.slug,
            check.reference,
            check.mistakes,
            check.rejected,
            check.named,
            check.golden.map_or("none".to_owned(), |n| n.to_string()),
            check.seconds
        );
        shortfalls.extend(check.shortfalls.into_iter().map(|text| format!("{}: {text}", entry.slug)));
    }
    assert!(shortfalls.is_empty(), "{}", shortfalls.join("\n"));
}
