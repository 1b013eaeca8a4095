//! How the three pictures fit the page: beside each other or below, how large a value is, how many share a cell.

/// Columns between two pictures.
pub(super) const GAP: usize = 3;

/// Columns of the labels at the left where the pictures are below each other.
pub(super) const MARGIN: usize = 12;

/// Below this many rows a picture says nothing.
const LEAST: usize = 6;

/// How a cell of the picture is drawn. Both are square on the screen, where a column is half as wide as a row is high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// Two columns, one row.
    Wide,
    /// One column, half a row.
    Half,
}

/// The arrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Beside each other; else below.
    pub(super) beside: bool,
    pub(super) grain: Grain,
    /// Each cell stands for `block × block` values.
    pub(super) block: usize,
}

impl Layout {
    /// The arrangement that shows most: as few values to a cell as possible, then beside each other, then large.
    pub(super) fn choose(rows: usize, cols: usize, width: usize, height: usize) -> Self {
        let options = [(true, Grain::Wide), (true, Grain::Half), (false, Grain::Wide), (false, Grain::Half)];
        for block in 1..=rows.max(cols) {
            for (beside, grain) in options {
                let layout = Self { beside, grain, block };
                if layout.fits(rows, cols, width, height) {
                    return layout;
                }
            }
        }
        Self { beside: true, grain: Grain::Half, block: rows.max(cols).max(1) }
    }

    fn fits(self, rows: usize, cols: usize, width: usize, height: usize) -> bool {
        let (columns, lines) = self.size(rows, cols);
        // A strip of half rows would be a line with a lower half missing.
        if self.grain == Grain::Half && rows == 1 {
            return false;
        }
        if self.beside {
            columns * 3 + GAP * 2 <= width && lines <= height.max(LEAST)
        } else {
            columns + MARGIN <= width && (lines + 1) * 3 <= height.max(LEAST)
        }
    }

    /// Columns and lines of one picture.
    pub(super) fn size(self, rows: usize, cols: usize) -> (usize, usize) {
        let (rows, cols) = (rows.div_ceil(self.block), cols.div_ceil(self.block));
        match self.grain {
            Grain::Wide => (cols * 2, rows),
            Grain::Half => (cols, rows.div_ceil(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(rows: usize, cols: usize, width: usize, height: usize) -> (bool, Grain, usize) {
        let layout = Layout::choose(rows, cols, width, height);
        (layout.beside, layout.grain, layout.block)
    }

    #[test]
    fn large_where_there_is_room() {
        assert_eq!(choose(7, 16, 110, 20), (true, Grain::Wide, 1));
        assert_eq!(choose(7, 16, 80, 20), (true, Grain::Half, 1));
        assert_eq!(choose(1, 30, 80, 20), (false, Grain::Wide, 1));
        assert_eq!(choose(64, 64, 200, 40), (true, Grain::Half, 1));
        assert_eq!(choose(64, 64, 80, 20), (true, Grain::Half, 3));
        assert_eq!(choose(64, 1, 80, 20), (true, Grain::Half, 2));
    }

    #[test]
    fn something_is_found_for_every_page() {
        for (width, height) in [(1, 1), (5, 2), (20, 5), (80, 24)] {
            assert!(Layout::choose(64, 64, width, height).block <= 64);
        }
    }
}
