//! What the reader sees. Draws, never changes anything.

pub mod ansi;
pub mod ascii;
pub mod code;
pub mod diff;
pub mod glyphs;
pub mod markdown;
pub mod picture;
pub mod screens;
pub mod scroll;
pub mod text;
pub mod theme;
