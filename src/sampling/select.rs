//! The largest few of many, without sorting the many.

use super::numeric::maximum;
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
/// In the first pass, keys this far below the largest share the last bucket.
const SPAN: f32 = 64.0;

/// Walks positions by falling key, equal keys in order of position, adding up their masses, and returns the position at
/// which `enough` is said of the sum; none if it never is. The walk is not made step by step: masses are added up in
/// buckets of neighbouring keys, and only the bucket in which the sum becomes enough is looked into.
pub fn boundary(keys: &[f32], mass: impl Fn(u32) -> f32, enough: impl Fn(f64) -> bool) -> Option<u32> {
    let every = 0..keys.len() as u32;
    let (mut list, mut before) = (Vec::new(), 0.0);
    if keys.len() <= FEW {
        list.extend(every);
    } else {
        // The first pass does not ask for the smallest key: logits have a span of some tens.
        let buckets = Buckets { max: maximum(keys), span: SPAN };
        (list, before) = buckets.narrow(keys, every, &mass, &enough, before)?;
    }
    while list.len() > FEW {
        let Some(buckets) = Buckets::around(keys, &list) else { break };
        let (within, sum) = buckets.narrow(keys, list.iter().copied(), &mass, &enough, before)?;
        before = sum;
        // Keys that differ by less than a bucket: the sort decides.
        if within.len() == list.len() {
            break;
        }
        list = within;
    }
    list.sort_unstable_by(order(keys));
    list.into_iter().find(|&at| {
        before += f64::from(mass(at));
        enough(before)
    })
}

/// Equal parts of the keys from `max` down to `max` − `span`; the last one holds whatever is lower.
struct Buckets {
    max: f32,
    span: f32,
}

impl Buckets {
    /// Buckets for the keys at these places; none where they cannot be told apart, or lie too far apart.
    fn around(keys: &[f32], places: &[u32]) -> Option<Self> {
        let all = || places.iter().map(|&at| keys[at as usize]);
        let max = all().fold(f32::NEG_INFINITY, f32::max);
        let span = max - all().filter(|key| *key > f32::NEG_INFINITY).fold(f32::INFINITY, f32::min);
        (span > 0.0 && (BUCKETS as f32 / span).is_finite()).then_some(Self { max, span })
    }

    /// The places of the bucket in which the sum of the masses becomes enough, and the sum before it; none if it never does.
    fn narrow(
        &self,
        keys: &[f32],
        places: impl Iterator<Item = u32> + Clone,
        mass: &impl Fn(u32) -> f32,
        enough: &impl Fn(f64) -> bool,
        mut before: f64,
    ) -> Option<(Vec<u32>, f64)> {
        // Added to a number below 2²³, it leaves the number rounded in its last bits: no conversion, no branch.
        const ROUNDER: f32 = 8_388_608.0;
        const LAST: f32 = (BUCKETS - 1) as f32;
        let (max, scale) = (self.max, BUCKETS as f32 / self.span);
        // A smaller key never gets a smaller bucket: subtraction, product and rounding are monotone.
        let bucket = |at: u32| {
            let depth = (max - keys[at as usize]) * scale;
            let depth = if depth < LAST { depth } else { LAST };
            (depth + ROUNDER).to_bits() as usize % BUCKETS
        };
        // Neighbours add to different sums, so that one need not wait for the other.
        let mut halves = [[0.0f64; BUCKETS]; 2];
        places.clone().for_each(|at| halves[at as usize % 2][bucket(at)] += f64::from(mass(at)));
        let [sums, other] = &mut halves;
        sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += *other);
        let chosen = sums.iter().position(|sum| {
            let reached = enough(before + sum);
            before += if reached { 0.0 } else { *sum };
            reached
        })?;
        Some((places.filter(|&at| bucket(at) == chosen).collect(), before))
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
            let walk = sorted(&keys);
            // Masses of 1: their sums are exact, whatever their order.
            for wanted in [1, 2, 777, keys.len() / 2, keys.len() - 1, keys.len(), keys.len() + 1] {
                let found = boundary(&keys, |_| 1.0, |mass| mass >= wanted.max(1) as f64);
                assert_eq!(found, walk.get(wanted.max(1) - 1).copied(), "{wanted} of {}", keys.len());
            }
        }
    }
}
