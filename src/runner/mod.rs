//! The runner: builds and runs an attempt, and says what became of it.

pub mod verdict;
