//! The lab: a decode that can be stepped, taken back, forced, and compared with itself under other settings.

pub mod lane;
pub mod lanes;
pub mod source;

pub use lane::{Branch, Lane, Step};
pub use lanes::{Lanes, Standing};
pub use source::Source;
