//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((first, rest)) if first == logitlings::runner::builtin::SUBCOMMAND => {
            logitlings::runner::builtin::judge_builtin_main(rest).unwrap_or(ExitCode::from(2))
        }
        _ => ExitCode::from(2),
    }
}
