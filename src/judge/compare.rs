//! Comparison of two lists of observations, and the picture of where they part.

use super::number::Num;
use super::report::{Detail, Mismatch, Window};
use super::value::{Observation, Tolerance, Value};

/// At most this many rows and columns go into a window.
const WINDOW: usize = 64;

/// The observations of `got` that differ from those of `expected`, each with its numbers.
pub fn compare(expected: &[Observation], got: &[Observation]) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for want in expected {
        match got.iter().find(|have| have.name == want.name) {
            Some(have) => found.extend(differ(&want.value, &have.value).map(|(summary, detail)| Mismatch {
                observation: want.name.clone(),
                summary,
                detail,
            })),
            None => found.push(Mismatch {
                observation: want.name.clone(),
                summary: "was never reached".to_owned(),
                detail: Detail::Single { expected: want.value.kind().to_owned(), got: "nothing".to_owned() },
            }),
        }
    }
    found
}

/// Whether two implementations were observed to do the same: the question of diagnosis.
pub fn same(a: &[Observation], b: &[Observation]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.name == b.name
                && match (&a.value, &b.value) {
                    (Value::PeakBytes { bytes: x, bound }, Value::PeakBytes { bytes: y, .. }) => {
                        (x > bound) == (y > bound)
                    }
                    (Value::Draws { counts: x, .. }, Value::Draws { counts: y, .. }) => alike(x, y),
                    (a, b) => differ(a, b).is_none(),
                }
        })
}

fn differ(expected: &Value, got: &Value) -> Option<(String, Detail)> {
    match (expected, got) {
        (
            Value::Tensor { dtype, shape, data, tolerance },
            Value::Tensor { dtype: got_dtype, shape: got_shape, data: got_data, .. },
        ) => {
            if let Some(found) = shapes(shape, got_shape) {
                return Some(found);
            }
            if dtype != got_dtype {
                return Some(kinds(&format!("{dtype:?}"), &format!("{got_dtype:?}")));
            }
            values(shape, data, got_data, *tolerance)
        }
        (Value::Ints { shape, data }, Value::Ints { shape: got_shape, data: got_data }) => {
            let floats = |list: &[i64]| list.iter().map(|&v| v as f64).collect::<Vec<f64>>();
            shapes(shape, got_shape)
                .or_else(|| values(shape, &floats(data), &floats(got_data), Tolerance::relative(0.0)))
        }
        (Value::Text(want), Value::Text(have)) => lines(want, have, "line"),
        (Value::Calls(want), Value::Calls(have)) => {
            let texts = |list: &[super::value::Call]| list.iter().map(|c| c.0.clone()).collect::<Vec<String>>();
            lines(&texts(want), &texts(have), "call")
        }
        (Value::Scalar { value: want, tolerance }, Value::Scalar { value: have, .. }) => {
            (!near(*want, *have, want.abs() * tolerance.rtol)).then(|| single(&Num(*want), &Num(*have)))
        }
        (Value::Flag(want), Value::Flag(have)) => (want != have).then(|| single(want, have)),
        (Value::Shape(want), Value::Shape(have)) => shapes(want, have),
        (Value::PeakBytes { .. }, Value::PeakBytes { bytes, bound }) => (bytes > bound).then(|| {
            let summary = format!("used {} of memory where {} are enough", bytes_text(*bytes), bytes_text(*bound));
            (summary, Detail::Peak { bytes: *bytes, bound: *bound })
        }),
        (Value::Draws { probabilities, .. }, Value::Draws { counts, .. }) => draws(probabilities, counts),
        (want, have) => Some(kinds(want.kind(), have.kind())),
    }
}

fn shapes(expected: &[usize], got: &[usize]) -> Option<(String, Detail)> {
    (expected != got).then(|| {
        let detail = Detail::Shape { expected: expected.to_vec(), got: got.to_vec() };
        (format!("has shape {got:?} where {expected:?} is expected"), detail)
    })
}

fn kinds(expected: &str, got: &str) -> (String, Detail) {
    let detail = Detail::Kind { expected: expected.to_owned(), got: got.to_owned() };
    (format!("is {got} where {expected} is expected"), detail)
}

fn single(expected: &impl ToString, got: &impl ToString) -> (String, Detail) {
    let (expected, got) = (expected.to_string(), got.to_string());
    (format!("is {got} where {expected} is expected"), Detail::Single { expected, got })
}

fn lines(expected: &[String], got: &[String], word: &str) -> Option<(String, Detail)> {
    let first = (0..expected.len().max(got.len())).find(|&i| expected.get(i) != got.get(i))?;
    let quoted = |list: &[String]| list.get(first).map_or("nothing".to_owned(), |line| format!("\"{line}\""));
    let summary =
        format!("differs from {word} {} on: {} where {} is expected", first + 1, quoted(got), quoted(expected));
    Some((summary, Detail::Lines { expected: expected.to_vec(), got: got.to_vec(), first }))
}

/// Equal, both NaN, or within `allowed` of each other.
fn near(expected: f64, got: f64, allowed: f64) -> bool {
    expected == got
        || (expected.is_nan() && got.is_nan())
        || (expected.is_finite() && got.is_finite() && (expected - got).abs() <= allowed)
}

fn values(shape: &[usize], expected: &[f64], got: &[f64], tolerance: Tolerance) -> Option<(String, Detail)> {
    let rms = root_mean_square(expected);
    let wrong = |i: usize| !near(expected[i], got[i], tolerance.rtol * expected[i].abs().max(rms));
    let places: Vec<usize> = (0..expected.len()).filter(|&i| wrong(i)).collect();
    let &first = places.first()?;
    let gap = |i: usize| (expected[i] - got[i]).abs();
    let largest = |of: &dyn Fn(usize) -> f64| {
        places.iter().map(|&i| of(i)).fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) })
    };
    let index = unravel(first, shape);
    let summary = format!(
        "differs in {} of {} places, first at {index:?}: {} where {} is expected",
        places.len(),
        expected.len(),
        Num(got[first]),
        Num(expected[first]),
    );
    let detail = Detail::Values {
        shape: shape.to_vec(),
        window: window(shape, &index, expected, got),
        first: index,
        expected: Num(expected[first]),
        got: Num(got[first]),
        max_abs: Num(largest(&gap)),
        max_rel: Num(largest(&|i| gap(i) / expected[i].abs().max(rms).max(f64::MIN_POSITIVE))),
        differing: places.len(),
        total: expected.len(),
        rtol: tolerance.rtol,
    };
    Some((summary, detail))
}

fn root_mean_square(values: &[f64]) -> f64 {
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if finite.is_empty() { 0.0 } else { (finite.iter().map(|v| v * v).sum::<f64>() / finite.len() as f64).sqrt() }
}

fn unravel(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (axis, &size) in shape.iter().enumerate().rev() {
        index[axis] = flat % size;
        flat /= size;
    }
    index
}

fn window(shape: &[usize], first: &[usize], expected: &[f64], got: &[f64]) -> Window {
    let lead = shape.len().saturating_sub(2);
    let full_cols = shape.last().copied().unwrap_or(1);
    let full_rows = if shape.len() > 1 { shape[lead] } else { 1 };
    let (row, col) = (if shape.len() > 1 { first[lead] } else { 0 }, first.last().copied().unwrap_or(0));
    // Cut so that the first difference is inside, and from the start where all of it fits.
    let start = |at: usize, size: usize| if size <= WINDOW { 0 } else { at.min(size - WINDOW) };
    let (top, left) = (start(row, full_rows), start(col, full_cols));
    let (rows, cols) = (full_rows.min(WINDOW), full_cols.min(WINDOW));
    let base = first[..lead].iter().zip(shape).fold(0, |flat, (&i, &size)| flat * size + i) * full_rows * full_cols;
    let cut = |data: &[f64]| {
        let place = |r: usize, c: usize| base + (top + r) * full_cols + left + c;
        (0..rows).flat_map(|r| (0..cols).map(move |c| place(r, c))).map(|i| Num(data[i])).collect()
    };
    Window { at: first[..lead].to_vec(), origin: [top, left], rows, cols, expected: cut(expected), got: cut(got) }
}

fn draws(probabilities: &[f64], counts: &[u64]) -> Option<(String, Detail)> {
    let total: u64 = counts.iter().sum();
    let impossible = counts.iter().zip(probabilities).position(|(&n, &p)| n > 0 && p <= 0.0);
    let expected: Vec<f64> = probabilities.iter().map(|p| p * total as f64).collect();
    let observed: Vec<f64> = counts.iter().map(|&n| n as f64).collect();
    let (statistic, cells) = chi_square(&expected, &observed);
    let critical = chi_square_critical(cells.saturating_sub(1));
    let summary = match impossible {
        Some(outcome) => format!("outcome {outcome} was drawn {} times; its probability is 0", counts[outcome]),
        None if total == 0 || counts.len() != probabilities.len() => "draws nothing that can be counted".to_owned(),
        None if statistic > critical => {
            format!("does not follow the distribution: chi-square {statistic:.1}, at most {critical:.1} is expected")
        }
        None => return None,
    };
    let shares = |list: &[f64]| list.iter().take(WINDOW).map(|&v| Num(v)).collect();
    let frequencies: Vec<f64> = observed.iter().map(|n| n / (total.max(1)) as f64).collect();
    let detail = Detail::Draws {
        statistic: Num(statistic),
        critical: Num(critical),
        expected: shares(probabilities),
        got: shares(&frequencies),
    };
    Some((summary, detail))
}

/// Pearson's statistic and the number of cells; cells that expect fewer than five are pooled into one.
fn chi_square(expected: &[f64], observed: &[f64]) -> (f64, usize) {
    let (mut statistic, mut cells, mut pooled) = (0.0, 0, (0.0, 0.0));
    for (&e, &o) in expected.iter().zip(observed) {
        if e < 5.0 {
            pooled = (pooled.0 + e, pooled.1 + o);
        } else {
            statistic += (o - e).powi(2) / e;
            cells += 1;
        }
    }
    if pooled.0 > 0.0 {
        statistic += (pooled.1 - pooled.0).powi(2) / pooled.0;
        cells += 1;
    }
    (statistic, cells)
}

/// The value that chi-square passes with probability 1e-6 (Wilson and Hilferty's cube-root approximation).
fn chi_square_critical(freedom: usize) -> f64 {
    const Z: f64 = 4.753_424;
    let k = freedom.max(1) as f64;
    let spread = 2.0 / (9.0 * k);
    k * (1.0 - spread + Z * spread.sqrt()).powi(3)
}

/// Whether two sets of counts can come from one distribution (two-sample chi-square).
fn alike(a: &[u64], b: &[u64]) -> bool {
    if a == b {
        return true;
    }
    let (na, nb) = (a.iter().sum::<u64>() as f64, b.iter().sum::<u64>() as f64);
    if a.len() != b.len() || na == 0.0 || nb == 0.0 {
        return false;
    }
    let (mut statistic, mut cells) = (0.0, 0usize);
    for (&x, &y) in a.iter().zip(b) {
        let (x, y) = (x as f64, y as f64);
        if x + y > 0.0 {
            statistic += ((nb / na).sqrt() * x - (na / nb).sqrt() * y).powi(2) / (x + y);
            cells += 1;
        }
    }
    statistic <= chi_square_critical(cells.saturating_sub(1))
}

/// Bytes for a person: "24 B", "1.5 MiB".
pub fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64 / 1024.0;
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    format!("{value:.1} {}", UNITS[unit])
}
