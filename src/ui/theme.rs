//! Styles by meaning, never by colour name. A screen asks for `theme.bad`; what that is depends on the background, on
//! what the terminal can show and on the reader's wishes. No meaning rests on colour alone: every style that says
//! something has a glyph beside it or a modifier in it.

mod colour;
mod palette;
mod scale;

pub use super::glyphs::{Charset, Glyphs};
use ratatui::style::{Color, Style};
pub use scale::Scale;

/// The terminal's background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Background {
    /// Light text on dark.
    #[default]
    Dark,
    /// Dark text on light.
    Light,
}

/// How many colours the terminal shows, fewest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// No colour at all (`NO_COLOR`): modifiers and glyphs carry everything.
    None,
    /// The sixteen of the terminal's own palette.
    Ansi16,
    /// The 256-colour cube.
    Indexed,
    /// 24 bits.
    #[default]
    TrueColor,
}

/// Every style that a screen may use, and the glyphs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Theme {
    /// What it was made for.
    pub background: Background,
    /// What it was made for.
    pub depth: Depth,
    /// Marks, bars, rules.
    pub glyphs: Glyphs,

    /// Focus: the one accent.
    pub accent: Style,
    /// Running text: the terminal's own.
    pub text: Style,
    /// Less important text, still readable (contrast 4.5).
    pub dim: Style,
    /// More important text.
    pub strong: Style,
    /// Headings and titles.
    pub heading: Style,
    /// Rules and margins; need not be read.
    pub rule: Style,
    /// What is there and not meant now; need not be read.
    pub faint: Style,
    /// Right, accepted, passed. Always with a glyph.
    pub good: Style,
    /// Wrong, failed. Always with a glyph.
    pub bad: Style,
    /// Take care.
    pub warn: Style,
    /// Worth knowing.
    pub info: Style,
    /// The selected row: patch the whole line with it.
    pub selected: Style,
    /// The selected row of a list that has no focus.
    pub selected_unfocused: Style,
    /// Where a search matched.
    pub found: Style,
    /// A key in the footer and in the help.
    pub key: Style,
    /// What the key does.
    pub key_text: Style,
    /// The stars of the tier.
    pub star: Style,
    /// `*emphasis*`.
    pub emphasis: Style,
    /// Links.
    pub link: Style,
    /// Inline code.
    pub code: Style,

    /// Code: `fn`, `let`, `impl`.
    pub code_keyword: Style,
    /// Code: names of functions where they are defined or called.
    pub code_function: Style,
    /// Code: types, traits, lifetimes.
    pub code_type: Style,
    /// Code: strings and characters.
    pub code_string: Style,
    /// Code: numbers and constants.
    pub code_number: Style,
    /// Code: comments.
    pub code_comment: Style,
    /// Code: macros and attributes.
    pub code_macro: Style,
    /// Code: operators and brackets.
    pub code_punctuation: Style,

    /// Diff: a line that came.
    pub diff_added: Style,
    /// Diff: the words of it that are new.
    pub diff_added_word: Style,
    /// Diff: a line that went.
    pub diff_removed: Style,
    /// Diff: the words of it that are gone.
    pub diff_removed_word: Style,
    /// Diff and code: line numbers.
    pub line_number: Style,

    /// Bars: what is kept.
    pub bar: Style,
    /// Bars: what was removed; shaded glyphs beside it.
    pub bar_removed: Style,
    /// Values that are no numbers: NaN and the infinities.
    pub odd: Style,
    /// Text by probability, most likely first, in five steps.
    pub probability: [Style; 5],
}

impl Theme {
    /// For a background and what the terminal can show.
    pub fn new(background: Background, depth: Depth, charset: Charset) -> Self {
        palette::theme(background, depth, Glyphs::new(charset))
    }

    /// Light text on dark.
    pub fn dark(depth: Depth, charset: Charset) -> Self {
        Self::new(Background::Dark, depth, charset)
    }

    /// Dark text on light.
    pub fn light(depth: Depth, charset: Charset) -> Self {
        Self::new(Background::Light, depth, charset)
    }

    /// Without colour.
    pub fn plain(charset: Charset) -> Self {
        Self::new(Background::Dark, Depth::None, charset)
    }

    /// Whether there is any colour.
    pub fn has_colour(&self) -> bool {
        self.depth > Depth::None
    }

    /// The style of a token of this probability (0 to 1), one of [`Theme::probability`].
    pub fn by_probability(&self, probability: f64) -> Style {
        let step = match probability {
            p if p >= 0.5 => 0,
            p if p >= 0.2 => 1,
            p if p >= 0.05 => 2,
            p if p >= 0.01 => 3,
            _ => 4,
        };
        self.probability[step]
    }

    /// The colour of a place `at` on a scale, or none where the terminal cannot show the steps (16 colours and fewer):
    /// then [`Glyphs::shades`] say it. Diverging: −1 to 1. Sequential: 0 to 1. Values beyond are the ends.
    pub fn heat(&self, scale: Scale, at: f64) -> Option<Color> {
        scale::colour(scale, at, self.background, self.depth)
    }

    /// Whether [`Theme::heat`] gives colours.
    pub fn has_heat(&self) -> bool {
        self.depth >= Depth::Indexed
    }

    /// Any colour, in what the terminal can show.
    pub fn reduce(&self, style: Style) -> Style {
        colour::reduce(style, self)
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self::dark(Depth::TrueColor, Charset::Unicode)
    }
}
