//! Numbers for a whole vocabulary, in memory that is used again.
//!
//! A trace makes half a dozen copies of the logits and drops them at its end. Given back to the system each time, they cost
//! more in page faults than what is computed on them.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// How many a thread keeps, and how large they must be to be worth it.
const KEPT: usize = 12;
const LARGE: usize = 4096;

thread_local! {
    static SPARE: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

/// A list of numbers whose memory is kept by its thread when it is dropped.
#[derive(Debug)]
pub(super) struct Buffer(Vec<f32>);

impl Buffer {
    /// The same numbers.
    pub fn copy(values: &[f32]) -> Self {
        let mut list = spare(values.len());
        list.extend_from_slice(values);
        Self(list)
    }
}

impl FromIterator<f32> for Buffer {
    fn from_iter<I: IntoIterator<Item = f32>>(values: I) -> Self {
        let values = values.into_iter();
        let mut list = spare(values.size_hint().0);
        list.extend(values);
        Self(list)
    }
}

/// An empty list; for a large one, memory that was used before if there is any.
fn spare(count: usize) -> Vec<f32> {
    let kept = || SPARE.try_with(|spare| spare.try_borrow_mut().ok()?.pop()).ok().flatten();
    if count < LARGE { Vec::with_capacity(count) } else { kept().unwrap_or_default() }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut list = std::mem::take(&mut self.0);
        if list.capacity() >= LARGE {
            list.clear();
            // A thread that is ending keeps nothing.
            let _ = SPARE.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                if spare.len() < KEPT {
                    spare.push(list);
                }
            });
        }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }
}
