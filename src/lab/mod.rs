//! The lab: a decode that can be stepped, taken back, forced, and compared with itself under other settings.

pub mod batch;
pub mod cached;
pub mod embedded;
pub mod engine;
pub mod lane;
pub mod lanes;
pub mod recipe;
pub mod record;
pub mod replay;
pub mod source;
pub mod tokens;
pub mod track;
pub mod view;

pub use batch::Batch;
pub use cached::Cached;
pub use embedded::Loaded;
pub use engine::Workbench;
pub use lane::Lane;
pub use lanes::Lanes;
pub use recipe::Recipe;
pub use record::Record;
pub use replay::replay;
pub use source::Source;
pub use tokens::Tokens;
pub use track::{Branch, Standing, Step, Track};
pub use view::{Answer, Request, View};
