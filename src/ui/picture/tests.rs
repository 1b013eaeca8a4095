use super::super::theme::{Charset, Depth};
use super::*;
use proptest::prelude::*;

fn window(
    rows: usize,
    cols: usize,
    expected: impl Fn(usize, usize) -> f64,
    got: impl Fn(usize, usize) -> f64,
) -> Window {
    let all = |of: &dyn Fn(usize, usize) -> f64| (0..rows * cols).map(|i| Num(of(i / cols, i % cols))).collect();
    Window { at: vec![0, 3], origin: [0, 0], rows, cols, expected: all(&expected), got: all(&got) }
}

fn ramp(row: usize, col: usize) -> f64 {
    (row as f64 - 5.0) / 5.0 + col as f64 / 40.0
}

fn plain_text(lines: &[Line<'static>]) -> String {
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect::<Vec<String>>().join("\n")
}

#[test]
fn few_numbers_are_shown_as_numbers() {
    let small = window(3, 4, ramp, |r, c| match (r, c) {
        (1, 2) => 0.25,
        (2, 3) => f64::NAN,
        _ => ramp(r, c),
    });
    insta::assert_snapshot!("numbers_beside", plain_text(&triptych(&small, 90, 20, &Theme::default())));
    insta::assert_snapshot!("numbers_below", plain_text(&triptych(&small, 50, 20, &Theme::plain(Charset::Ascii))));
}

#[test]
fn digits_grow_until_the_difference_is_seen() {
    let close = window(1, 2, |_, c| c as f64 + 0.5, |_, c| c as f64 + 0.5 + 2e-5 * c as f64);
    let text = plain_text(&triptych(&close, 60, 20, &Theme::default()));
    assert!(text.contains("1.50000") && text.contains("1.50002"), "{text}");
}

#[test]
fn shades_where_there_is_no_colour() {
    let large = window(
        12,
        12,
        |r, c| if c > r { f64::NEG_INFINITY } else { ramp(r, c) },
        |r, c| {
            if c > r + 1 { f64::NEG_INFINITY } else { ramp(r, c).abs() }
        },
    );
    for (name, theme) in [
        ("plain", Theme::plain(Charset::Unicode)),
        ("ascii", Theme::plain(Charset::Ascii)),
        ("sixteen", Theme::dark(Depth::Ansi16, Charset::Unicode)),
    ] {
        insta::assert_snapshot!(format!("shades_{name}"), plain_text(&triptych(&large, 90, 20, &theme)));
    }
}

#[test]
fn colours_where_there_are_some() {
    let large = window(4, 12, ramp, |r, c| if (r, c) == (1, 5) { f64::INFINITY } else { -ramp(r, c) });
    for (name, theme) in [("dark", Theme::default()), ("light", Theme::light(Depth::Indexed, Charset::Unicode))] {
        insta::assert_debug_snapshot!(format!("colours_{name}"), drawn(&triptych(&large, 50, 20, &theme), 50));
    }
}

fn drawn(lines: &[Line<'static>], width: u16) -> ratatui::buffer::Buffer {
    use ratatui::widgets::{Paragraph, Widget};
    let area = ratatui::layout::Rect::new(0, 0, width, u16::try_from(lines.len()).expect("a short picture"));
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    Paragraph::new(lines.to_vec()).render(area, &mut buffer);
    buffer
}

#[test]
fn a_row_lies_on_its_side() {
    let row = window(1, 20, ramp, |r, c| ramp(r, c) + if c > 10 { 0.3 } else { 0.0 });
    insta::assert_snapshot!(plain_text(&triptych(&row, 60, 20, &Theme::plain(Charset::Unicode))));
}

#[test]
fn many_values_share_a_cell_and_a_single_fault_is_still_seen() {
    let large = window(64, 64, |_, _| 0.0, |r, c| if (r, c) == (41, 23) { 1.0 } else { 0.0 });
    let text = plain_text(&triptych(&large, 60, 20, &Theme::plain(Charset::Unicode)));
    assert!(text.contains('█'), "{text}");
    assert!(text.contains("a cell stands for 4×4 values"), "{text}");
}

#[test]
fn a_stray_value_does_not_flatten_the_rest() {
    let stray = window(9, 9, ramp, |r, c| if (r, c) == (0, 0) { 1e9 } else { ramp(r, c) });
    let text = plain_text(&triptych(&stray, 90, 20, &Theme::plain(Charset::Unicode)));
    assert!(text.contains("got reaches 1.0e9, beyond the scale"), "{text}");
}

#[test]
fn draws_with_an_impossible_outcome() {
    let p: Vec<Num> = [0.5, 0.3, 0.2, 0.0].map(Num).to_vec();
    let q: Vec<Num> = [0.3, 0.3, 0.3, 0.1].map(Num).to_vec();
    insta::assert_snapshot!("draws", plain_text(&draws(&p, &q, 70, 20, &Theme::plain(Charset::Unicode))));
    let many: Vec<Num> = (0..64).map(|_| Num(1.0 / 64.0)).collect();
    let mut off = many.clone();
    off[50] = Num(0.2);
    let text = plain_text(&draws(&many, &off, 70, 10, &Theme::default()));
    assert!(text.contains("     50    0.0156    0.2000") && text.contains("57 more outcomes"), "{text}");
}

#[test]
fn lists_side_by_side_and_below() {
    let list = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<String>>();
    let want = list(&["fed 12 tokens", "fed 1 token", "fed 1 token", "fed 1 token", "end"]);
    let have = list(&["fed 12 tokens", "fed 1 token", "fed 1 token", "fed 14 tokens"]);
    for (name, width) in [("lists_beside", 70), ("lists_below", 34)] {
        insta::assert_snapshot!(name, plain_text(&lines(&want, &have, 3, width, 20, &Theme::default())));
    }
}

#[test]
fn the_other_details() {
    let theme = Theme::plain(Charset::Unicode);
    let text = |d: Detail| plain_text(&detail(&d, 60, 20, &theme));
    insta::assert_snapshot!("shape", text(Detail::Shape { expected: vec![2, 16, 7, 4], got: vec![2, 7, 16, 4] }));
    insta::assert_snapshot!("shape_axes", text(Detail::Shape { expected: vec![2, 16], got: vec![2] }));
    insta::assert_snapshot!("single", text(Detail::Single { expected: "7".to_owned(), got: "8".to_owned() }));
    insta::assert_snapshot!("peak", text(Detail::Peak { bytes: 9 << 20, bound: 3 << 20 }));
}

#[test]
fn bars_in_eighths() {
    let theme = Theme::default();
    assert_eq!(bar(0.5, 4, &theme), "██");
    assert_eq!(bar(0.53125, 4, &theme), "██▏");
    assert_eq!(bar(1e-9, 4, &theme), "▏");
    assert_eq!(bar(0.0, 4, &theme), "");
    assert_eq!(bar(f64::NAN, 4, &theme), "");
    assert_eq!(bar(7.0, 4, &theme), "████");
    assert_eq!(bar(0.5, 4, &Theme::plain(Charset::Ascii)), "##");
}

#[test]
fn a_broken_window_draws_nothing() {
    let mut broken = window(2, 2, ramp, ramp);
    broken.got.pop();
    assert!(triptych(&broken, 60, 20, &Theme::default()).is_empty());
    assert!(triptych(&window(0, 0, ramp, ramp), 60, 20, &Theme::default()).is_empty());
}

proptest! {
    #[test]
    fn any_window_fits_any_page(
        rows in 1usize..65,
        cols in 1usize..65,
        width in 24u16..200,
        height in 1u16..60,
        odd: bool,
        depth in prop::sample::select(vec![Depth::None, Depth::Ansi16, Depth::Indexed, Depth::TrueColor]),
    ) {
        let value = |r: usize, c: usize| if odd && (r + c) % 5 == 0 { f64::NAN } else { ramp(r, c) * 1e3 };
        let lines = triptych(&window(rows, cols, value, ramp), width, height, &Theme::dark(depth, Charset::Unicode));
        prop_assert!(!lines.is_empty());
        for line in &lines {
            prop_assert!(line.width() <= usize::from(width), "{} > {width}: {line}", line.width());
        }
    }
}
