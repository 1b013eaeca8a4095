//! The reference and the known mistakes, judged without cargo: a hidden subcommand of the program itself, run as a child.

use super::Error;
use crate::judge::host::{HostArgs, host, serve};
use crate::pack;
use std::path::PathBuf;
use std::process::ExitCode;

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "judge-builtin";

/// What stands for the reference where a mistake's name would stand.
const REFERENCE: &str = "reference";

pub(super) fn args(slug: &str, mistake: Option<&str>) -> Vec<String> {
    [SUBCOMMAND, slug, mistake.unwrap_or(REFERENCE)].map(str::to_owned).to_vec()
}

/// Whether there is such a problem with such a mistake.
pub(super) fn known(slug: &str, mistake: Option<&str>) -> Result<(), Error> {
    let entry = pack::find(slug).ok_or_else(|| Error::UnknownProblem(slug.to_owned()))?;
    let mistakes = (entry.problem)().mistakes();
    match mistake {
        Some(name) if !mistakes.iter().any(|info| info.name == name) => {
            let names: Vec<&str> = mistakes.iter().map(|info| info.name).collect();
            Err(Error::Refused {
                said: format!("{slug} has no known mistake \"{name}\"; there are: {}", names.join(", ")),
            })
        }
        _ => Ok(()),
    }
}

/// This program. Tests, which are other programs, name it with `$LOGITLINGS_PROGRAM`.
pub(super) fn program() -> Result<PathBuf, Error> {
    if let Some(named) = std::env::var_os("LOGITLINGS_PROGRAM") {
        return Ok(PathBuf::from(named));
    }
    std::env::current_exe().map_err(|error| Error::CannotStart { program: PathBuf::from("logitlings"), error })
}

/// The hidden subcommand's main function: slug, mistake or "reference", then what an attempt's process takes.
pub fn judge_builtin_main(args: &[String]) -> Result<ExitCode, String> {
    let [slug, which, rest @ ..] = args else {
        return Err(format!("usage: logitlings {SUBCOMMAND} <slug> <mistake|{REFERENCE}> [--report] …"));
    };
    let entry = pack::find(slug).ok_or_else(|| Error::UnknownProblem(slug.clone()).to_string())?;
    let args = HostArgs::parse(rest.iter().cloned())?;
    let problem = (entry.problem)();
    let mistake = (which != REFERENCE).then_some(which.as_str());
    if args.serve {
        return serve(&args, &mut |questions, say| problem.serve_known(mistake, questions, say));
    }
    host(&args, &mut |options, say| problem.judge_known(mistake, options, say))
}
