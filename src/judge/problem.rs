//! A problem as the judge sees it: a reference, the known mistakes, the cases.

use super::case::{Case, Result};
use super::golden::Golden;
use candle_core::Device;

type CaseFn<A> = Box<dyn Fn(&A, &mut Case) -> Result<()> + Send + Sync>;
type GoldenFn<A> = Box<dyn Fn(&A, &mut Golden) -> Result<()> + Send + Sync>;

pub(super) struct CaseSpec<A> {
    pub name: &'static str,
    pub accelerator_only: bool,
    pub run: CaseFn<A>,
}

pub(super) struct MistakeSpec<A> {
    pub info: MistakeInfo,
    pub implementation: A,
}

pub(super) struct GoldenSpec<A> {
    pub fixture: &'static str,
    pub compare: GoldenFn<A>,
}

/// What is known of a mistake besides its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MistakeInfo {
    /// Its name, as `--impl mistake:NAME` takes it.
    pub name: &'static str,
    /// What was done and why it is wrong.
    pub sentence: &'static str,
    /// A legitimate convention elsewhere, only not the one asked for.
    pub convention: bool,
}

/// A problem for implementations of type `A`: a function pointer, or a `Copy` struct of several.
pub struct Problem<A> {
    pub(super) slug: &'static str,
    pub(super) reference: A,
    pub(super) mistakes: Vec<MistakeSpec<A>>,
    pub(super) cases: Vec<CaseSpec<A>>,
    pub(super) cost: Option<CaseSpec<A>>,
    pub(super) golden: Option<GoldenSpec<A>>,
    pub(super) sampler: Option<super::serve::Sampler<A>>,
}

impl<A: Copy + Send + Sync + 'static> Problem<A> {
    /// A problem with its right answer.
    pub fn new(slug: &'static str, reference: A) -> Self {
        Self { slug, reference, mistakes: Vec::new(), cases: Vec::new(), cost: None, golden: None, sampler: None }
    }

    /// Adds a known mistake; `sentence` says what was done and why it is wrong.
    pub fn mistake(self, name: &'static str, sentence: &'static str, implementation: A) -> Self {
        self.known(MistakeInfo { name, sentence, convention: false }, implementation)
    }

    /// Adds an implementation that follows another convention; `sentence` says whose.
    pub fn convention(self, name: &'static str, sentence: &'static str, implementation: A) -> Self {
        self.known(MistakeInfo { name, sentence, convention: true }, implementation)
    }

    fn known(mut self, info: MistakeInfo, implementation: A) -> Self {
        self.mistakes.push(MistakeSpec { info, implementation });
        self
    }

    /// Adds a case.
    pub fn case(
        mut self,
        name: &'static str,
        run: impl Fn(&A, &mut Case) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.cases.push(CaseSpec { name, accelerator_only: false, run: Box::new(run) });
        self
    }

    /// Adds a case that runs on a GPU only: larger shapes, half precision.
    pub fn gpu_case(
        mut self,
        name: &'static str,
        run: impl Fn(&A, &mut Case) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.cases.push(CaseSpec { name, accelerator_only: true, run: Box::new(run) });
        self
    }

    /// Sets the larger case whose time and peak memory are reported beside the reference's after acceptance.
    pub fn cost(
        mut self,
        name: &'static str,
        run: impl Fn(&A, &mut Case) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.cost = Some(CaseSpec { name, accelerator_only: false, run: Box::new(run) });
        self
    }

    /// Sets the comparison with stored golden values: `fixture` is the JSON text that tests/golden/generate.py wrote.
    pub fn golden(
        mut self,
        fixture: &'static str,
        compare: impl Fn(&A, &mut Golden) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.golden = Some(GoldenSpec { fixture, compare: Box::new(compare) });
        self
    }

    pub(super) fn cases_on(&self, device: &Device) -> impl Iterator<Item = &CaseSpec<A>> {
        let accelerator = !device.is_cpu();
        self.cases.iter().filter(move |case| accelerator || !case.accelerator_only)
    }
}
