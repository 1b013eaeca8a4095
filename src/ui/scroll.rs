//! Scrolling as arithmetic: which part of a list or text is seen, and what is selected. Knows nothing of widgets.

use std::ops::Range;

/// Rows kept between the selection and the edge, so that the reader sees what comes next.
const MARGIN: usize = 2;

/// What part of `len` rows is shown in `height`, and which one is selected.
///
/// A list selects ([`ScrollState::list`]): moving moves the selection and the view follows. A text does not
/// ([`ScrollState::text`]): moving moves the view. Both stay within bounds whatever is called, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScrollState {
    offset: usize,
    selected: usize,
    selects: bool,
    len: usize,
    height: usize,
}

impl ScrollState {
    /// With a selection.
    pub fn list() -> Self {
        Self { selects: true, ..Self::default() }
    }

    /// Without a selection.
    pub fn text() -> Self {
        Self::default()
    }

    /// Says how many rows there are and how many are seen: on every frame, it is cheap.
    pub fn resize(&mut self, len: usize, height: usize) {
        (self.len, self.height) = (len, height);
        self.settle();
    }

    /// First row seen.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The selected row; none in a text and in an empty list.
    pub fn selected(&self) -> Option<usize> {
        (self.selects && self.len > 0).then_some(self.selected)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The rows that are seen.
    pub fn visible(&self) -> Range<usize> {
        self.offset..(self.offset + self.height).min(self.len)
    }

    /// Whether there is more above.
    pub fn more_above(&self) -> bool {
        self.offset > 0
    }

    /// Whether there is more below.
    pub fn more_below(&self) -> bool {
        self.visible().end < self.len
    }

    /// Selects a row.
    pub fn select(&mut self, row: usize) {
        self.selected = row;
        self.settle();
    }

    /// Puts a row at the top of the view (a heading that was jumped to).
    pub fn show(&mut self, row: usize) {
        self.offset = row;
        if self.selects {
            self.selected = row;
        }
        self.settle();
    }

    /// Moves by rows; negative is up.
    pub fn move_by(&mut self, rows: isize) {
        if self.selects {
            self.selected = self.selected.saturating_add_signed(rows);
        } else {
            self.offset = self.offset.saturating_add_signed(rows);
        }
        self.settle();
    }

    /// Moves the view by rows; a selection comes along only as far as it must to be seen (the mouse wheel).
    pub fn scroll_by(&mut self, rows: isize) {
        self.offset = self.offset.saturating_add_signed(rows).min(self.last_offset());
        if self.selects && self.height > 0 {
            let margin = self.margin();
            let top = if self.offset == 0 { 0 } else { self.offset + margin };
            let bottom = self.offset + self.height - 1;
            let bottom = if self.more_below() { bottom - margin } else { bottom };
            self.selected = self.selected.clamp(top, bottom.max(top));
        }
        self.settle();
    }

    /// One row down.
    pub fn down(&mut self) {
        self.move_by(1);
    }

    /// One row up.
    pub fn up(&mut self) {
        self.move_by(-1);
    }

    /// One page down; one row of the old page stays for the eye.
    pub fn page_down(&mut self) {
        self.move_by(self.page());
    }

    /// One page up.
    pub fn page_up(&mut self) {
        self.move_by(-self.page());
    }

    /// Half a page down.
    pub fn half_down(&mut self) {
        self.move_by((self.page() / 2).max(1));
    }

    /// Half a page up.
    pub fn half_up(&mut self) {
        self.move_by(-(self.page() / 2).max(1));
    }

    /// First row.
    pub fn home(&mut self) {
        (self.offset, self.selected) = (0, 0);
        self.settle();
    }

    /// Last row.
    pub fn end(&mut self) {
        (self.offset, self.selected) = (usize::MAX, usize::MAX);
        self.settle();
    }

    /// How far a text is read, in percent.
    pub fn percent(&self) -> usize {
        match self.last_offset() {
            0 => 100,
            last => self.offset * 100 / last,
        }
    }

    /// A scroll bar's thumb as rows of the view; none if everything is seen.
    pub fn thumb(&self) -> Option<Range<usize>> {
        if self.len <= self.height || self.height == 0 {
            return None;
        }
        let size = (self.height * self.height / self.len).max(1);
        let start = self.offset * (self.height - size) / self.last_offset().max(1);
        Some(start..start + size)
    }

    fn page(&self) -> isize {
        isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(isize::MAX)
    }

    fn last_offset(&self) -> usize {
        self.len.saturating_sub(self.height)
    }

    fn margin(&self) -> usize {
        MARGIN.min(self.height.saturating_sub(1) / 2)
    }

    /// Brings everything within bounds and the selection into view.
    fn settle(&mut self) {
        self.selected = self.selected.min(self.len.saturating_sub(1));
        self.offset = self.offset.min(self.last_offset());
        if !self.selects || self.height == 0 {
            return;
        }
        let margin = self.margin();
        let highest = self.selected.saturating_sub(margin);
        let lowest = (self.selected + margin + 1).saturating_sub(self.height);
        self.offset = self.offset.clamp(lowest.min(highest), highest).min(self.last_offset());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(len: usize, height: usize) -> ScrollState {
        let mut state = ScrollState::list();
        state.resize(len, height);
        state
    }

    #[test]
    fn the_view_follows_the_selection() {
        let mut state = list(100, 10);
        for _ in 0..7 {
            state.down();
        }
        assert_eq!((state.selected(), state.offset()), (Some(7), 0));
        state.down();
        assert_eq!((state.selected(), state.offset()), (Some(8), 1));
        state.up();
        assert_eq!((state.selected(), state.offset()), (Some(7), 1));
    }

    #[test]
    fn pages_and_ends() {
        let mut state = list(100, 10);
        state.page_down();
        assert_eq!(state.selected(), Some(9));
        state.end();
        assert_eq!((state.selected(), state.visible()), (Some(99), 90..100));
        assert!(!state.more_below() && state.more_above());
        state.page_up();
        assert_eq!(state.selected(), Some(90));
        state.home();
        assert_eq!((state.selected(), state.offset()), (Some(0), 0));
    }

    #[test]
    fn a_text_scrolls_without_selection() {
        let mut state = ScrollState::text();
        state.resize(30, 10);
        state.page_down();
        assert_eq!((state.selected(), state.visible()), (None, 9..19));
        state.half_up();
        assert_eq!(state.offset(), 5);
        state.end();
        assert_eq!((state.offset(), state.percent()), (20, 100));
    }

    #[test]
    fn resizing_keeps_the_selection_in_view() {
        let mut state = list(100, 40);
        state.select(30);
        state.resize(100, 5);
        assert!(state.visible().contains(&30));
        state.resize(20, 5);
        assert_eq!(state.selected(), Some(19));
        state.resize(0, 5);
        assert_eq!((state.selected(), state.visible()), (None, 0..0));
    }

    #[test]
    fn a_taller_view_leaves_no_gap_at_the_end() {
        let mut state = ScrollState::text();
        state.resize(30, 10);
        state.end();
        state.resize(30, 25);
        assert_eq!(state.visible(), 5..30);
    }

    #[test]
    fn the_wheel_takes_the_selection_along_only_when_it_must() {
        let mut state = list(100, 10);
        state.select(5);
        state.scroll_by(3);
        assert_eq!((state.offset(), state.selected()), (3, Some(5)));
        state.scroll_by(3);
        assert_eq!((state.offset(), state.selected()), (6, Some(8)));
        state.scroll_by(-99);
        assert_eq!((state.offset(), state.selected()), (0, Some(7)));
    }

    #[test]
    fn a_thumb_touches_both_ends() {
        let mut state = list(100, 10);
        assert_eq!(state.thumb(), Some(0..1));
        state.end();
        assert_eq!(state.thumb(), Some(9..10));
        assert_eq!(list(5, 10).thumb(), None);
    }

    proptest! {
        #[test]
        fn nothing_leaves_its_bounds(steps in prop::collection::vec((0u8..11, 0usize..60, 0usize..20), 1..60), selects: bool) {
            let mut state = if selects { ScrollState::list() } else { ScrollState::text() };
            for (kind, a, b) in steps {
                match kind {
                    0 => state.resize(a, b),
                    1 => state.up(),
                    2 => state.down(),
                    3 => state.page_up(),
                    4 => state.page_down(),
                    5 => state.half_up(),
                    6 => state.half_down(),
                    7 => state.home(),
                    8 => state.end(),
                    9 => state.scroll_by(a as isize - b as isize),
                    _ => state.show(a),
                }
                prop_assert!(state.visible().end <= state.len());
                prop_assert!(state.visible().len() == state.height.min(state.len));
                if let Some(selected) = state.selected() {
                    prop_assert!(selected < state.len());
                    prop_assert!(state.height == 0 || state.visible().contains(&selected), "{state:?}");
                }
            }
        }
    }
}
