//! Text that is typed, with a cursor in it.

use crate::app::key::{Code, Key};

/// A text and the place in it where the next character goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    /// In bytes, always at a character's edge.
    cursor: usize,
}

impl Text {
    /// A text with the cursor at its end.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len() }
    }

    /// The whole.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands before the cursor, and what after it.
    pub fn around(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Puts text at the cursor. Control characters other than line ends are left out; a tab is a blank.
    pub fn insert(&mut self, text: &str) {
        for c in text.replace("\r\n", "\n").chars() {
            let c = match c {
                '\r' => '\n',
                '\t' => ' ',
                c => c,
            };
            if c == '\n' || !c.is_control() {
                self.text.insert(self.cursor, c);
                self.cursor += c.len_utf8();
            }
        }
    }

    /// What a key does to it. Enter and escape are the caller's.
    pub fn press(&mut self, key: Key) {
        match key {
            Key { code: Code::Left, .. } | Key { code: Code::Char('b'), ctrl: true } => self.cursor = self.before(),
            Key { code: Code::Right, .. } | Key { code: Code::Char('f'), ctrl: true } => self.cursor = self.after(),
            Key { code: Code::Home, .. } | Key { code: Code::Char('a'), ctrl: true } => self.cursor = self.line_start(),
            Key { code: Code::End, .. } | Key { code: Code::Char('e'), ctrl: true } => self.cursor = self.line_end(),
            Key { code: Code::Up, .. } => self.up(),
            Key { code: Code::Down, .. } => self.down(),
            Key { code: Code::Backspace, .. } => self.remove(self.before(), self.cursor),
            Key { code: Code::Delete, .. } => self.remove(self.cursor, self.after()),
            Key { code: Code::Char('u'), ctrl: true } => self.remove(self.line_start(), self.cursor),
            Key { code: Code::Char('k'), ctrl: true } => self.remove(self.cursor, self.line_end()),
            Key { code: Code::Char('w'), ctrl: true } => self.remove(self.word_start(), self.cursor),
            _ => {
                if let Some(c) = key.typed() {
                    self.insert(c.encode_utf8(&mut [0; 4]));
                }
            }
        }
    }

    fn before(&self) -> usize {
        self.around().0.char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.cursor + self.around().1.chars().next().map_or(0, char::len_utf8)
    }

    fn line_start(&self) -> usize {
        self.around().0.rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.around().1.find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    fn word_start(&self) -> usize {
        let before = self.around().0.trim_end_matches(' ');
        before.rfind([' ', '\n']).map_or(0, |at| at + 1)
    }

    /// Characters between the start of the line and the cursor.
    fn column(&self) -> usize {
        self.text[self.line_start()..self.cursor].chars().count()
    }

    /// The place of a column in the line that begins at `start`, or that line's end.
    fn place(&self, start: usize, column: usize) -> usize {
        let line = self.text[start..].split('\n').next().unwrap_or_default();
        start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
    }

    fn up(&mut self) {
        let (column, start) = (self.column(), self.line_start());
        let above = self.text[..start.saturating_sub(1)].rfind('\n').map_or(0, |at| at + 1);
        self.cursor = if start == 0 { 0 } else { self.place(above, column) };
    }

    fn down(&mut self) {
        let (column, end) = (self.column(), self.line_end());
        self.cursor = if end == self.text.len() { end } else { self.place(end + 1, column) };
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pressed(text: &str, keys: &str) -> (String, String) {
        let mut text = Text::new(text);
        keys.split_whitespace().for_each(|key| text.press(key.parse().expect("a key")));
        (text.around().0.to_owned(), text.around().1.to_owned())
    }

    fn parts(before: &str, after: &str) -> (String, String) {
        (before.to_owned(), after.to_owned())
    }

    #[test]
    fn moves_and_removes_by_characters() {
        assert_eq!(pressed("naïve", "← ← ←"), parts("na", "ïve"));
        assert_eq!(pressed("naïve", "← ← backspace"), parts("na", "ve"));
        assert_eq!(pressed("naïve", "home delete →"), parts("a", "ïve"));
        assert_eq!(pressed("to be or", "ctrl-w"), parts("to be ", ""));
        assert_eq!(pressed("to be or", "← ← ctrl-k"), parts("to be ", ""));
        assert_eq!(pressed("", "backspace delete ← → ↑ ↓"), parts("", ""));
    }

    #[test]
    fn moves_between_lines_and_keeps_the_column_where_it_can() {
        assert_eq!(pressed("first\nx\nthird", "↑"), parts("first\nx", "\nthird"));
        assert_eq!(pressed("first\nsecond", "↑"), parts("first", "\nsecond"));
        assert_eq!(pressed("first\nsecond", "← ← ← ↑"), parts("fir", "st\nsecond"));
        assert_eq!(pressed("first\nsecond", "home ↑ ↓"), parts("first\n", "second"));
        assert_eq!(pressed("first\nsecond", "ctrl-u"), parts("first\n", ""));
    }

    #[test]
    fn pasted_text_keeps_its_lines_and_loses_its_controls() {
        let mut text = Text::new("ab");
        text.press("←".parse().expect("a key"));
        text.insert("1\r\n2\u{1b}[3\t4\r");
        assert_eq!(text.as_str(), "a1\n2[3 4\nb");
    }

    proptest! {
        #[test]
        fn whatever_is_pressed_the_cursor_stands_between_characters(
            text in "[a-zé漢\n ]{0,12}",
            keys in prop::collection::vec(prop::sample::select(vec![
                "←", "→", "↑", "↓", "home", "end", "backspace", "delete", "ctrl-u", "ctrl-k", "ctrl-w", "x", "é",
            ]), 0..24),
        ) {
            let mut text = Text::new(&text);
            for key in keys {
                text.press(key.parse().expect("a key"));
                let (before, after) = text.around();
                prop_assert_eq!(format!("{before}{after}"), text.as_str());
            }
        }
    }
}
