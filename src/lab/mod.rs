//! The lab: a decode that can be stepped, taken back, forced, and compared with itself under other settings.

pub mod lane;
pub mod lanes;
pub mod recipe;
pub mod record;
pub mod source;
pub mod track;
pub mod view;

pub use lane::Lane;
pub use lanes::Lanes;
pub use recipe::Recipe;
pub use record::Record;
pub use source::Source;
pub use track::{Branch, Standing, Step, Track};
pub use view::{Answer, Request, View};
