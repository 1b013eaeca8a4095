//! What the program knows and how that changes: `update(&mut Model, Event) -> Vec<Effect>`. No drawing, no files, no
//! clock: everything from outside comes as an [`Event`], everything that goes outside leaves as an [`Effect`].

pub mod commands;
pub mod event;
pub mod key;
pub mod lab;
pub mod model;
pub mod overlay;
pub mod replay;
mod update;

pub use event::{Effect, Event, Layout, RunEvent};
pub use key::{Code, Key};
pub use model::{Model, Tab};
pub use update::update;
