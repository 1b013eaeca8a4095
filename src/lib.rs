//! Logitlings: practise LLM-inference and Transformer interviews in the terminal.
//!
//! # Architecture
//!
//! One package, two kinds of binary. The *program* (`src/main.rs`) shows problems, builds the reader's file, runs it and
//! shows what came of it. An *attempt* is the reader's file: an ordinary Rust program that ends in [`attempt!`] and links
//! this library, so that judge, reference and mistakes run inside its own process, on the same inputs.
//!
//! | room | what it is for | may use |
//! |---|---|---|
//! | [`judge`] | cases, observations, comparison, diagnosis, memory meter, report lines | – |
//! | `model` | causal language models, KV caches | – |
//! | [`sampling`] | stages of samplers and what each does, draws, engines' rules: numbers alone | – |
//! | [`pack`] | the problems | `judge`, `model`, `sampling` |
//! | `lab` | decode lanes on the embedded model: steps, branches, records, and what can be shown of them | `model`, `sampling` |
//! | `runner` | cargo, the child process and its limits, verdicts, watching files | `judge`, `pack` |
//! | `store` | the only writer of the reader's history | `pack`, the data of `judge` and `runner` |
//! | `app` | state and commands: `update(&mut Model, Event) -> Vec<Effect>` | data types |
//! | `ui` | `view(&Model, &Theme, &mut Frame)` | `app`, data types |
//! | `term` | raw mode, panics, signals, keys | `app`'s key type |
//! | `work` | threads that carry out effects and send events | everything it runs |
//! | `cli` | one file a subcommand | everything but `ui`'s inside |
//!
//! `tests/tidy.rs` reads the `use crate::` lines and holds the code to this table.
//!
//! # Invariants
//!
//! - A verdict is a value, never an `Err`: `Err` is for our own failures.
//! - A report that does not reach its last line is a failure, whatever its cases say.
//! - `judge` names no problem and `pack` compares nothing: cases observe, the judge compares.
//! - Everything that an attempt needs compiles without the feature `app`.
//! - `app` has no ratatui, no crossterm, no file system and no clock; `ui` never changes the model.
//! - Nothing slow runs on the UI thread. Each request has a generation, and stale answers are dropped.
//! - A reader's file is written only when it does not exist, or on `reset`, after its text is in the store.
//! - The uniform of a lab's step depends on the seed and the step alone, and a token's logits on the tokens before it alone,
//!   bit for bit: lanes differ only through their settings, and a recorded run can be run again.
//! - Randomness reaches an attempt as data: a closure of uniforms whose seed belongs to the case.

#[cfg(feature = "app")]
pub mod app;
#[cfg(feature = "app")]
pub mod cli;
pub mod judge;
#[cfg(feature = "app")]
pub mod lab;
pub mod model;
pub mod pack;
#[cfg(feature = "app")]
pub mod runner;
pub mod sampling;
#[cfg(feature = "app")]
pub mod store;
#[cfg(feature = "app")]
pub mod term;
#[cfg(feature = "app")]
pub mod ui;
#[cfg(feature = "app")]
pub mod work;

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
