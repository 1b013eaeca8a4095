//! The judge judged: what it must notice, what it must not mind, and what it calls each thing.

use candle_core::{DType, Device, Tensor};
use logitlings::judge::case::Case;
use logitlings::judge::compare::{compare, same};
use logitlings::judge::number::Num;
use logitlings::judge::report::{CaseResult, Detail, Line, Report};
use logitlings::judge::value::{Observation, Tolerance, Value};
use logitlings::judge::{Judged, Options, Problem, meter};

type Double = fn(&[f32]) -> Result<Vec<f32>, String>;

fn right(xs: &[f32]) -> Result<Vec<f32>, String> {
    Ok(xs.iter().map(|x| x * 2.0).collect())
}

fn squares(xs: &[f32]) -> Result<Vec<f32>, String> {
    Ok(xs.iter().map(|x| x * x).collect())
}

fn drops_last(xs: &[f32]) -> Result<Vec<f32>, String> {
    right(&xs[..xs.len() - 1])
}

#[allow(clippy::todo)] // what an untouched skeleton does
fn unfinished(_: &[f32]) -> Result<Vec<f32>, String> {
    todo!("double every number")
}

fn panics_on_long(xs: &[f32]) -> Result<Vec<f32>, String> {
    assert!(xs.len() < 3, "too long");
    right(xs)
}

fn refuses(_: &[f32]) -> Result<Vec<f32>, String> {
    Err("no".to_owned())
}

fn problem() -> Problem<Double> {
    Problem::new("double", right as Double)
        .mistake("squares", "squares the numbers", squares)
        .mistake("drops-last", "loses the last number", drops_last)
        .case("two", |attempt, case| {
            let xs = case.given("xs", [1.0, 2.0]);
            case.observe("output", Value::floats(&attempt(&xs)?));
            Ok(())
        })
        .case("three", |attempt, case| {
            let xs: Vec<f32> = (0..3).map(|_| case.normal() as f32).collect();
            case.observe("output", Value::floats(&attempt(&xs)?));
            Ok(())
        })
}

fn judge(attempt: Double) -> Report {
    judge_only(attempt, None)
}

fn judge_only(attempt: Double, only: Option<&str>) -> Report {
    let mut report = Report::default();
    let options = Options { device: Device::Cpu, only: only.map(str::to_owned) };
    problem().judge(&attempt, &options, &mut |line| {
        // Through JSON, as in life.
        let text = serde_json::to_string(&line).expect("a line is plain data");
        report.push(serde_json::from_str(&text).expect("and reads back"));
    });
    report
}

#[test]
fn accepts_what_is_right() {
    let report = judge(right);
    assert!(report.complete);
    assert_eq!(report.passed(), 2);
    assert_eq!(report.diagnosis, None);
}

#[test]
fn names_the_mistake() {
    let report = judge(squares);
    let found = report.diagnosis.expect("a diagnosis");
    assert_eq!((found.mistake.as_str(), found.exact), ("squares", true));
    assert!(found.also.is_empty());
}

#[test]
fn shows_where_values_part() {
    let report = judge(squares);
    let CaseResult::Differs { mismatches } = &report.cases[0].result else { panic!("{:?}", report.cases[0]) };
    let Detail::Values { first, expected, got, differing, total, window, .. } = &mismatches[0].detail else {
        panic!("{mismatches:?}")
    };
    assert_eq!((first.as_slice(), expected.0, got.0), ([0].as_slice(), 2.0, 1.0));
    assert_eq!((*differing, *total), (1, 2));
    assert_eq!((window.rows, window.cols), (1, 2));
}

#[test]
fn an_unknown_mistake_is_not_named() {
    fn halves(xs: &[f32]) -> Result<Vec<f32>, String> {
        Ok(xs.iter().map(|x| x / 2.0).collect())
    }
    let report = judge(halves);
    assert_eq!(report.passed(), 0);
    assert_eq!(report.diagnosis, None);
}

#[test]
fn todo_is_not_a_crash() {
    let report = judge(unfinished);
    assert!(report.complete);
    assert!(
        matches!(&report.cases[0].result, CaseResult::NotImplemented { message } if message.contains("double every"))
    );
}

#[test]
fn a_panic_is_that_cases_result() {
    let report = judge(panics_on_long);
    assert!(report.complete);
    assert!(report.cases[0].result.passed());
    let CaseResult::Panicked { message, location } = &report.cases[1].result else { panic!("{:?}", report.cases[1]) };
    assert_eq!(message, "too long");
    assert!(location.as_deref().is_some_and(|place| place.contains("judge.rs")));
}

#[test]
fn an_error_is_that_cases_result() {
    let report = judge(refuses);
    assert!(matches!(&report.cases[0].result, CaseResult::Failed { message } if message == "no"));
}

#[test]
fn one_case_alone_has_the_same_inputs() {
    let alone = judge_only(squares, Some("three"));
    let among = judge(squares);
    assert_eq!(alone.planned, ["three"]);
    assert_eq!(alone.cases[0].result, among.cases[1].result);
}

#[test]
fn a_report_without_its_end_is_incomplete() {
    let mut report = Report::default();
    let options = Options { device: Device::Cpu, only: None };
    problem().judge(&(right as Double), &options, &mut |line| {
        if !matches!(line, Line::Done { .. }) {
            report.push(line);
        }
    });
    assert_eq!(report.passed(), 2);
    assert!(!report.complete);
}

#[test]
fn the_self_test_counts() {
    let check = problem().check();
    assert_eq!((check.reference, check.mistakes, check.rejected, check.named), (true, 2, 2, 2));
    assert!(check.shortfalls.is_empty(), "{:?}", check.shortfalls);
}

#[test]
fn the_self_test_can_fail() {
    let twice = problem().mistake("also-right", "is right", right).mistake("squares-again", "squares too", squares);
    let check = twice.check();
    assert_eq!((check.mistakes, check.rejected, check.named), (4, 3, 1));
    assert!(check.shortfalls.iter().any(|s| s.contains("\"also-right\" is accepted")), "{:?}", check.shortfalls);
}

fn seen(value: Value) -> Vec<Observation> {
    vec![Observation { name: "x".to_owned(), value }]
}

fn differs(expected: Value, got: Value) -> bool {
    !compare(&seen(expected), &seen(got)).is_empty()
}

#[test]
fn tolerance_is_relative_to_the_value_or_its_neighbours() {
    let floats = |list: &[f32]| Value::floats(list);
    assert!(!differs(floats(&[1.0, 1e-9]), floats(&[1.000_005, 1e-6])));
    assert!(differs(floats(&[1.0, 1e-9]), floats(&[1.000_1, 1e-9])));
    assert!(differs(floats(&[1.0, 1.0]), floats(&[1.0, f32::NAN])));
    assert!(differs(floats(&[f32::NEG_INFINITY]), floats(&[-1e9])));
    assert!(!differs(floats(&[f32::NEG_INFINITY, f32::NAN]), floats(&[f32::NEG_INFINITY, f32::NAN])));
}

#[test]
fn shape_and_dtype_count() -> candle_core::Result<()> {
    let a = Tensor::ones((2, 3), DType::F32, &Device::Cpu)?;
    assert!(differs(Value::tensor(&a)?, Value::tensor(&a.t()?)?));
    assert!(differs(Value::tensor(&a)?, Value::tensor(&a.to_dtype(DType::F64)?)?));
    assert!(!differs(Value::tensor(&a)?, Value::tensor(&a.copy()?)?));
    Ok(())
}

#[test]
fn draws_are_judged_as_a_distribution() {
    let draws = |counts: &[u64]| Value::Draws { counts: counts.to_vec(), probabilities: vec![0.5, 0.3, 0.2, 0.0] };
    let expected = draws(&[500, 300, 200, 0]);
    assert!(!differs(expected.clone(), draws(&[520, 290, 190, 0])));
    assert!(differs(expected.clone(), draws(&[300, 500, 200, 0])), "another distribution");
    assert!(differs(expected.clone(), draws(&[500, 300, 199, 1])), "an impossible outcome");
    assert!(differs(expected, draws(&[0, 0, 0, 0])), "nothing drawn");
}

#[test]
fn memory_is_judged_against_its_bound_alone() {
    let peak = |bytes| Value::PeakBytes { bytes, bound: 100 };
    assert!(!differs(peak(10), peak(99)));
    assert!(differs(peak(10), peak(101)));
    assert!(same(&seen(peak(101)), &seen(peak(9999))));
    assert!(!same(&seen(peak(101)), &seen(peak(99))));
}

#[test]
fn what_was_not_observed_is_missed() {
    assert_eq!(compare(&seen(Value::Flag(true)), &[]).len(), 1);
}

#[test]
fn the_meter_sees_a_peak() {
    // Other tests of this binary allocate at the same time: a lower bound is all that can be said.
    let (kept, peak) = meter::peak_of(|| {
        drop(std::hint::black_box(vec![1u8; 8 << 20]));
        1
    });
    assert_eq!(kept, 1);
    assert!(peak >= 8 << 20, "{peak}");
}

#[test]
fn seeds_do_not_move() -> candle_core::Result<()> {
    let mut case = Case::new("problem", "case", &Device::Cpu);
    let first: Vec<u64> = (0..3).map(|_| (case.uniform() * 1e9) as u64).collect();
    assert_eq!(first, SEEDED, "a seed that moves changes every case");
    let mut again = Case::new("problem", "case", &Device::Cpu);
    assert_eq!((again.uniform() * 1e9) as u64, first[0]);
    let mut other = Case::new("problem", "another case", &Device::Cpu);
    assert_ne!((other.uniform() * 1e9) as u64, first[0]);
    Ok(())
}

const SEEDED: [u64; 3] = [717_817_861, 937_693_642, 713_006_006];

#[test]
fn numbers_survive_json_and_read_well() {
    for value in [f64::INFINITY, f64::NEG_INFINITY, 1.5, -0.25] {
        let text = serde_json::to_string(&Num(value)).expect("plain data");
        assert_eq!(serde_json::from_str::<Num>(&text).expect("reads back"), Num(value));
    }
    let nan = serde_json::to_string(&Num(f64::NAN)).expect("plain data");
    assert!(serde_json::from_str::<Num>(&nan).expect("reads back").0.is_nan());
    let shown = |v: f64| Num(v).to_string();
    assert_eq!(
        [shown(0.1183), shown(-0.402_123_4), shown(1e4), shown(2.0), shown(1.234e-7), shown(f64::NEG_INFINITY)],
        ["0.1183", "-0.402123", "10000", "2", "1.23400e-7", "-inf"]
    );
}

#[test]
fn tolerances_by_dtype() {
    let rtol = |dtype| Tolerance::of(dtype).rtol;
    assert!(rtol(DType::F64) < rtol(DType::F32) && rtol(DType::F32) < rtol(DType::F16));
    assert!(rtol(DType::F16) < rtol(DType::BF16));
}
