//! The largest few of many, without sorting the many.

use std::cmp::Ordering;

/// Descending by key; equal keys by position, so that the answer does not depend on how it was found.
fn order(keys: &[f32]) -> impl Fn(&u32, &u32) -> Ordering + '_ {
    move |&a, &b| keys[b as usize].total_cmp(&keys[a as usize]).then(a.cmp(&b))
}

/// Positions of the `count` largest keys, largest first; equal keys in order of position.
pub fn largest(keys: &[f32], count: usize) -> Vec<u32> {
    let count = count.min(keys.len());
    if count == 0 {
        return Vec::new();
    }
    let mut kept: Vec<u32> =
        if count * 8 < keys.len() { contenders(keys, count) } else { (0..keys.len() as u32).collect() };
    if count < kept.len() {
        kept.select_nth_unstable_by(count - 1, order(keys));
        kept.truncate(count);
    }
    kept.sort_unstable_by(order(keys));
    kept
}

/// A superset of the `count` largest: whatever is not below the count-th largest seen so far. The buffer is cut back
/// whenever it has grown to four times the count, which for unsorted keys happens a logarithmic number of times.
fn contenders(keys: &[f32], count: usize) -> Vec<u32> {
    let limit = (count * 4).max(64);
    let mut kept: Vec<u32> = Vec::with_capacity(limit + 1);
    let mut floor = f32::NEG_INFINITY;
    for (at, &key) in keys.iter().enumerate() {
        if key > floor || kept.len() < count {
            kept.push(at as u32);
            if kept.len() > limit {
                kept.select_nth_unstable_by(count - 1, order(keys));
                kept.truncate(count);
                floor = kept.iter().map(|&i| keys[i as usize]).fold(f32::INFINITY, f32::min);
            }
        }
    }
    kept
}

/// Walks positions by falling key and returns how far it went: the shortest prefix for which `enough` says so (or all of
/// them). The prefix is sorted; nothing behind it is.
pub fn prefix_until(keys: &[f32], mut enough: impl FnMut(u32) -> bool) -> Vec<u32> {
    let (mut size, mut walked) = (64usize, 0usize);
    loop {
        let sorted = largest(keys, size);
        for (place, &at) in sorted.iter().enumerate().skip(walked) {
            if enough(at) {
                return sorted[..=place].to_vec();
            }
        }
        if sorted.len() == keys.len() {
            return sorted;
        }
        walked = sorted.len();
        size = size.saturating_mul(8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: &[f32]) -> Vec<u32> {
        let mut all: Vec<u32> = (0..keys.len() as u32).collect();
        all.sort_by(order(keys));
        all
    }

    #[test]
    fn agrees_with_a_full_sort() {
        let keys: Vec<f32> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as f32 / 7.0).collect();
        for count in [0, 1, 2, 40, 700, 4999, 5000, 9000] {
            assert_eq!(largest(&keys, count), sorted(&keys)[..count.min(keys.len())], "{count}");
        }
    }

    #[test]
    fn equal_keys_stay_in_order() {
        assert_eq!(largest(&[1.0; 1000], 3), [0, 1, 2]);
        let mut keys = vec![0.0f32; 1000];
        keys[700] = 1.0;
        assert_eq!(largest(&keys, 3), [700, 0, 1]);
    }

    #[test]
    fn the_prefix_ends_where_it_is_enough() {
        let keys: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        let mut sum = 0.0;
        let walked = prefix_until(&keys, |at| {
            sum += keys[at as usize];
            sum >= 90_000.0
        });
        assert_eq!(walked.len(), 95);
        assert_eq!(prefix_until(&keys, |_| false).len(), 1000);
    }
}
