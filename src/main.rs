//! The program: see `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    logitlings::cli::main()
}
