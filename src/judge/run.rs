//! The judge at work: each case with the attempt and with the reference, then the mistakes.

use super::case::Case;
use super::compare::{compare, same};
use super::meter;
use super::problem::{CaseSpec, Problem};
use super::report::{CaseReport, CaseResult, Cost, Diagnosis, Input, Line, PROTOCOL};
use super::value::Observation;
use candle_core::Device;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::time::Instant;

/// Cases run on a thread with this much stack, whatever the platform's default.
const STACK: usize = 16 << 20;

/// What one implementation did in one case.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Observed(Vec<Observation>),
    NotImplemented(String),
    Panicked { message: String, location: Option<String> },
    Failed(String),
}

impl Outcome {
    /// Whether two outcomes are the same for diagnosis; of failures only the kind counts.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Observed(a), Self::Observed(b)) => same(a, b),
            (Self::Panicked { .. } | Self::Failed(_), Self::Panicked { .. } | Self::Failed(_)) => true,
            _ => false,
        }
    }

    pub(super) fn against(&self, reference: &Self) -> CaseResult {
        match (self, reference) {
            (Self::NotImplemented(message), _) => CaseResult::NotImplemented { message: message.clone() },
            (Self::Panicked { message, location }, _) => {
                CaseResult::Panicked { message: message.clone(), location: location.clone() }
            }
            (Self::Failed(message), _) => CaseResult::Failed { message: message.clone() },
            (Self::Observed(got), Self::Observed(expected)) => match compare(expected, got) {
                mismatches if mismatches.is_empty() => CaseResult::Passed,
                mismatches => CaseResult::Differs { mismatches },
            },
            (Self::Observed(_), broken) => {
                CaseResult::Failed { message: format!("the reference itself fails here, which is our bug: {broken:?}") }
            }
        }
    }
}

pub(super) struct Ran {
    pub outcome: Outcome,
    pub inputs: Vec<Input>,
    pub ms: f64,
}

/// What is judged and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The device of the cases.
    pub device: Device,
    /// Only the case of this name.
    pub only: Option<String>,
}

impl<A: Copy + Send + Sync + 'static> Problem<A> {
    /// Names of the cases that this attempt does not pass on the CPU. For the problems' unit tests, which would see nothing
    /// where no case ran: more than `least` must have.
    #[cfg(test)]
    pub(crate) fn failed_by(&self, attempt: &A, least: usize) -> Vec<String> {
        let mut report = super::report::Report::default();
        self.judge(attempt, &Options { device: Device::Cpu, only: None }, &mut |line| report.push(line));
        assert!(report.cases.len() > least, "only {} cases ran", report.cases.len());
        report.cases.into_iter().filter(|case| !case.result.passed()).map(|case| case.name).collect()
    }

    /// Judges `attempt`, saying every line as soon as it is known.
    pub fn judge(&self, attempt: &A, options: &Options, say: &mut dyn FnMut(Line)) {
        let chosen = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
        let cases: Vec<&CaseSpec<A>> = self.cases_on(&options.device).filter(|case| chosen(case.name)).collect();
        say(Line::Start {
            protocol: PROTOCOL,
            problem: self.slug.to_owned(),
            cases: cases.iter().map(|case| case.name.to_owned()).collect(),
            device: super::device::name(&options.device),
        });
        let (mut outcomes, mut results) = (Vec::new(), Vec::new());
        for (index, case) in cases.iter().enumerate() {
            say(Line::CaseStarted { index });
            let ran = self.run(case, attempt, &options.device);
            let expected = self.run(case, &self.reference, &options.device);
            let result = ran.outcome.against(&expected.outcome);
            results.push(result.clone());
            let name = case.name.to_owned();
            say(Line::CaseDone(CaseReport { index, name, result, ms: ran.ms, inputs: ran.inputs }));
            outcomes.push(ran.outcome);
        }
        let failed: Vec<usize> = (0..results.len()).filter(|&i| !results[i].passed()).collect();
        if failed.is_empty() {
            if options.only.is_none() {
                self.measure(attempt, &options.device).into_iter().for_each(|cost| say(Line::Cost(cost)));
            }
        } else if !outcomes.iter().any(|outcome| matches!(outcome, Outcome::NotImplemented(_))) {
            say(Line::Diagnosing);
            let mut tried: Vec<Vec<Option<Outcome>>> = vec![vec![None; cases.len()]; self.mistakes.len()];
            let diagnosis = self.diagnose(&outcomes, &failed, &mut |mistake, case| {
                let run = || self.run(cases[case], &self.mistakes[mistake].implementation, &options.device).outcome;
                tried[mistake][case].get_or_insert_with(run).clone()
            });
            diagnosis.into_iter().for_each(|diagnosis| say(Line::Diagnosis(diagnosis)));
        }
        say(Line::Done { completed: results.len() });
    }

    /// The mistake that did what the attempt did: in every case if there is one, otherwise in every failed case.
    pub(super) fn diagnose(
        &self,
        attempt: &[Outcome],
        failed: &[usize],
        mistake: &mut dyn FnMut(usize, usize) -> Outcome,
    ) -> Option<Diagnosis> {
        let everywhere = |m: usize, cases: &[usize], mistake: &mut dyn FnMut(usize, usize) -> Outcome| {
            cases.iter().all(|&case| attempt[case].same(&mistake(m, case)))
        };
        let likely: Vec<usize> = (0..self.mistakes.len()).filter(|&m| everywhere(m, failed, mistake)).collect();
        let rest: Vec<usize> = (0..attempt.len()).filter(|case| !failed.contains(case)).collect();
        let exact: Vec<usize> = likely.iter().copied().filter(|&m| everywhere(m, &rest, mistake)).collect();
        let found = if exact.is_empty() { &likely } else { &exact };
        let (&first, others) = found.split_first()?;
        let info = &self.mistakes[first].info;
        Some(Diagnosis {
            mistake: info.name.to_owned(),
            sentence: info.sentence.to_owned(),
            convention: info.convention,
            exact: !exact.is_empty(),
            also: others.iter().map(|&m| self.mistakes[m].info.name.to_owned()).collect(),
        })
    }

    pub(super) fn run(&self, case: &CaseSpec<A>, implementation: &A, device: &Device) -> Ran {
        catch_panics_quietly();
        let mut seen = Case::new(self.slug, case.name, device);
        let started = Instant::now();
        let body = || {
            CAUGHT.with_borrow_mut(|caught| *caught = Some(None));
            let result = catch_unwind(AssertUnwindSafe(|| (case.run)(implementation, &mut seen)));
            let caught = CAUGHT.with_borrow_mut(Option::take).flatten();
            // Forgotten, not dropped: a payload may panic again in its own Drop.
            (result.map_err(std::mem::forget), caught)
        };
        let on_thread = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("case".to_owned()).stack_size(STACK);
            thread.spawn_scoped(scope, body).map(|handle| handle.join())
        });
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let outcome = match on_thread {
            Ok(Ok((Ok(Ok(())), _))) => Outcome::Observed(std::mem::take(&mut seen.observations)),
            Ok(Ok((Ok(Err(error)), _))) => Outcome::Failed(error.to_string()),
            Ok(Ok((Err(()), caught))) => panicked(caught),
            Ok(Err(_)) => panicked(None),
            Err(error) => Outcome::Failed(format!("no thread to run the case on: {error}")),
        };
        Ran { outcome, inputs: seen.inputs, ms }
    }

    /// Time and peak memory of the larger case, the attempt and the reference in turn: the median of three each.
    fn measure(&self, attempt: &A, device: &Device) -> Option<Cost> {
        let case = self.cost.as_ref()?;
        let (mut mine, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            mine.push(self.timed(case, attempt, device)?);
            theirs.push(self.timed(case, &self.reference, device)?);
        }
        let median = |list: &mut Vec<(f64, u64)>| {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            (list[1].0, list.iter().map(|(_, peak)| *peak).min().unwrap_or(0))
        };
        let ((attempt_ms, attempt_peak), (reference_ms, reference_peak)) = (median(&mut mine), median(&mut theirs));
        Some(Cost { name: case.name.to_owned(), attempt_ms, reference_ms, attempt_peak, reference_peak })
    }

    fn timed(&self, case: &CaseSpec<A>, implementation: &A, device: &Device) -> Option<(f64, u64)> {
        let (ran, peak) = meter::peak_of(|| self.run(case, implementation, device));
        matches!(ran.outcome, Outcome::Observed(_)).then_some((ran.ms, peak))
    }
}

fn panicked(caught: Option<Caught>) -> Outcome {
    let Some(Caught { message, location }) = caught else {
        return Outcome::Panicked { message: "a panic without a message".to_owned(), location: None };
    };
    // What `todo!()` and `unimplemented!()` say, with or without words of their own.
    if message.starts_with("not yet implemented") || message.starts_with("not implemented") {
        Outcome::NotImplemented(message)
    } else {
        Outcome::Panicked { message, location }
    }
}

#[derive(Clone, Debug)]
struct Caught {
    message: String,
    location: Option<String>,
}

thread_local! {
    /// `Some` while this thread runs a case: its panic is a result, not something to print.
    static CAUGHT: RefCell<Option<Option<Caught>>> = const { RefCell::new(None) };
}

fn catch_panics_quietly() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let kept = CAUGHT.try_with(|caught| {
                let mut caught = caught.try_borrow_mut().ok()?;
                let slot = caught.as_mut()?;
                let message = info.payload_as_str().unwrap_or("a panic without a message").to_owned();
                let location = info.location().map(ToString::to_string);
                slot.get_or_insert(Caught { message, location });
                Some(())
            });
            if !matches!(kept, Ok(Some(()))) {
                before(info);
            }
        }));
    });
}
