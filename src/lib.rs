//! Logitlings: practise LLM-inference and Transformer interviews in the terminal.

pub mod judge;
pub mod model;
pub mod pack;
#[cfg(feature = "app")]
pub mod runner;

/// Every binary that links the library counts its memory: peaks are judged, and an attempt has a limit.
#[global_allocator]
static METER: judge::meter::Meter = judge::meter::Meter;

/// The `main` of an attempt: `attempt!(topic::problem, function)`, or `attempt!(topic::problem, { first, second })` for a
/// problem that asks for several functions.
#[macro_export]
macro_rules! attempt {
    ($topic:ident :: $problem:ident, $function:ident) => {
        fn main() -> std::process::ExitCode {
            let attempt: $crate::pack::$topic::$problem::Attempt = $function;
            $crate::pack::$topic::$problem::main(attempt)
        }
    };
    ($topic:ident :: $problem:ident, { $($function:ident),+ $(,)? }) => {
        fn main() -> std::process::ExitCode {
            let attempt = $crate::pack::$topic::$problem::Attempt { $($function),+ };
            $crate::pack::$topic::$problem::main(attempt)
        }
    };
}
