//! The largest few of many, without sorting the many.

use std::cmp::Ordering;

/// Descending by key; equal keys by position, so that the answer does not depend on how it was found.
fn order(keys: &[f32]) -> impl Fn(&u32, &u32) -> Ordering + '_ {
    // No key is NaN. Unlike `total_cmp`, this takes −0 for 0.
    move |&a, &b| keys[b as usize].partial_cmp(&keys[a as usize]).unwrap_or(Ordering::Equal).then(a.cmp(&b))
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
    const BLOCK: usize = 32;
    let limit = (count * 4).max(64);
    let mut kept: Vec<u32> = Vec::with_capacity(limit + BLOCK);
    let mut floor = f32::NEG_INFINITY;
    for (block, values) in keys.chunks(BLOCK).enumerate() {
        // Most blocks hold nothing that is large enough, and that is seen without looking at each alone.
        if kept.len() >= count && !values.iter().fold(false, |any, &key| any | (key > floor)) {
            continue;
        }
        for (at, &key) in values.iter().enumerate() {
            if key > floor || kept.len() < count {
                kept.push((block * BLOCK + at) as u32);
            }
        }
        if kept.len() > limit {
            kept.select_nth_unstable_by(count - 1, order(keys));
            kept.truncate(count);
            floor = kept.iter().map(|&i| keys[i as usize]).fold(f32::INFINITY, f32::min);
        }
    }
    kept
}

/// Below this many candidates a sort is quicker than another pass of buckets.
const FEW: usize = 1024;
const BUCKETS: usize = 1024;
/// Keys this far below the largest share the last bucket.
const SPAN: f32 = 64.0;

/// Walks positions by falling key, equal keys in order of position, adding up their masses, and returns the position at
/// which `enough` is said of the sum; none if it never is. The walk is not made step by step: masses are added up in
/// buckets of neighbouring keys, and only the bucket in which the sum becomes enough is looked into.
pub fn boundary(keys: &[f32], masses: &[f32], enough: impl Fn(f64) -> bool) -> Option<u32> {
    let mut candidates: Vec<u32> = (0..keys.len() as u32).collect();
    let mut before = 0.0f64;
    loop {
        let size = candidates.len();
        let bucket = (size > FEW).then(|| bucket_of(keys, &candidates)).flatten();
        let Some(bucket) = bucket else { return walk(candidates, keys, masses, before, enough) };
        let mut sums = [0.0f64; BUCKETS];
        candidates.iter().for_each(|&at| sums[bucket(at)] += f64::from(masses[at as usize]));
        let chosen = sums.iter().position(|sum| {
            let reached = enough(before + sum);
            before += if reached { 0.0 } else { *sum };
            reached
        })?;
        candidates.retain(|&at| bucket(at) == chosen);
        // One key many times over, or keys that differ by less than a bucket: the sort decides.
        if candidates.len() == size {
            return walk(candidates, keys, masses, before, enough);
        }
    }
}

/// The walk of [`boundary`], step by step, from a sum of `before` on.
fn walk(mut places: Vec<u32>, keys: &[f32], masses: &[f32], before: f64, enough: impl Fn(f64) -> bool) -> Option<u32> {
    places.sort_unstable_by(order(keys));
    let mut sum = before;
    places.into_iter().find(|&at| {
        sum += f64::from(masses[at as usize]);
        enough(sum)
    })
}

/// The bucket of a position, 0 for the largest keys; none where all keys are equal.
fn bucket_of<'a>(keys: &'a [f32], candidates: &[u32]) -> Option<impl Fn(u32) -> usize + 'a> {
    let all = || candidates.iter().map(|&at| keys[at as usize]);
    let max = all().fold(f32::NEG_INFINITY, f32::max);
    let min = all().fold(f32::INFINITY, |min, key| if key > f32::NEG_INFINITY && key < min { key } else { min });
    let span = (max - min).min(SPAN);
    let scale = BUCKETS as f32 / span;
    // A smaller key never gets a smaller bucket: subtraction and product round monotonically.
    (span > 0.0 && scale.is_finite())
        .then_some(move |at: u32| (((max - keys[at as usize]) * scale) as usize).min(BUCKETS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: &[f32]) -> Vec<u32> {
        let mut all: Vec<u32> = (0..keys.len() as u32).collect();
        all.sort_by(order(keys));
        all
    }

    fn scattered(count: u32) -> Vec<f32> {
        (0..count).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as f32 / 7.0).collect()
    }

    #[test]
    fn agrees_with_a_full_sort() {
        let keys = scattered(5000);
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
    fn the_boundary_is_where_a_sorted_walk_ends() {
        let mut outlier = scattered(9000);
        (outlier[17], outlier[18], outlier[19]) = (1e30, -1e30, f32::NEG_INFINITY);
        let lists =
            [scattered(20_000), scattered(3), vec![2.5; 4000], vec![f32::NEG_INFINITY; 2000], outlier, vec![1.0]];
        for keys in lists {
            // Masses of 1: their sums are exact, whatever their order.
            let masses = vec![1.0f32; keys.len()];
            let walk = sorted(&keys);
            for wanted in [1, 2, 777, keys.len() / 2, keys.len() - 1, keys.len(), keys.len() + 1] {
                let found = boundary(&keys, &masses, |mass| mass >= wanted.max(1) as f64);
                assert_eq!(found, walk.get(wanted.max(1) - 1).copied(), "{wanted} of {}", keys.len());
            }
        }
    }
}
