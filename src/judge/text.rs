//! A report as plain text: what an attempt run by hand prints, and what the command line prints.

use super::compare::bytes_text;
use super::number::Num;
use super::report::{CaseReport, CaseResult, Cost, Detail, Diagnosis, Mismatch, Report, Window};
use std::fmt::Write;

/// A window wider than this is not printed as numbers.
const NUMBERS_ACROSS: usize = 8;

/// The whole report.
pub fn report(report: &Report) -> String {
    let mut out = String::new();
    for case in &report.cases {
        let _ = write!(out, "{}", case_text(case));
    }
    let unfinished = report.cases.iter().any(|case| matches!(case.result, CaseResult::NotImplemented { .. }));
    let verdict = match (report.complete, report.passed(), report.cases.len()) {
        (false, _, _) => "incomplete: the run ended before its end".to_owned(),
        (true, passed, all) if passed == all => format!("accepted: {all} of {all} cases on {}", report.device),
        (true, passed, all) if unfinished => format!("not implemented: {passed} of {all} cases pass"),
        (true, passed, all) => format!("wrong: {passed} of {all} cases pass on {}", report.device),
    };
    let _ = writeln!(out, "\n{verdict}");
    out.extend(report.diagnosis.iter().map(diagnosis));
    out.extend(report.cost.iter().map(cost));
    out
}

/// One case: a line, and what differs under it.
pub fn case_text(case: &CaseReport) -> String {
    let mark = if case.result.passed() { "✓" } else { "✗" };
    let mut out = format!("{mark} {}\n", case.name);
    match &case.result {
        CaseResult::Passed => {}
        CaseResult::Differs { mismatches } => mismatches.iter().for_each(|m| out.push_str(&mismatch(m))),
        CaseResult::NotImplemented { message } | CaseResult::Failed { message } => {
            let _ = writeln!(out, "    {message}");
        }
        CaseResult::Panicked { message, location } => {
            let _ = writeln!(out, "    panicked: {message}");
            location.iter().for_each(|place| {
                let _ = writeln!(out, "    at {place}");
            });
        }
    }
    out
}

/// One observation that differs.
pub fn mismatch(m: &Mismatch) -> String {
    let mut out = format!("    {} {}\n", m.observation, m.summary);
    match &m.detail {
        Detail::Values { max_abs, max_rel, rtol, window, .. } => {
            if *rtol > 0.0 {
                let _ = writeln!(out, "    largest error {max_abs}, relative {max_rel}; {rtol:e} is allowed");
            }
            out.push_str(&numbers(window));
        }
        Detail::Lines { expected, got, .. } => {
            let _ = writeln!(out, "      expected  {}\n      got       {}", expected.join(" | "), got.join(" | "));
        }
        _ => {}
    }
    out
}

fn numbers(window: &Window) -> String {
    if window.cols > NUMBERS_ACROSS || window.rows > NUMBERS_ACROSS {
        return String::new();
    }
    let mut out = String::new();
    for (title, values) in [("expected", &window.expected), ("got", &window.got)] {
        for (row, line) in values.chunks(window.cols.max(1)).enumerate() {
            let label = if row == 0 { title } else { "" };
            let cells: Vec<String> = line.iter().map(|Num(v)| format!("{:>12}", Num(*v).to_string())).collect();
            let _ = writeln!(out, "      {label:<9}{}", cells.join(""));
        }
    }
    out
}

/// The sentence that names the mistake.
pub fn diagnosis(found: &Diagnosis) -> String {
    let lead = match (found.convention, found.exact) {
        (true, _) => "another convention",
        (false, true) => "this is the mistake",
        (false, false) => "this looks like the mistake",
    };
    format!("{lead} \"{}\": {}\n", found.mistake, found.sentence)
}

/// Time and memory beside the reference.
pub fn cost(cost: &Cost) -> String {
    let ratio = if cost.reference_ms > 0.0 { cost.attempt_ms / cost.reference_ms } else { 1.0 };
    format!(
        "{}: {:.1} ms, {ratio:.1}× the reference's time; peak {} beside {}\n",
        cost.name,
        cost.attempt_ms,
        bytes_text(cost.attempt_peak),
        bytes_text(cost.reference_peak),
    )
}
