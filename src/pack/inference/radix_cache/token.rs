//! A token id that counts how often it is looked at.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A token id. It can be compared and hashed like an integer, and it counts how often that is done.
#[derive(Clone, Copy)]
pub struct Token(u32);

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

fn looked() {
    LOOKS.set(LOOKS.get() + 1);
}

impl Token {
    /// The token of this id.
    pub fn new(id: u32) -> Self {
        Self(id)
    }

    /// How often tokens have been compared or hashed while `work` ran, on this thread.
    pub(super) fn looks<T>(work: impl FnOnce() -> T) -> (T, u64) {
        let before = LOOKS.get();
        let value = work();
        (value, LOOKS.get() - before)
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        looked();
        self.0 == other.0
    }
}

impl Eq for Token {}

impl Ord for Token {
    fn cmp(&self, other: &Self) -> Ordering {
        looked();
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Token {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Token {
    fn hash<H: Hasher>(&self, state: &mut H) {
        looked();
        self.0.hash(state);
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
