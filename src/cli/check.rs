//! `check`: the authoring checks of the pack.

use super::{Context, Exit, Failed, Result, problem};
use crate::judge::report::{CaseResult, Line, Report};
use crate::pack;
use std::path::Path;
use std::process::{Command, Stdio};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// Only these problems.
    slugs: Vec<String>,
}

impl Check {
    pub(super) fn run(self, context: &mut Context) -> Result {
        let entries: Vec<&pack::Entry> = if self.slugs.is_empty() {
            pack::all().collect()
        } else {
            self.slugs.iter().map(|slug| problem(slug)).collect::<Result<_>>()?
        };
        let started = std::time::Instant::now();
        let skeletons = Skeletons::build(context)?;
        context.out.line(&format!(
            "{:<20} {:<9} {:>8} {:>8} {:>6}  {:<15} {:>7} {:>7}",
            "problem", "reference", "mistakes", "rejected", "named", "skeleton", "golden", "seconds"
        ));
        let (mut shortfalls, mut totals) = (Vec::new(), [0; 4]);
        for entry in &entries {
            if context.out.gone() {
                break;
            }
            let check = match entry.check_statement() {
                Ok(()) => (entry.problem)().check(),
                Err(reason) => {
                    shortfalls.push(format!("{}: README.md: {reason}", entry.slug));
                    continue;
                }
            };
            let skeleton = skeletons.judge(entry.slug);
            context.out.line(&format!(
                "{:<20} {:<9} {:>8} {:>8} {:>6}  {:<15} {:>7} {:>7.2}",
                entry.slug,
                if check.reference { "accepted" } else { "REJECTED" },
                check.mistakes,
                check.rejected,
                check.named,
                skeleton.as_ref().map_or("WRONG", |word| word),
                check.golden.map_or("none".to_owned(), |n| n.to_string()),
                check.seconds,
            ));
            for (total, n) in
                totals.iter_mut().zip([check.mistakes, check.rejected, check.named, check.golden.unwrap_or(0)])
            {
                *total += n;
            }
            if check.golden.is_none() {
                shortfalls.push(format!("{}: no golden values", entry.slug));
            }
            shortfalls.extend(check.shortfalls.iter().map(|text| format!("{}: {text}", entry.slug)));
            shortfalls.extend(skeleton.err().map(|why| format!("{}: skeleton: {why}", entry.slug)));
        }
        let [mistakes, rejected, named, golden] = totals;
        context.out.line(&format!(
            "{:<20} {:<9} {mistakes:>8} {rejected:>8} {named:>6}  {:<15} {golden:>7} {:>7.2}",
            format!("{} problems", entries.len()),
            "",
            "",
            started.elapsed().as_secs_f64()
        ));
        shortfalls.iter().for_each(|text| context.out.line(&format!("✗ {text}")));
        Ok(if shortfalls.is_empty() { Exit::Ok } else { Exit::NotAccepted })
    }
}

/// The skeletons as programs: in a clone they are the bins of the member `exercises`.
enum Skeletons {
    Built(std::path::PathBuf),
    Skipped,
}

impl Skeletons {
    fn build(context: &Context) -> Result<Self> {
        let practice = context.practice()?;
        let Some(clone) = practice.clone_root() else {
            context.out.note("skeletons skipped: they are built in a clone, and there is none here");
            return Ok(Self::Skipped);
        };
        let args = [
            "build",
            "--release",
            "--offline",
            "--package",
            "logitlings-exercises",
            "--bins",
            "--message-format=json-render-diagnostics",
        ];
        let done = Command::new("cargo").args(args).current_dir(clone).stderr(Stdio::piped()).output();
        let done = done.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => crate::runner::Error::NoCargo.into(),
            _ => Failed::failure(format!("cargo cannot be started: {error}")),
        })?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            return Err(Failed { exit: Exit::NotAccepted, message: format!("the skeletons do not compile:\n{said}") });
        }
        let executable = |line: &str| {
            let json: serde_json::Value = serde_json::from_str(line).ok()?;
            json["executable"].as_str().map(std::path::PathBuf::from)
        };
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        let folder = text.lines().find_map(executable).and_then(|path| Some(path.parent()?.to_owned()));
        folder.map(Self::Built).ok_or_else(|| Failed::failure("cargo built no skeleton"))
    }

    /// "not implemented", or what is wrong.
    fn judge(&self, slug: &str) -> std::result::Result<&'static str, String> {
        let Self::Built(folder) = self else { return Ok("skipped") };
        let report = report(&folder.join(slug))?;
        let untouched = |result: &CaseResult| matches!(result, CaseResult::NotImplemented { .. });
        if report.complete
            && report.cases.iter().any(|case| untouched(&case.result))
            && report.passed() < report.cases.len()
        {
            let other = report.cases.iter().find(|case| !untouched(&case.result) && !case.result.passed());
            return match other {
                Some(case) => Err(format!("case \"{}\" is {:?}", case.name, case.result)),
                None => Ok("not implemented"),
            };
        }
        Err("it is not \"not implemented\"".to_owned())
    }
}

fn report(program: &Path) -> std::result::Result<Report, String> {
    let done = Command::new(program).args(["--report", "--device", "cpu"]).stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
    let mut report = Report::default();
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        report.push(serde_json::from_str::<Line>(line).map_err(|error| format!("its report cannot be read: {error}"))?);
    }
    Ok(report)
}
