//! Sums of exponentials over a vocabulary, fast enough to be taken at every stage of every step.

/// exp of an f32 without a branch, so that the compiler can take eight or sixteen at once: 2ⁿ·2ᶠ with a polynomial of
/// degree six in f (relative error below 3e-7; arguments below −87 give 0).
#[inline]
pub fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let clamped = x.clamp(-87.0, 88.0);
    let n = (clamped * LOG2_E).round();
    let f = clamped - n * LN_2_HIGH - n * LN_2_LOW;
    let poly =
        1.0 + f * (1.0 + f * (0.5 + f * (1.666_666_5e-1 + f * (4.166_579_6e-2 + f * (8.333_452e-3 + f * 1.388_9e-3)))));
    let power = f32::from_bits(((n as i32 + 127) << 23) as u32);
    if x < -87.0 { 0.0 } else { poly * power }
}

/// What one pass over logits finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The largest logit.
    pub max: f32,
    /// log Σ exp(l).
    pub log_sum: f64,
    /// Entropy of the softmax in nats: log Z − Σ p·l.
    pub entropy: f64,
}

/// Maximum, log-sum-exp and entropy. The logits hold no NaN and no +inf, and at least one of them is finite.
pub fn summarize(logits: &[f32]) -> Summary {
    let max = maximum(logits);
    let (mut sum, mut moment) = (0.0f64, 0.0f64);
    // Blocks are summed in f32, eight lanes side by side, and the blocks in f64.
    for block in logits.chunks(512) {
        let (mut s, mut m) = ([0.0f32; 8], [0.0f32; 8]);
        let mut lanes = block.chunks_exact(8);
        for eight in &mut lanes {
            for lane in 0..8 {
                let d = eight[lane] - max;
                let e = exp(d);
                s[lane] += e;
                m[lane] += e * d.max(-100.0);
            }
        }
        for &l in lanes.remainder() {
            let d = l - max;
            s[0] += exp(d);
            m[0] += exp(d) * d.max(-100.0);
        }
        sum += s.iter().map(|&v| f64::from(v)).sum::<f64>();
        moment += m.iter().map(|&v| f64::from(v)).sum::<f64>();
    }
    let log = sum.ln();
    Summary { max, log_sum: f64::from(max) + log, entropy: (log - moment / sum).max(0.0) }
}

/// The largest value, eight lanes side by side.
pub fn maximum(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; 8];
    let mut eights = values.chunks_exact(8);
    for eight in &mut eights {
        for lane in 0..8 {
            lanes[lane] = if eight[lane] > lanes[lane] { eight[lane] } else { lanes[lane] };
        }
    }
    lanes.iter().chain(eights.remainder()).copied().fold(f32::NEG_INFINITY, f32::max)
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
