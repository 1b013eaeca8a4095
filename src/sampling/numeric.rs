//! Sums of exponentials over a vocabulary, fast enough to be taken at every stage of every step.

/// exp of an f32 without a branch or a call, so that the compiler can take eight or sixteen at once: 2ⁿ·2ᶠ with a
/// polynomial of degree six in f (relative error below 3e-7; arguments below −87 give 0).
#[inline]
pub fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    // Added to a number below 2²², it leaves the number rounded in its last bits.
    const ROUNDER: f32 = 12_582_912.0;
    let low = if x > -87.0 { x } else { -87.0 };
    let clamped = if low < 88.0 { low } else { 88.0 };
    let rounded = clamped * LOG2_E + ROUNDER;
    let n = rounded - ROUNDER;
    let f = clamped - n * LN_2_HIGH - n * LN_2_LOW;
    let poly =
        1.0 + f * (1.0 + f * (0.5 + f * (1.666_666_5e-1 + f * (4.166_579_6e-2 + f * (8.333_452e-3 + f * 1.388_9e-3)))));
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    if x < -87.0 { 0.0 } else { poly * power }
}

/// What one pass over logits finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The largest logit.
    pub max: f32,
    /// log Σ exp(l − max): beside a maximum of 1e30 it would be lost.
    pub log: f64,
    /// log Σ exp(l), the sum of the two.
    pub log_sum: f64,
    /// Entropy of the softmax in nats: log Z − Σ p·l.
    pub entropy: f64,
}

/// How many sums run side by side: two registers of AVX2, one of AVX-512.
const LANES: usize = 16;

/// Maximum, log-sum-exp and entropy. The logits hold no NaN and no +inf, and at least one of them is finite.
pub fn summarize(logits: &[f32]) -> Summary {
    let max = maximum(logits);
    let (mut sum, mut moment) = (0.0f64, 0.0f64);
    // Blocks are summed in f32, lanes side by side, and the blocks in f64.
    for block in logits.chunks(1024) {
        let (mut s, mut m) = ([0.0f32; LANES], [0.0f32; LANES]);
        let (whole, rest) = block.as_chunks::<LANES>();
        whole.iter().for_each(|chunk| accumulate(chunk, max, &mut s, &mut m));
        if !rest.is_empty() {
            let mut chunk = [f32::NEG_INFINITY; LANES];
            chunk[..rest.len()].copy_from_slice(rest);
            accumulate(&chunk, max, &mut s, &mut m);
        }
        sum += s.iter().map(|&v| f64::from(v)).sum::<f64>();
        moment += m.iter().map(|&v| f64::from(v)).sum::<f64>();
    }
    let log = sum.ln();
    Summary { max, log, log_sum: f64::from(max) + log, entropy: (log - moment / sum).max(0.0) }
}

/// Adds exp(d) and exp(d)·d of each lane, d relative to the maximum.
#[inline(always)]
fn accumulate(chunk: &[f32; LANES], max: f32, s: &mut [f32; LANES], m: &mut [f32; LANES]) {
    for lane in 0..LANES {
        let d = chunk[lane] - max;
        let e = exp(d);
        s[lane] += e;
        // 0 · −inf would be NaN.
        m[lane] += e * if d > -100.0 { d } else { -100.0 };
    }
}

/// The largest value, lanes side by side.
pub fn maximum(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for chunk in whole {
        for lane in 0..LANES {
            lanes[lane] = if chunk[lane] > lanes[lane] { chunk[lane] } else { lanes[lane] };
        }
    }
    lanes.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Σ q·((a − max_a) − (b − max_b)); where q is 0 the term is 0, whatever the logits.
pub fn divergence(q: &[f32], a: &[f32], max_a: f32, b: &[f32], max_b: f32) -> f64 {
    let mut total = 0.0f64;
    for ((q, a), b) in q.chunks(1024).zip(a.chunks(1024)).zip(b.chunks(1024)) {
        let mut sums = [0.0f32; LANES];
        let term = |q: f32, a: f32, b: f32| if q > 0.0 { q * ((a - max_a) - (b - max_b)) } else { 0.0 };
        let (qs, q_rest) = q.as_chunks::<LANES>();
        let (xs, a_rest) = a.as_chunks::<LANES>();
        let (ys, b_rest) = b.as_chunks::<LANES>();
        for ((q, a), b) in qs.iter().zip(xs).zip(ys) {
            for lane in 0..LANES {
                sums[lane] += term(q[lane], a[lane], b[lane]);
            }
        }
        let rest = q_rest.iter().zip(a_rest).zip(b_rest).map(|((&q, &a), &b)| f64::from(term(q, a, b)));
        total += sums.iter().map(|&sum| f64::from(sum)).sum::<f64>() + rest.sum::<f64>();
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_near_the_library() {
        for i in -8600..=800 {
            let x = i as f32 / 100.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) - exact).abs() <= 3e-7 * exact, "exp({x})");
        }
        assert_eq!([exp(f32::NEG_INFINITY), exp(f32::MIN), exp(-88.0)], [0.0; 3]);
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn the_summary_of_a_uniform_distribution() {
        let found = summarize(&[2.0; 1000]);
        assert!((found.entropy - 1000f64.ln()).abs() < 1e-6);
        assert!((found.log_sum - (2.0 + 1000f64.ln())).abs() < 1e-6);
        assert_eq!(summarize(&[5.0, f32::NEG_INFINITY]).entropy, 0.0);
    }
}
