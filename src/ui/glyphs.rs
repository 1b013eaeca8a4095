//! The marks: one set for terminals that speak UTF-8, one for those that do not. Each mark is one column wide in both
//! sets, so no layout depends on the set.

/// What the terminal can print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Charset {
    /// UTF-8.
    #[default]
    Unicode,
    /// Only ASCII.
    Ascii,
}

/// The marks of a [`Charset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Glyphs {
    /// The set.
    pub charset: Charset,
    /// Accepted, passed.
    pub accepted: &'static str,
    /// Wrong, failed.
    pub wrong: &'static str,
    /// Not tried.
    pub untried: &'static str,
    /// Tried, not accepted.
    pub tried: &'static str,
    /// Running, waiting.
    pub running: &'static str,
    /// Take care.
    pub warning: &'static str,
    /// One star of the tier.
    pub star: &'static str,
    /// A star that is not given.
    pub no_star: &'static str,
    /// Points at the selected or the first different row.
    pub arrow: &'static str,
    /// Points back: "you are here".
    pub back: &'static str,
    /// More above.
    pub up: &'static str,
    /// More below.
    pub down: &'static str,
    /// The left edge of the selected row.
    pub marker: &'static str,
    /// Left margin of a code block or quotation.
    pub margin: &'static str,
    /// Separator of words in a line: "embedded · cpu".
    pub dot: &'static str,
    /// A list item.
    pub bullet: &'static str,
    /// A list item one level further in.
    pub bullet_inner: &'static str,
    /// Something was cut off.
    pub ellipsis: &'static str,
    /// Vertical rule.
    pub vertical: &'static str,
    /// Horizontal rule.
    pub horizontal: &'static str,
    /// Where the two cross.
    pub cross: &'static str,
    /// A scroll bar's thumb.
    pub thumb: &'static str,
    /// The text's cursor, an empty place to be filled.
    pub cursor: &'static str,
    /// Times, as in 7×16.
    pub times: &'static str,
    /// Not equal.
    pub not_equal: &'static str,
    /// Minus sign and "removed".
    pub minus: &'static str,
    /// Infinity.
    pub infinity: &'static str,
    /// Dash in a sentence.
    pub dash: &'static str,
    /// Square root.
    pub root: &'static str,
    /// Difference of a value.
    pub delta: &'static str,
    /// Five steps of filling, empty first.
    pub shades: [&'static str; 5],
    /// Upper half of a cell; none where only ASCII is printed.
    pub upper_half: Option<&'static str>,
    /// Eighths of a cell from the left, seven of them; empty where only ASCII is printed.
    pub eighths: &'static [&'static str],
    /// A full cell of a bar.
    pub bar: &'static str,
    /// A full cell of a bar of something removed.
    pub bar_removed: &'static str,
    /// A mark on a bar.
    pub tick: &'static str,
    /// Frames of the running mark.
    pub spinner: &'static [&'static str],
}

const UNICODE: Glyphs = Glyphs {
    charset: Charset::Unicode,
    accepted: "✓",
    wrong: "✗",
    untried: "·",
    tried: "◦",
    running: "…",
    warning: "!",
    star: "★",
    no_star: "☆",
    arrow: "→",
    back: "←",
    up: "↑",
    down: "↓",
    marker: "▌",
    margin: "▏",
    dot: "·",
    bullet: "•",
    bullet_inner: "◦",
    ellipsis: "…",
    vertical: "│",
    horizontal: "─",
    cross: "┼",
    thumb: "┃",
    cursor: "▁",
    times: "×",
    not_equal: "≠",
    minus: "−",
    infinity: "∞",
    dash: "–",
    root: "√",
    delta: "Δ",
    shades: [" ", "░", "▒", "▓", "█"],
    upper_half: Some("▀"),
    eighths: &["▏", "▎", "▍", "▌", "▋", "▊", "▉"],
    bar: "█",
    bar_removed: "░",
    tick: "│",
    spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ASCII: Glyphs = Glyphs {
    charset: Charset::Ascii,
    accepted: "+",
    wrong: "x",
    untried: ".",
    tried: "o",
    running: "~",
    warning: "!",
    star: "*",
    no_star: " ",
    arrow: ">",
    back: "<",
    up: "^",
    down: "v",
    marker: ">",
    margin: "|",
    dot: "-",
    bullet: "*",
    bullet_inner: "-",
    ellipsis: "~",
    vertical: "|",
    horizontal: "-",
    cross: "+",
    thumb: "#",
    cursor: "_",
    times: "x",
    not_equal: "#",
    minus: "-",
    infinity: "I",
    dash: "-",
    root: "V",
    delta: "d",
    shades: [" ", ":", "o", "%", "@"],
    upper_half: None,
    eighths: &[],
    bar: "#",
    bar_removed: ":",
    tick: "|",
    spinner: &["|", "/", "-", "\\"],
};

impl Glyphs {
    /// The marks of a set.
    pub fn new(charset: Charset) -> Self {
        match charset {
            Charset::Unicode => UNICODE,
            Charset::Ascii => ASCII,
        }
    }

    /// Whether only ASCII is printed.
    pub fn is_ascii(&self) -> bool {
        self.charset == Charset::Ascii
    }

    /// `count` stars of five, always five columns: "★★★  ".
    pub fn stars(&self, count: u8) -> String {
        let count = usize::from(count.min(5));
        self.star.repeat(count) + &" ".repeat(5 - count)
    }

    /// The shade of a place between 0 (empty) and 1 (full); only 0 itself is empty.
    pub fn shade(&self, at: f64) -> &'static str {
        let step = (at.clamp(0.0, 1.0) * 4.0).ceil() as usize;
        self.shades[step.min(4)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn all(glyphs: &Glyphs) -> Vec<&'static str> {
        let g = glyphs;
        let mut list = vec![
            g.accepted,
            g.wrong,
            g.untried,
            g.tried,
            g.running,
            g.warning,
            g.star,
            g.no_star,
            g.arrow,
            g.back,
            g.up,
            g.down,
            g.marker,
            g.margin,
            g.dot,
            g.bullet,
            g.bullet_inner,
            g.ellipsis,
            g.vertical,
            g.horizontal,
            g.cross,
            g.thumb,
            g.cursor,
            g.times,
            g.not_equal,
            g.minus,
            g.infinity,
            g.dash,
            g.root,
            g.delta,
            g.bar,
            g.bar_removed,
            g.tick,
        ];
        list.extend(g.shades);
        list.extend(g.upper_half);
        list.extend(g.eighths);
        list.extend(g.spinner);
        list
    }

    #[test]
    fn every_mark_is_one_column() {
        for set in [Charset::Unicode, Charset::Ascii] {
            for glyph in all(&Glyphs::new(set)) {
                assert_eq!(glyph.width(), 1, "{glyph:?}");
            }
        }
    }

    #[test]
    fn the_ascii_set_is_ascii() {
        assert!(all(&ASCII).iter().all(|glyph| glyph.is_ascii()));
    }

    #[test]
    fn marks_that_stand_for_different_things_differ() {
        for g in [UNICODE, ASCII] {
            let states = [g.accepted, g.wrong, g.untried, g.tried, g.running];
            for (i, a) in states.iter().enumerate() {
                assert!(states[i + 1..].iter().all(|b| a != b), "{a:?} stands for two states");
            }
        }
    }

    #[test]
    fn shades_cover_the_range() {
        assert_eq!(UNICODE.shade(0.0), " ");
        assert_eq!(UNICODE.shade(1e-9), "░");
        assert_eq!(UNICODE.shade(0.5), "▒");
        assert_eq!(UNICODE.shade(1.0), "█");
        assert_eq!(UNICODE.shade(f64::NAN), " ");
    }
}
