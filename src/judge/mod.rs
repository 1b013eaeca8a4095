//! The judge: it runs inside the attempt's process, lets cases observe, compares, and names the mistake.

pub mod case;
mod channel;
pub mod check;
pub mod compare;
pub mod device;
pub mod golden;
pub mod host;
pub mod meter;
pub mod number;
pub mod problem;
pub mod report;
pub mod run;
pub mod serve;
pub mod text;
pub mod value;

pub use case::{Case, Error, Result};
pub use check::{Judged, SelfCheck};
pub use device::DeviceChoice;
pub use golden::Golden;
pub use host::attempt_main;
pub use problem::{MistakeInfo, Problem};
pub use run::Options;
pub use value::{Tolerance, Value};
