//! The sampling room: from logits to a token, every stage in view. Pure numbers on `&[f32]`.
//!
//! Sums are kept in f64, nothing is sorted that a selection can find, and every engine's rules are written down in
//! [`rules`].

pub mod draw;
pub mod numeric;
pub mod penalty;
mod pool;
pub mod rules;
pub mod select;
pub mod stage;
pub mod trace;

pub use draw::{Draw, Kept, uniform};
pub use penalty::History;
pub use rules::{Engine, Negative, Rules, Ties, Zero};
pub use stage::{Kind, Stage};
pub use trace::{Error, Settings, StageTrace, Trace, trace};
