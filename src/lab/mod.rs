//! The lab: a decode that can be stepped, taken back, forced, and compared with itself under other settings.

pub mod lane;
pub mod lanes;
pub mod recipe;
pub mod record;
pub mod source;

pub use lane::{Branch, Lane, Step};
pub use lanes::{Lanes, Standing};
pub use recipe::Recipe;
pub use record::Record;
pub use source::Source;
