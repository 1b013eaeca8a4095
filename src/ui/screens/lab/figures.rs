//! Numbers of one width: right-aligned, one decimal style a column, so that nothing jumps when a value changes.

/// A probability in `digits` + 1 columns: ".181034", and "1.00000" for certainty.
pub(super) fn probability(p: f64, digits: usize) -> String {
    let text = format!("{p:.digits$}");
    match text.strip_prefix('0') {
        Some(rest) => rest.to_owned(),
        None => format!("{p:.*}", digits.saturating_sub(1)),
    }
}

/// An entropy or a divergence in `digits` + 1 columns, below ten.
pub(super) fn nats(value: f64, digits: usize) -> String {
    format!("{value:.*}", digits.saturating_sub(1))
}

/// Columns that the largest id of a vocabulary takes.
pub(super) fn id_width(vocabulary: usize) -> usize {
    vocabulary.saturating_sub(1).max(1).to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_always_takes_the_same_room() {
        for (p, text) in [(0.181034, ".1810"), (1.0, "1.000"), (0.99999, "1.000"), (0.0, ".0000"), (1e-9, ".0000")] {
            assert_eq!(probability(p, 4), text);
        }
        assert_eq!(probability(0.181034, 6), ".181034");
        assert_eq!(nats(2.31, 4), "2.310");
    }
}
