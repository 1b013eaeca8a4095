//! The memory meter: a counting allocator under every binary that links this library.
//!
//! It counts what the host's heap holds, from every thread; peaks are therefore measured one at a time. In an attempt's
//! process it also is the memory limit.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

static CURRENT: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
static AT_LIMIT: OnceLock<fn(u64, u64)> = OnceLock::new();
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The system's allocator, counted.
pub struct Meter;

impl Meter {
    fn grew(bytes: u64) {
        let now = CURRENT.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(now, Relaxed);
        if now > LIMIT.load(Relaxed) {
            reached(now);
        }
    }
}

#[cold]
fn reached(now: u64) {
    // The limit is lifted first: what the handler itself allocates must not come here again.
    let limit = LIMIT.swap(u64::MAX, Relaxed);
    if limit != u64::MAX
        && let Some(handler) = AT_LIMIT.get()
    {
        handler(now, limit);
    }
}

// SAFETY: every call is handed to `System` unchanged; the counters do not touch the memory.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::grew(layout.size() as u64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::grew(layout.size() as u64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        CURRENT.fetch_sub(layout.size() as u64, Relaxed);
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::grew(size as u64);
        let moved = unsafe { System.realloc(at, layout, size) };
        CURRENT.fetch_sub(layout.size() as u64, Relaxed);
        moved
    }
}

/// Sets the limit in bytes; `handler` gets what was asked for and the limit, once, and is expected to end the process.
pub fn limit(bytes: u64, handler: fn(u64, u64)) {
    let _ = AT_LIMIT.set(handler);
    LIMIT.store(bytes, Relaxed);
}

/// Runs `work` and returns its value with the peak of allocated bytes above the level at the start.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let before = CURRENT.load(Relaxed);
    PEAK.store(before, Relaxed);
    let value = work();
    (value, PEAK.load(Relaxed).saturating_sub(before))
}
