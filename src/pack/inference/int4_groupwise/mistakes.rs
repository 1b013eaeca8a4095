//! What goes wrong at speed with four bits: one description, and the ways to deviate from it.

use super::{Attempt, Int4};

/// The step between two numbers, the number that stands for 0, and the smallest weight.
struct Grid {
    scale: f32,
    zero: f32,
    low: f32,
}

#[derive(Clone, Copy)]
struct Way {
    /// Which group a row and a column belong to, in a weight of these columns and this group size.
    place: fn(usize, usize, Size) -> usize,
    /// Smallest and largest weight of a group.
    range: fn(&[f32]) -> (f32, f32),
    /// Scale, from the range.
    scale: fn(f32, f32) -> f32,
    /// Zero point, from the smallest weight over the scale, with its sign turned.
    zero: fn(f32) -> f32,
    /// The number of a weight.
    number: fn(f32, &Grid) -> u8,
    /// Numbers of all weights to bytes, and back.
    pack: fn(&[u8], Size) -> Vec<u8>,
    unpack: fn(&Int4) -> Vec<i8>,
    /// The weight, from number, zero point and scale.
    value: fn(f32, f32, f32) -> f32,
    /// What is added to a zero point when it is stored, and taken off when it is read.
    shift: u8,
}

#[derive(Clone, Copy)]
struct Size {
    columns: usize,
    group: usize,
}

const RIGHT: Way = Way {
    place: |row, column, size| row * size.columns.div_ceil(size.group) + column / size.group,
    range: |part| part.iter().fold((0.0, 0.0), |(low, high): (f32, f32), &w| (low.min(w), high.max(w))),
    scale: |low, high| if high > low { (high - low) / 15.0 } else { 1.0 },
    zero: f32::round_ties_even,
    number: |w, grid| clamped((w / grid.scale).round_ties_even() + grid.zero),
    pack: |numbers, size| numbers.chunks(size.columns).flat_map(pairs).collect(),
    unpack: |weight| by_rows(weight, |byte| [byte & 15, byte >> 4]),
    value: |q, zero, scale| (q - zero) * scale,
    shift: 0,
};

fn clamped(number: f32) -> u8 {
    number.clamp(0.0, 15.0) as u8
}

/// Two numbers a byte, the first one low.
fn pairs(numbers: &[u8]) -> Vec<u8> {
    numbers.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 4).collect()
}

/// The numbers of every row, two a byte as `split` has them.
fn by_rows(weight: &Int4, split: fn(u8) -> [u8; 2]) -> Vec<i8> {
    let row = |bytes: &[u8]| bytes.iter().flat_map(|&byte| split(byte)).take(weight.columns).collect::<Vec<u8>>();
    let rows = weight.packed.chunks(weight.columns.div_ceil(2));
    rows.flat_map(row).map(|number| number as i8).collect()
}

fn quantize(way: &Way, weight: &[f32], rows: usize, columns: usize, group: usize) -> Int4 {
    let size = Size { columns, group };
    let place = |at: usize| (way.place)(at / columns, at % columns, size);
    let mut parts = vec![Vec::new(); place(weight.len() - 1) + 1];
    weight.iter().enumerate().for_each(|(at, &w)| parts[place(at)].push(w));
    let grid = |part: &Vec<f32>| {
        let (low, high) = (way.range)(part);
        let scale = (way.scale)(low, high);
        Grid { scale, zero: (way.zero)(-low / scale), low }
    };
    let grids: Vec<Grid> = parts.iter().map(grid).collect();
    let numbers: Vec<u8> = weight.iter().enumerate().map(|(at, &w)| (way.number)(w, &grids[place(at)])).collect();
    Int4 {
        rows,
        columns,
        group,
        packed: (way.pack)(&numbers, size),
        scale: grids.iter().map(|grid| grid.scale).collect(),
        zero: grids.iter().map(|grid| (grid.zero as u8).wrapping_add(way.shift) & 15).collect(),
    }
}

fn dequantize(way: &Way, weight: &Int4) -> Vec<f32> {
    let size = Size { columns: weight.columns, group: weight.group };
    let value = |(at, number): (usize, i8)| {
        let of = (way.place)(at / weight.columns, at % weight.columns, size);
        let zero = weight.zero[of].wrapping_sub(way.shift) & 15;
        (way.value)(f32::from(number), f32::from(zero), weight.scale[of])
    };
    (way.unpack)(weight).into_iter().enumerate().map(value).collect()
}

macro_rules! ways {
    ($($name:ident: { $($field:ident: $value:expr),+ })+) => {
        $(pub const fn $name() -> Attempt {
            const WAY: Way = Way { $($field: $value,)+ ..RIGHT };
            Attempt {
                quantize: |weight, rows, columns, group| quantize(&WAY, weight, rows, columns, group),
                dequantize: |weight| dequantize(&WAY, weight),
            }
        })+
    };
}

ways! {
    unpacked_high_first: { unpack: |weight| by_rows(weight, |byte| [byte >> 4, byte & 15]) }
    sign_extended: {
        unpack: |weight| (RIGHT.unpack)(weight).into_iter().map(|number| (number << 4) >> 4).collect()
    }
    not_packed: {
        pack: |numbers, _| numbers.to_vec(),
        unpack: |weight| weight.packed.iter().map(|&number| number as i8).take(weight.rows * weight.columns).collect()
    }
    rows_share_bytes: {
        pack: |numbers, _| pairs(numbers),
        unpack: |weight| {
            let numbers = weight.packed.iter().flat_map(|&byte| [(byte & 15) as i8, (byte >> 4) as i8]);
            numbers.take(weight.rows * weight.columns).collect()
        }
    }
    odd_nibble_lost: {
        pack: |numbers, size| {
            let row = |row: &[u8]| pairs(&row[..size.columns / 2 * 2]);
            numbers.chunks(size.columns).flat_map(row).collect()
        },
        unpack: |weight| {
            let row = |bytes: &[u8]| bytes.iter().flat_map(|&b| [(b & 15) as i8, (b >> 4) as i8]).collect::<Vec<i8>>();
            weight.packed.chunks((weight.columns / 2).max(1)).flat_map(row).take(weight.rows * weight.columns).collect()
        }
    }
    grouped_by_columns: { place: |row, column, size| row / size.group * size.columns + column }
    groups_across_rows: { place: |row, column, size| (row * size.columns + column) / size.group }
    one_group_a_row: { place: |row, _, _| row }
    one_group: { place: |_, _, _| 0 }
    sixteen_steps: { scale: |low, high| if high > low { (high - low) / 16.0 } else { 1.0 } }
    zero_truncated: { zero: f32::floor }
    zero_not_rounded: { number: |w, grid| clamped(((w - grid.low) / grid.scale).round_ties_even()) }
    truncated: { number: |w, grid| clamped((w / grid.scale).trunc() + grid.zero) }
    not_clamped: { number: |w, grid| ((w / grid.scale).round_ties_even() + grid.zero) as u8 }
    epsilon: { scale: |low, high| (high - low).max(1e-5) / 15.0 }
    zero_not_scaled: { value: |q, zero, scale| q * scale - zero }
    zero_added: { value: |q, zero, scale| (q + zero) * scale }
    zero_ignored: { value: |q, _, scale| (q - 8.0) * scale }
    high_nibble_first: {
        pack: |numbers, size| (RIGHT.pack)(numbers, size).into_iter().map(|byte| byte.rotate_left(4)).collect(),
        unpack: |weight| by_rows(weight, |byte| [byte >> 4, byte & 15])
    }
    range_without_zero: {
        range: |part| {
            let ends = (f32::INFINITY, f32::NEG_INFINITY);
            part.iter().fold(ends, |(low, high): (f32, f32), &w| (low.min(w), high.max(w)))
        },
        zero: |zero| zero.round_ties_even().clamp(0.0, 15.0)
    }
    symmetric: {
        range: |part| {
            let largest = part.iter().fold(0.0, |largest: f32, w| largest.max(w.abs()));
            (-largest, largest)
        },
        zero: |_| 8.0
    }
    zero_minus_one: { shift: 15 }
    half_away: { zero: f32::round, number: |w, grid| clamped((w / grid.scale).round() + grid.zero) }
}

/// The groups of a row, each as a first and a second half that share their bytes.
fn halves(part: &[u8]) -> Vec<u8> {
    let half = part.len().div_ceil(2);
    (0..half).map(|j| part[j] | part.get(half + j).unwrap_or(&0) << 4).collect()
}

pub const fn split_halves() -> Attempt {
    const WAY: Way = Way {
        pack: |numbers, size| {
            numbers.chunks(size.columns).flat_map(|row| row.chunks(size.group).flat_map(halves)).collect()
        },
        unpack: |weight| {
            let part = |bytes: &[u8]| {
                let low = bytes.iter().map(|byte| byte & 15);
                low.chain(bytes.iter().map(|byte| byte >> 4)).map(|number| number as i8).collect::<Vec<i8>>()
            };
            let rows = weight.packed.chunks(weight.columns.div_ceil(2));
            rows.flat_map(|row| row.chunks(weight.group.div_ceil(2)).flat_map(part).take(weight.columns)).collect()
        },
        ..RIGHT
    };
    Attempt {
        quantize: |weight, rows, columns, group| quantize(&WAY, weight, rows, columns, group),
        dequantize: |weight| dequantize(&WAY, weight),
    }
}

pub const fn padding_returned() -> Attempt {
    Attempt {
        quantize: super::reference::quantize,
        dequantize: |weight| {
            let groups = weight.columns.div_ceil(weight.group);
            let of = |row: usize, column: usize| row * groups + (column / weight.group).min(groups - 1);
            let row = |(row, bytes): (usize, &[u8])| {
                let numbers = bytes.iter().flat_map(|&byte| [byte & 15, byte >> 4]).enumerate();
                let value = |(column, q): (usize, u8)| {
                    let of = of(row, column);
                    (f32::from(q) - f32::from(weight.zero[of])) * weight.scale[of]
                };
                numbers.map(value).collect::<Vec<f32>>()
            };
            weight.packed.chunks(weight.columns.div_ceil(2)).enumerate().flat_map(row).collect()
        },
    }
}

pub const fn tail_group_lost() -> Attempt {
    Attempt {
        quantize: |weight, rows, columns, group| {
            let whole = columns / group * group;
            let kept: Vec<f32> = weight.chunks(columns).flat_map(|row| row[..whole].to_vec()).collect();
            let Some(kept) = (!kept.is_empty()).then_some(kept) else {
                return Int4 { rows, columns, group, packed: Vec::new(), scale: Vec::new(), zero: Vec::new() };
            };
            Int4 { columns, ..quantize(&RIGHT, &kept, rows, whole, group) }
        },
        dequantize: |weight| {
            let whole = weight.columns / weight.group * weight.group;
            let numbers: Vec<Vec<i8>> = (RIGHT.unpack)(weight).chunks(weight.columns).map(<[i8]>::to_vec).collect();
            let groups = weight.columns / weight.group;
            let value = |row: usize, column: usize| {
                let of = row * groups + column / weight.group;
                (f32::from(numbers[row][column]) - f32::from(weight.zero[of])) * weight.scale[of]
            };
            (0..numbers.len()).flat_map(|row| (0..whole).map(move |column| value(row, column))).collect()
        },
    }
}
