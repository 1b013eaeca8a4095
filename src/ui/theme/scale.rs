//! The colours of heat maps. Blue against orange: the pair that every kind of colour vision tells apart, and both ends
//! differ from the middle in lightness as well.

use super::colour::{Rgb, nearest, shown};
use super::{Background, Depth};
use ratatui::style::Color;

/// Which scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Signed values: −1 to 1 around a quiet middle.
    Diverging,
    /// Values from nothing (0) to most (1).
    Sequential,
}

const DARK_DIVERGING: [Rgb; 5] = [0x5ab4ff, 0x2b6299, 0x2a2d31, 0x99571c, 0xffa047];
const LIGHT_DIVERGING: [Rgb; 5] = [0x0b4f8f, 0x7fb2e0, 0xe8eaed, 0xf0ab70, 0x9c4300];
const DARK_SEQUENTIAL: [Rgb; 5] = [0x23272e, 0x1d4a63, 0x1f7f8c, 0x5cba94, 0xf3f0a5];
const LIGHT_SEQUENTIAL: [Rgb; 5] = [0xeef1f4, 0xa9cfd0, 0x55a0ab, 0x266a86, 0x14304f];

/// The colour at a place, or none with sixteen colours and fewer.
pub(super) fn colour(scale: Scale, at: f64, background: Background, depth: Depth) -> Option<Color> {
    let rgb = blend(stops(scale, background), place(scale, at));
    match depth {
        Depth::TrueColor => Some(shown(rgb)),
        Depth::Indexed => Some(Color::Indexed(nearest(rgb))),
        Depth::Ansi16 | Depth::None => None,
    }
}

fn stops(scale: Scale, background: Background) -> &'static [Rgb; 5] {
    match (scale, background) {
        (Scale::Diverging, Background::Dark) => &DARK_DIVERGING,
        (Scale::Diverging, Background::Light) => &LIGHT_DIVERGING,
        (Scale::Sequential, Background::Dark) => &DARK_SEQUENTIAL,
        (Scale::Sequential, Background::Light) => &LIGHT_SEQUENTIAL,
    }
}

/// A place of the scale as 0 to 1; what is no number is in the middle of nothing: the start.
fn place(scale: Scale, at: f64) -> f64 {
    let at = if scale == Scale::Diverging { (at + 1.0) / 2.0 } else { at };
    if at.is_nan() { 0.0 } else { at.clamp(0.0, 1.0) }
}

fn blend(stops: &[Rgb; 5], at: f64) -> Rgb {
    let along = at * 4.0;
    let left = along.floor().min(3.0);
    let part = along - left;
    let (from, to) = (stops[left as usize], stops[left as usize + 1]);
    let channel = |shift: u32| {
        let (a, b) = (f64::from((from >> shift) & 255), f64::from((to >> shift) & 255));
        ((a + (b - a) * part).round() as u32) << shift
    };
    channel(16) | channel(8) | channel(0)
}

#[cfg(test)]
mod tests {
    use super::super::colour::lightness;
    use super::*;

    #[test]
    fn sequential_scales_run_one_way_in_lightness() {
        for background in [Background::Dark, Background::Light] {
            let steps: Vec<f64> =
                (0..=20).map(|i| lightness(blend(stops(Scale::Sequential, background), f64::from(i) / 20.0))).collect();
            let rising = steps.windows(2).all(|pair| pair[1] > pair[0]);
            let falling = steps.windows(2).all(|pair| pair[1] < pair[0]);
            assert!(rising || falling, "{background:?}: {steps:?}");
        }
    }

    #[test]
    fn both_arms_of_a_diverging_scale_leave_the_middle() {
        for background in [Background::Dark, Background::Light] {
            let at = |place: f64| lightness(blend(stops(Scale::Diverging, background), place));
            assert!((at(0.0) - at(0.5)).abs() > 35.0 && (at(1.0) - at(0.5)).abs() > 35.0, "{background:?}");
        }
    }

    #[test]
    fn beyond_the_ends_is_the_end() {
        let at = |v| colour(Scale::Diverging, v, Background::Dark, Depth::TrueColor);
        assert_eq!(at(9.0), at(1.0));
        assert_eq!(at(f64::NEG_INFINITY), at(-1.0));
        assert_eq!(colour(Scale::Sequential, 0.5, Background::Dark, Depth::Ansi16), None);
    }
}
