//! What the three pictures show: which places, on which scales.

use super::super::theme::Scale;
use crate::judge::report::Window;

/// Beyond this many times the reference's reach an attempt is drawn on the reference's scale, saturated: one stray value
/// must not flatten the rest.
const OUTLIER: f64 = 8.0;

/// A value of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// Drawn by its place on the scale.
    Finite(f64),
    /// NaN.
    Nan,
    /// +∞.
    Infinite,
    /// −∞.
    NegativeInfinite,
    /// A number against something that is none: there is no difference to draw.
    Incomparable,
}

impl Value {
    fn of(value: f64) -> Self {
        match value {
            v if v.is_nan() => Self::Nan,
            f64::INFINITY => Self::Infinite,
            f64::NEG_INFINITY => Self::NegativeInfinite,
            v => Self::Finite(v),
        }
    }

    fn difference(expected: f64, got: f64) -> Self {
        match (Self::of(expected), Self::of(got)) {
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(b - a),
            (a, b) if a == b => Self::Finite(0.0),
            _ => Self::Incomparable,
        }
    }
}

/// A scale with its ends, and the values' own ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Lowest and highest value: the ends where shades are drawn, which know no sign.
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Range {
    /// For values between two ends: diverging around zero if any is negative.
    fn new(least: f64, most: f64) -> Self {
        if least < 0.0 {
            let reach = least.abs().max(most.abs());
            return Self { scale: Scale::Diverging, low: -reach, high: reach, least, most };
        }
        // Values that are all far from zero would be one colour on a scale from zero.
        let low = if least > most / 2.0 && least < most { least } else { 0.0 };
        Self { scale: Scale::Sequential, low, high: most, least: low, most }
    }

    /// For differences that reach this far to either side.
    fn around_zero(reach: f64) -> Self {
        Self { scale: Scale::Diverging, low: -reach, high: reach, least: 0.0, most: reach }
    }

    /// The place for [`Theme::heat`](super::super::theme::Theme::heat): −1 to 1, or 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Diverging if self.high > 0.0 => value / self.high,
            Scale::Sequential if self.high > self.low => (value - self.low) / (self.high - self.low),
            _ => 0.0,
        }
    }

    /// The place from the lowest value to the highest, 0 to 1.
    pub(super) fn filled(&self, value: f64) -> f64 {
        if self.most > self.least { (value - self.least) / (self.most - self.least) } else { 0.0 }
    }
}

/// Three pictures of equal size, row by row.
pub(super) struct Scene {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) expected: Vec<Value>,
    pub(super) got: Vec<Value>,
    pub(super) difference: Vec<Value>,
    /// Scale of the first two.
    pub(super) values: Range,
    /// Scale of the third.
    pub(super) differences: Range,
    /// The attempt's value that is furthest beyond the scale, if one is.
    pub(super) beyond: Option<f64>,
}

impl Scene {
    /// Each cell stands for `block × block` values and shows the place among them that differs most, in all three.
    pub(super) fn new(window: &Window, block: usize) -> Self {
        let (rows, cols) = (window.rows.div_ceil(block), window.cols.div_ceil(block));
        let places: Vec<usize> = (0..rows * cols).map(|i| worst(window, block, i / cols, i % cols)).collect();
        let expected: Vec<f64> = window.expected.iter().map(|v| v.0).collect();
        let got: Vec<f64> = window.got.iter().map(|v| v.0).collect();
        let (values, beyond) = value_range(&expected, &got);
        let difference: Vec<Value> = places.iter().map(|&at| Value::difference(expected[at], got[at])).collect();
        let (low, high) =
            ends(difference.iter().filter_map(|v| if let Value::Finite(v) = v { Some(*v) } else { None }));
        let reach = low.abs().max(high.abs());
        Self {
            rows,
            cols,
            expected: places.iter().map(|&at| Value::of(expected[at])).collect(),
            got: places.iter().map(|&at| Value::of(got[at])).collect(),
            difference,
            values,
            differences: Range::around_zero(reach),
            beyond,
        }
    }
}

/// The place of a block where the two differ most.
fn worst(window: &Window, block: usize, row: usize, col: usize) -> usize {
    let inside = |start: usize, end: usize| start * block..((start + 1) * block).min(end);
    let mut best = (row * block * window.cols + col * block, -1.0);
    for r in inside(row, window.rows) {
        for c in inside(col, window.cols) {
            let at = r * window.cols + c;
            let apart = match Value::difference(window.expected[at].0, window.got[at].0) {
                Value::Finite(v) => v.abs(),
                _ => f64::INFINITY,
            };
            if apart > best.1 {
                best = (at, apart);
            }
        }
    }
    best.0
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = values.filter(|v| v.is_finite()).fold(None, |ends: Option<(f64, f64)>, v| {
        let (low, high) = ends.unwrap_or((v, v));
        Some((low.min(v), high.max(v)))
    });
    ends.unwrap_or((0.0, 0.0))
}

fn value_range(expected: &[f64], got: &[f64]) -> (Range, Option<f64>) {
    let (low, high) = ends(expected.iter().copied());
    let (got_low, got_high) = ends(got.iter().copied());
    let (reach, got_reach) = (low.abs().max(high.abs()), got_low.abs().max(got_high.abs()));
    if reach > 0.0 && got_reach > OUTLIER * reach {
        let furthest = if got_low.abs() > got_high.abs() { got_low } else { got_high };
        return (Range::new(low, high), Some(furthest));
    }
    (Range::new(low.min(got_low), high.max(got_high)), None)
}
