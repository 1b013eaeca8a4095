//! The verification step of speculative decoding (Leviathan et al. 2023, algorithm 1).

/// k draft tokens, the distributions q (k rows) they were drawn from, the target's distributions p (k + 1 rows) → the
/// accepted tokens and one more. `uniform` gives numbers in [0, 1).
pub fn speculative_step(
    draft: &[u32],
    draft_probs: &[Vec<f64>],
    target_probs: &[Vec<f64>],
    uniform: &mut dyn FnMut() -> f64,
) -> Vec<u32> {
    let mut tokens = Vec::with_capacity(draft.len() + 1);
    for (i, &token) in draft.iter().enumerate() {
        let (p, q) = (&target_probs[i], &draft_probs[i]);
        // u < p/q without the division, which would be 0/0 where both are 0.
        if uniform() * q[token as usize] < p[token as usize] {
            tokens.push(token);
            continue;
        }
        let residual: Vec<f64> = p.iter().zip(q).map(|(p, q)| (p - q).max(0.0)).collect();
        // Nothing is left only where p and q agree up to rounding: then p itself is as good.
        let left = residual.iter().sum::<f64>() > 0.0;
        tokens.push(draw(if left { &residual } else { p }, uniform()));
        return tokens;
    }
    tokens.push(draw(&target_probs[draft.len()], uniform()));
    tokens
}

/// Inverts the cumulative distribution of `weights`, which need not sum to 1: the first id whose cumulative weight
/// exceeds u times the total.
fn draw(weights: &[f64], u: f64) -> u32 {
    let threshold = u * weights.iter().sum::<f64>();
    let mut cumulative = 0.0;
    let found = weights.iter().position(|weight| {
        cumulative += weight;
        cumulative > threshold
    });
    // Rounding can leave the threshold at the very end.
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    found.unwrap_or(last) as u32
}
