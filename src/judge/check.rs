//! The self-test of a problem: the judge is only as good as what it rejects.

use super::case::Error;
use super::golden::Golden;
use super::problem::{MistakeInfo, Problem};
use super::report::Line;
use super::run::{Options, Outcome};
use super::serve::Reply;
use candle_core::Device;
use std::time::Instant;

/// What the self-test found.
#[derive(Clone, Debug, Default)]
pub struct SelfCheck {
    /// The problem's slug.
    pub slug: &'static str,
    /// The reference passes its own cases, twice with the same values.
    pub reference: bool,
    /// Known mistakes.
    pub mistakes: usize,
    /// How many of them are rejected.
    pub rejected: usize,
    /// How many are named as themselves and as nothing else.
    pub named: usize,
    /// Golden values compared; none where the problem has no fixture.
    pub golden: Option<usize>,
    /// One sentence for each shortfall.
    pub shortfalls: Vec<String>,
    /// Time it took.
    pub seconds: f64,
}

/// A problem with its type erased.
pub trait Judged: Send + Sync {
    /// The problem's slug.
    fn slug(&self) -> &'static str;
    /// Names of the cases that run on `device`.
    fn case_names(&self, device: &Device) -> Vec<&'static str>;
    /// The known mistakes.
    fn mistakes(&self) -> Vec<MistakeInfo>;
    /// Judges the reference (`None`) or a mistake. Fails when there is no mistake of that name.
    fn judge_known(&self, mistake: Option<&str>, options: &Options, say: &mut dyn FnMut(Line)) -> Result<(), String>;
    /// Whether it is about a sampler, which can be served.
    fn is_sampler(&self) -> bool;
    /// Serves the reference (`None`) or a mistake. Fails when there is no mistake of that name.
    fn serve_known(
        &self,
        mistake: Option<&str>,
        questions: &mut dyn std::io::BufRead,
        say: &mut dyn FnMut(Reply),
    ) -> Result<(), String>;
    /// Runs the self-test on the CPU.
    fn check(&self) -> SelfCheck;
}

impl<A: Copy + Send + Sync + 'static> Problem<A> {
    fn known_implementation(&self, mistake: Option<&str>) -> Result<A, String> {
        let Some(name) = mistake else { return Ok(self.reference) };
        let found = self.mistakes.iter().find(|mistake| mistake.info.name == name);
        found.map(|mistake| mistake.implementation).ok_or_else(|| unknown_mistake(name, &self.mistakes()))
    }
}

impl<A: Copy + Send + Sync + 'static> Judged for Problem<A> {
    fn slug(&self) -> &'static str {
        self.slug
    }

    fn case_names(&self, device: &Device) -> Vec<&'static str> {
        self.cases_on(device).map(|case| case.name).collect()
    }

    fn mistakes(&self) -> Vec<MistakeInfo> {
        self.mistakes.iter().map(|mistake| mistake.info).collect()
    }

    fn judge_known(&self, mistake: Option<&str>, options: &Options, say: &mut dyn FnMut(Line)) -> Result<(), String> {
        let implementation = self.known_implementation(mistake)?;
        self.judge(&implementation, options, say);
        Ok(())
    }

    fn is_sampler(&self) -> bool {
        self.sampler.is_some()
    }

    fn serve_known(
        &self,
        mistake: Option<&str>,
        questions: &mut dyn std::io::BufRead,
        say: &mut dyn FnMut(Reply),
    ) -> Result<(), String> {
        self.serve(&self.known_implementation(mistake)?, questions, say)
    }

    fn check(&self) -> SelfCheck {
        let started = Instant::now();
        let mut check = SelfCheck { slug: self.slug, mistakes: self.mistakes.len(), ..SelfCheck::default() };
        let outcomes = |implementation: &A| -> Vec<Outcome> {
            self.cases_on(&Device::Cpu).map(|case| self.run(case, implementation, &Device::Cpu).outcome).collect()
        };
        let expected = outcomes(&self.reference);
        self.check_reference(&outcomes(&self.reference), &expected, &mut check);
        let done: Vec<Vec<Outcome>> = self.mistakes.iter().map(|mistake| outcomes(&mistake.implementation)).collect();
        for (index, mistake) in self.mistakes.iter().enumerate() {
            self.check_mistake(mistake.info.name, &done[index], &expected, &done, &mut check);
        }
        match self.check_golden() {
            Ok(golden) => {
                check.golden = golden.as_ref().map(|golden| golden.compared);
                check.shortfalls.extend(golden.into_iter().flat_map(|golden| golden.wrong));
            }
            Err(error) => check.shortfalls.push(format!("golden: {error}")),
        }
        check.seconds = started.elapsed().as_secs_f64();
        check
    }
}

impl<A: Copy + Send + Sync + 'static> Problem<A> {
    fn check_reference(&self, again: &[Outcome], expected: &[Outcome], check: &mut SelfCheck) {
        let before = check.shortfalls.len();
        for ((case, again), expected) in self.cases_on(&Device::Cpu).zip(again).zip(expected) {
            let result = again.against(expected);
            if !matches!(expected, Outcome::Observed(_)) || !result.passed() {
                check.shortfalls.push(format!("reference, case \"{}\": {result:?}", case.name));
            }
            if matches!(expected, Outcome::Observed(seen) if seen.is_empty()) {
                check.shortfalls.push(format!("case \"{}\" observes nothing", case.name));
            }
        }
        check.reference = check.shortfalls.len() == before && !expected.is_empty();
    }

    fn check_mistake(
        &self,
        name: &str,
        outcomes: &[Outcome],
        expected: &[Outcome],
        all: &[Vec<Outcome>],
        check: &mut SelfCheck,
    ) {
        let failed: Vec<usize> = (0..outcomes.len()).filter(|&i| !outcomes[i].against(&expected[i]).passed()).collect();
        if failed.is_empty() {
            check.shortfalls.push(format!("mistake \"{name}\" is accepted"));
            return;
        }
        check.rejected += 1;
        match self.diagnose(outcomes, &failed, &mut |mistake, case| all[mistake][case].clone()) {
            Some(found) if found.mistake == name && found.exact && found.also.is_empty() => check.named += 1,
            Some(found) => check.shortfalls.push(format!(
                "mistake \"{name}\" is named \"{}\"{}",
                found.mistake,
                if found.also.is_empty() { String::new() } else { format!(" (also {})", found.also.join(", ")) }
            )),
            None => {
                check.shortfalls.push(format!("mistake \"{name}\" is not recognised (does it vary from run to run?)"))
            }
        }
    }

    fn check_golden(&self) -> Result<Option<Golden>, Error> {
        let Some(spec) = &self.golden else { return Ok(None) };
        let mut golden = Golden::new(spec.fixture)?;
        (spec.compare)(&self.reference, &mut golden)?;
        if golden.compared == 0 { Err("compares nothing".into()) } else { Ok(Some(golden)) }
    }
}

fn unknown_mistake(name: &str, known: &[MistakeInfo]) -> String {
    let names: Vec<&str> = known.iter().map(|info| info.name).collect();
    format!("no known mistake is called \"{name}\"; there are: {}", names.join(", "))
}
