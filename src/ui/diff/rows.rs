//! Which lines of two texts belong together, and which words of them differ.

use super::super::text;
use similar::{ChangeTag, DiffOp, TextDiff};
use std::ops::Range;

/// Equal lines that are kept on each side of a change.
const CONTEXT: usize = 3;

/// Below this share of common words two lines are not versions of one another, and marking words would be noise.
const ALIKE: f32 = 0.4;

/// A line of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Its index.
    pub(super) line: usize,
    /// Bytes of its cleaned text that differ from the line across.
    pub(super) changed: Vec<Range<usize>>,
}

/// A row of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The same on both sides.
    Same(Cell, Cell),
    /// What went and what came; one of them may be missing.
    Changed(Option<Cell>, Option<Cell>),
    /// This many equal lines are left out.
    Fold(usize),
}

/// The comparison, line by line.
pub(super) fn rows(old: &str, new: &str) -> Vec<Row> {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let diff = TextDiff::from_slices(&old_lines, &new_lines);
    let operations = diff.ops();
    let mut rows = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        match *operation {
            DiffOp::Equal { old_index, new_index, len } => {
                let ends = (at == 0, at + 1 == operations.len());
                equal(&mut rows, old_index, new_index, len, ends);
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                rows.extend((old_index..old_index + old_len).map(|line| Row::Changed(Some(bare(line)), None)));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                rows.extend((new_index..new_index + new_len).map(|line| Row::Changed(None, Some(bare(line)))));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                rows.extend((0..old_len.max(new_len)).map(|i| {
                    let old_line = (i < old_len).then_some(old_index + i);
                    let new_line = (i < new_len).then_some(new_index + i);
                    replaced(old_line, new_line, &old_lines, &new_lines)
                }));
            }
        }
    }
    rows
}

fn bare(line: usize) -> Cell {
    Cell { line, changed: Vec::new() }
}

/// An equal stretch; its middle is folded if that is worth a row. At the ends of the text there is context on one side.
fn equal(rows: &mut Vec<Row>, old: usize, new: usize, len: usize, (first, last): (bool, bool)) {
    let before = if first { 0 } else { CONTEXT };
    let after = if last { 0 } else { CONTEXT };
    let folded = len.saturating_sub(before + after);
    let same = |i: usize| Row::Same(bare(old + i), bare(new + i));
    if folded < 4 {
        rows.extend((0..len).map(same));
        return;
    }
    rows.extend((0..before).map(same));
    rows.push(Row::Fold(folded));
    rows.extend((before + folded..len).map(same));
}

fn replaced(old: Option<usize>, new: Option<usize>, old_lines: &[&str], new_lines: &[&str]) -> Row {
    let (Some(old), Some(new)) = (old, new) else { return Row::Changed(old.map(bare), new.map(bare)) };
    let (went, came) = words_changed(&text::clean(old_lines[old]), &text::clean(new_lines[new]));
    Row::Changed(Some(Cell { line: old, changed: went }), Some(Cell { line: new, changed: came }))
}

/// The bytes of each that differ, word by word; nothing if the lines have little in common.
pub(crate) fn words_changed(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (old_words, new_words) = (words(old), words(new));
    let diff = TextDiff::from_slices(&old_words, &new_words);
    if diff.ratio() < ALIKE {
        return (Vec::new(), Vec::new());
    }
    let (mut went, mut came) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at) = (0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        match change.tag() {
            ChangeTag::Equal => (old_at, new_at) = (old_at + length, new_at + length),
            ChangeTag::Delete => {
                extend(&mut went, old_at..old_at + length);
                old_at += length;
            }
            ChangeTag::Insert => {
                extend(&mut came, new_at..new_at + length);
                new_at += length;
            }
        }
    }
    (went, came)
}

fn extend(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

/// Names, numbers and runs of blanks as one word each, every other character by itself.
fn words(line: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in line.char_indices() {
        if last.is_some_and(|before| before != class(c) || before == 2) {
            words.push(&line[start..at]);
            start = at;
        }
        last = Some(class(c));
    }
    words.extend((start < line.len()).then(|| &line[start..]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code() {
        assert_eq!(words("q.dim(3)?  + d_k"), ["q", ".", "dim", "(", "3", ")", "?", "  ", "+", " ", "d_k"]);
        assert!(words("").is_empty());
    }

    #[test]
    fn only_the_changed_words_are_marked() {
        let (went, came) = words_changed("let s = q * k;", "let s = q * scale * k;");
        assert_eq!((went.as_slice(), came.len()), (&[][..], 1));
        assert_eq!(&"let s = q * scale * k;"[came[0].clone()].trim(), &"scale *");
        assert_eq!(words_changed("alpha beta", "// nothing"), (vec![], vec![]));
    }

    #[test]
    fn lines_that_belong_together_share_a_row() {
        let rows = rows("a\nb\nc\n", "a\nB\nc\nd\n");
        assert_eq!(rows[0], Row::Same(bare(0), bare(0)));
        assert_eq!(rows[1], Row::Changed(Some(bare(1)), Some(bare(1))));
        assert_eq!(rows[3], Row::Changed(None, Some(bare(3))));
    }
}
