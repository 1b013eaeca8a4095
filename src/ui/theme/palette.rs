//! The colours themselves: each meaning once for a dark and once for a light background.

use super::colour::{Rgb, nearest, shown};
use super::{Background, Depth, Glyphs, Theme};
use ratatui::style::{Color, Modifier, Style};

/// One colour at every depth.
#[derive(Clone, Copy)]
struct Ink {
    rgb: Rgb,
    /// `Reset` where the terminal's own colour is meant.
    sixteen: Color,
}

const fn ink(rgb: Rgb, sixteen: Color) -> Ink {
    Ink { rgb, sixteen }
}

/// The colours of one background. Good and bad differ in lightness too, for eyes that do not tell them by hue.
struct Inks {
    accent: Ink,
    dim: Ink,
    rule: Ink,
    good: Ink,
    bad: Ink,
    warn: Ink,
    info: Ink,
    keyword: Ink,
    function: Ink,
    kind: Ink,
    string: Ink,
    number: Ink,
    comment: Ink,
    macros: Ink,
    odd: Ink,
    on_selected: Ink,
    selected: Ink,
    selected_unfocused: Ink,
    found: Ink,
    added: Ink,
    added_word: Ink,
    removed: Ink,
    removed_word: Ink,
    probability: [Ink; 5],
}

const DARK: Inks = Inks {
    accent: ink(0x7cc7ff, Color::LightCyan),
    dim: ink(0xa3a9b2, Color::Reset),
    rule: ink(0x565c66, Color::DarkGray),
    good: ink(0xa5e8a8, Color::LightGreen),
    bad: ink(0xff7f6b, Color::LightRed),
    warn: ink(0xe9c46a, Color::LightYellow),
    info: ink(0xa9c4e0, Color::Cyan),
    keyword: ink(0xd7a6ec, Color::LightMagenta),
    function: ink(0x8cc4ff, Color::LightBlue),
    kind: ink(0x7fd6c8, Color::LightCyan),
    string: ink(0xb9d98c, Color::LightGreen),
    number: ink(0xf0b58a, Color::LightYellow),
    comment: ink(0x9aa3ae, Color::Reset),
    macros: ink(0xe3b0d8, Color::Magenta),
    odd: ink(0xff9df0, Color::LightMagenta),
    on_selected: ink(0xffffff, Color::Reset),
    selected: ink(0x274863, Color::Reset),
    selected_unfocused: ink(0x30353d, Color::Reset),
    found: ink(0xffd866, Color::LightYellow),
    added: ink(0x18331f, Color::Reset),
    added_word: ink(0x23613a, Color::Reset),
    removed: ink(0x421d1a, Color::Reset),
    removed_word: ink(0x7a2a22, Color::Reset),
    probability: [
        ink(0xffffff, Color::White),
        ink(0xb8dcff, Color::Reset),
        ink(0x7cc7ff, Color::LightCyan),
        ink(0xe9c46a, Color::LightYellow),
        ink(0xff9a6b, Color::LightRed),
    ],
};

const LIGHT: Inks = Inks {
    accent: ink(0x005a9e, Color::Blue),
    dim: ink(0x5a6068, Color::Reset),
    rule: ink(0xb4bac2, Color::Gray),
    good: ink(0x005222, Color::Green),
    bad: ink(0xcf2a1c, Color::Red),
    warn: ink(0x7a5600, Color::Magenta),
    info: ink(0x3a5a7a, Color::Blue),
    keyword: ink(0x7a2f9c, Color::Magenta),
    function: ink(0x00539c, Color::Blue),
    kind: ink(0x00645e, Color::Blue),
    string: ink(0x3f6212, Color::Green),
    number: ink(0x8f4a12, Color::Red),
    comment: ink(0x5f6670, Color::Reset),
    macros: ink(0x8a2f6f, Color::Magenta),
    odd: ink(0x9c1a8a, Color::Magenta),
    on_selected: ink(0x0b1d2c, Color::Reset),
    selected: ink(0xc4e0f7, Color::Reset),
    selected_unfocused: ink(0xe3e7ec, Color::Reset),
    found: ink(0x7a4a00, Color::Magenta),
    added: ink(0xd9f2df, Color::Reset),
    added_word: ink(0xa5e0b4, Color::Reset),
    removed: ink(0xfde3df, Color::Reset),
    removed_word: ink(0xf7b9b0, Color::Reset),
    probability: [
        ink(0x000000, Color::Black),
        ink(0x003a66, Color::Reset),
        ink(0x005a9e, Color::Blue),
        ink(0x7a5600, Color::Magenta),
        ink(0xa02000, Color::Red),
    ],
};

/// Draws styles at one depth.
struct Pen {
    depth: Depth,
}

impl Pen {
    fn colour(&self, ink: Ink) -> Option<Color> {
        match self.depth {
            Depth::TrueColor => Some(shown(ink.rgb)),
            Depth::Indexed => Some(Color::Indexed(nearest(ink.rgb))),
            Depth::Ansi16 => Some(ink.sixteen),
            Depth::None => None,
        }
    }

    fn fg(&self, ink: Ink) -> Style {
        Style { fg: self.colour(ink), ..Style::new() }
    }

    /// A colour, and the modifier that stands in for it where there is none.
    fn or(&self, ink: Ink, plain: Modifier) -> Style {
        let style = self.fg(ink);
        if self.depth == Depth::None { style.add_modifier(plain) } else { style }
    }

    /// Quieter text: a grey where there are greys, else the terminal's own dim.
    fn quiet(&self, ink: Ink) -> Style {
        if self.depth >= Depth::Indexed { self.fg(ink) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    /// A tinted background; with sixteen colours there is no tint, so the modifier says it.
    fn tint(&self, bg: Ink, few: Modifier) -> Style {
        if self.depth >= Depth::Indexed {
            Style { bg: self.colour(bg), ..Style::new() }
        } else {
            Style::new().add_modifier(few)
        }
    }

    fn selected(&self, inks: &Inks) -> Style {
        if self.depth >= Depth::Indexed {
            let style = Style { fg: self.colour(inks.on_selected), bg: self.colour(inks.selected), ..Style::new() };
            return style.add_modifier(Modifier::BOLD);
        }
        let bare = if self.depth == Depth::None { None } else { Some(Color::Reset) };
        Style { fg: bare, bg: bare, ..Style::new() }.add_modifier(Modifier::REVERSED)
    }

    fn added(&self, inks: &Inks) -> Style {
        match self.depth {
            Depth::None => Style::new(),
            Depth::Ansi16 => self.fg(inks.good),
            _ => self.tint(inks.added, Modifier::empty()),
        }
    }

    fn removed(&self, inks: &Inks) -> Style {
        match self.depth {
            Depth::None => Style::new(),
            Depth::Ansi16 => self.fg(inks.bad),
            _ => self.tint(inks.removed, Modifier::empty()),
        }
    }

    fn probability(&self, inks: &Inks) -> [Style; 5] {
        const PLAIN: [Modifier; 5] =
            [Modifier::BOLD, Modifier::empty(), Modifier::DIM, Modifier::UNDERLINED, Modifier::REVERSED];
        let mut steps = [Style::new(); 5];
        for ((step, ink), plain) in steps.iter_mut().zip(inks.probability).zip(PLAIN) {
            *step = self.or(ink, plain);
        }
        steps[0] = steps[0].add_modifier(Modifier::BOLD);
        steps[4] = steps[4].add_modifier(Modifier::UNDERLINED);
        steps
    }
}

/// The theme.
pub(super) fn theme(background: Background, depth: Depth, glyphs: Glyphs) -> Theme {
    let inks = if background == Background::Dark { &DARK } else { &LIGHT };
    let pen = Pen { depth };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    Theme {
        background,
        depth,
        glyphs,
        accent: pen.or(inks.accent, Modifier::BOLD),
        text: Style::new(),
        dim: pen.quiet(inks.dim),
        strong: bold,
        heading: pen.fg(inks.accent).add_modifier(Modifier::BOLD),
        rule: pen.or(inks.rule, Modifier::DIM),
        faint: pen.or(inks.rule, Modifier::DIM).add_modifier(Modifier::ITALIC),
        good: pen.fg(inks.good),
        bad: pen.or(inks.bad, Modifier::BOLD),
        warn: pen.or(inks.warn, Modifier::BOLD),
        info: pen.fg(inks.info),
        selected: pen.selected(inks),
        selected_unfocused: pen.tint(inks.selected_unfocused, Modifier::UNDERLINED),
        found: pen.fg(inks.found).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        key: pen.fg(inks.accent).add_modifier(Modifier::BOLD),
        key_text: pen.quiet(inks.dim),
        star: pen.fg(inks.warn),
        emphasis: Style::new().add_modifier(Modifier::ITALIC),
        link: pen.fg(inks.accent).add_modifier(Modifier::UNDERLINED),
        code: pen.or(inks.kind, Modifier::BOLD),
        code_keyword: pen.or(inks.keyword, Modifier::BOLD),
        code_function: pen.fg(inks.function),
        code_type: pen.fg(inks.kind),
        code_string: pen.fg(inks.string),
        code_number: pen.fg(inks.number),
        code_comment: pen.quiet(inks.comment).add_modifier(Modifier::ITALIC),
        code_macro: pen.fg(inks.macros),
        code_punctuation: pen.quiet(inks.dim).remove_modifier(Modifier::DIM),
        diff_added: pen.added(inks),
        diff_added_word: pen.added(inks).patch(pen.tint(inks.added_word, Modifier::UNDERLINED)).patch(bold),
        diff_removed: pen.removed(inks),
        diff_removed_word: pen.removed(inks).patch(pen.tint(inks.removed_word, Modifier::UNDERLINED)).patch(bold),
        line_number: pen.quiet(inks.dim),
        bar: pen.fg(inks.accent),
        bar_removed: pen.quiet(inks.dim),
        odd: pen.or(inks.odd, Modifier::REVERSED).add_modifier(Modifier::BOLD),
        probability: pen.probability(inks),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Charset;
    use super::super::colour::{contrast, lightness, rgb};
    use super::*;

    /// Backgrounds people have: plain, VS Code, One, Solarized, Gruvbox, Tokyo Night, Catppuccin.
    const DARK_GROUNDS: [Rgb; 7] = [0x000000, 0x1e1e1e, 0x282c34, 0x002b36, 0x282828, 0x1a1b26, 0x1e1e2e];
    const LIGHT_GROUNDS: [Rgb; 5] = [0xffffff, 0xfafafa, 0xfdf6e3, 0xfbf1c7, 0xeff1f5];

    fn readable(theme: &Theme) -> Vec<(&'static str, Style)> {
        let t = theme;
        let mut list = vec![
            ("accent", t.accent),
            ("dim", t.dim),
            ("heading", t.heading),
            ("good", t.good),
            ("bad", t.bad),
            ("warn", t.warn),
            ("info", t.info),
            ("selected", t.selected),
            ("found", t.found),
            ("key", t.key),
            ("key_text", t.key_text),
            ("star", t.star),
            ("link", t.link),
            ("code", t.code),
            ("code_keyword", t.code_keyword),
            ("code_function", t.code_function),
            ("code_type", t.code_type),
            ("code_string", t.code_string),
            ("code_number", t.code_number),
            ("code_comment", t.code_comment),
            ("code_macro", t.code_macro),
            ("code_punctuation", t.code_punctuation),
            ("line_number", t.line_number),
            ("bar", t.bar),
            ("odd", t.odd),
        ];
        list.extend(t.probability.iter().map(|style| ("probability", *style)));
        list
    }

    fn themes() -> impl Iterator<Item = Theme> {
        let depths = [Depth::TrueColor, Depth::Indexed];
        let grounds = [Background::Dark, Background::Light];
        grounds.into_iter().flat_map(move |g| depths.map(|d| Theme::new(g, d, Charset::Unicode)))
    }

    #[test]
    fn every_text_colour_can_be_read() {
        let mut poor = Vec::new();
        for theme in themes() {
            let dark = theme.background == Background::Dark;
            let grounds: &[Rgb] = if dark { &DARK_GROUNDS } else { &LIGHT_GROUNDS };
            for (name, style) in readable(&theme) {
                let Some(fg) = style.fg.and_then(rgb) else { continue };
                for &ground in style.bg.and_then(rgb).as_ref().map_or(grounds, std::slice::from_ref) {
                    let ratio = contrast(fg, ground);
                    if ratio < 4.5 {
                        poor.push(format!(
                            "{:?} {:?} {name} on {ground:06x}: {ratio:.2}",
                            theme.background, theme.depth
                        ));
                    }
                }
            }
        }
        assert!(poor.is_empty(), "{}", poor.join("\n"));
    }

    #[test]
    fn code_can_be_read_on_the_tints_of_a_diff() {
        let mut poor = Vec::new();
        for theme in themes() {
            let tints = [theme.diff_added, theme.diff_removed, theme.diff_added_word, theme.diff_removed_word];
            let own = if theme.background == Background::Dark { 0xd4d4d4 } else { 0x1f2328 };
            for ground in tints.iter().filter_map(|tint| tint.bg.and_then(rgb)) {
                let ratio = contrast(own, ground);
                if ratio < 4.5 {
                    poor.push(format!("{:?} {:?} text on {ground:06x}: {ratio:.2}", theme.background, theme.depth));
                }
            }
        }
        assert!(poor.is_empty(), "{}", poor.join("\n"));
    }

    #[test]
    fn good_and_bad_differ_in_lightness() {
        for theme in themes() {
            let of = |style: Style| lightness(style.fg.and_then(rgb).expect("a colour at this depth"));
            let apart = (of(theme.good) - of(theme.bad)).abs();
            assert!(apart >= 10.0, "{:?} {:?}: {apart:.1}", theme.background, theme.depth);
        }
    }

    #[test]
    fn without_colour_there_is_none() {
        let text = format!("{:?}", Theme::plain(Charset::Unicode));
        for word in ["Rgb", "Indexed(", "fg: Some", "bg: Some"] {
            assert!(!text.contains(word), "{word}");
        }
    }

    #[test]
    fn without_colour_the_important_styles_still_differ() {
        let t = Theme::plain(Charset::Unicode);
        assert_ne!(t.selected, t.text);
        assert_ne!(t.selected, t.selected_unfocused);
        assert_ne!(t.bad, t.good);
        assert_ne!(t.diff_added_word, t.diff_added);
        for (i, a) in t.probability.iter().enumerate() {
            assert!(t.probability[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn sixteen_colours_are_only_names() {
        let text = format!("{:?}", Theme::light(Depth::Ansi16, Charset::Unicode));
        assert!(!text.contains("Rgb") && !text.contains("Indexed("));
        assert!(!text.contains("Yellow"), "yellow cannot be read on white");
    }
}
