//! What the terminal can show, from the environment alone; and the theme that follows from it.

use super::background::{self, Detected};
use crate::ui::theme::{Background, Charset, Depth, Theme};

/// What `LOGITLINGS_THEME` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// `dark`.
    Dark,
    /// `light`.
    Light,
    /// `plain`: no colour.
    Plain,
}

/// What the environment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// How many colours.
    pub depth: Depth,
    /// Which marks.
    pub charset: Charset,
    /// The reader's own choice.
    pub wish: Option<Wish>,
    /// The background, where a variable gives it away.
    pub background: Option<Background>,
}

/// The theme, and whether the terminal still owes an answer ([`Session::start`](super::Session::start) wants to know).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The theme.
    pub theme: Theme,
    /// The terminal was asked for its background and has not answered.
    pub late_reply: bool,
}

/// Chooses the theme: the reader's wish, else what the terminal answers, else dark. Asks the terminal at most once; call
/// it before the session starts.
pub fn look() -> Look {
    Capabilities::from_env(|name| std::env::var(name).ok()).look(background::detect)
}

impl Capabilities {
    /// Reads the environment, given as a function.
    pub fn from_env(env: impl Fn(&str) -> Option<String>) -> Self {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let wish = match env("LOGITLINGS_THEME").as_deref().map(str::trim) {
            Some("dark") => Some(Wish::Dark),
            Some("light") => Some(Wish::Light),
            Some("plain") => Some(Wish::Plain),
            _ => None,
        };
        let plain = wish == Some(Wish::Plain) || env("NO_COLOR").is_some();
        let depth = if plain { Depth::None } else { depth(&env) };
        Self { depth, charset: charset(&env), wish, background: env("COLORFGBG").as_deref().and_then(from_colorfgbg) }
    }

    /// The theme; `detect` is called only where nothing else decides.
    pub fn look(self, detect: impl FnOnce() -> Detected) -> Look {
        let (background, late_reply) = match (self.wish, self.depth, self.background) {
            (Some(Wish::Light), ..) => (Background::Light, false),
            (Some(Wish::Dark), ..) | (_, Depth::None, _) => (Background::Dark, false),
            (_, _, Some(background)) => (background, false),
            _ => {
                let detected = detect();
                (detected.or_dark(), detected == Detected::TimedOut)
            }
        };
        Look { theme: Theme::new(background, self.depth, self.charset), late_reply }
    }
}

fn depth(env: &impl Fn(&str) -> Option<String>) -> Depth {
    let term = env("TERM").unwrap_or_default();
    if term == "dumb"
        || term.ends_with("-m")
        || term.ends_with("-mono")
        || term.starts_with("vt1")
        || term.starts_with("vt2")
    {
        return Depth::None;
    }
    if matches!(env("COLORTERM").as_deref(), Some("truecolor" | "24bit")) || term.ends_with("-direct") {
        return Depth::TrueColor;
    }
    const RICH: [&str; 7] = ["kitty", "alacritty", "wezterm", "foot", "ghostty", "contour", "rio"];
    if RICH.iter().any(|name| term.contains(name)) || env("WT_SESSION").is_some() {
        return Depth::TrueColor;
    }
    match env("TERM_PROGRAM").as_deref() {
        Some("iTerm.app" | "WezTerm" | "vscode" | "ghostty") => Depth::TrueColor,
        _ if term.contains("256color") => Depth::Indexed,
        _ => Depth::Ansi16,
    }
}

/// The first of the three that is set decides, as for every program. The Linux console speaks UTF-8 and has no ✓.
fn charset(env: &impl Fn(&str) -> Option<String>) -> Charset {
    match env("LOGITLINGS_GLYPHS").as_deref() {
        Some("ascii") => return Charset::Ascii,
        Some("unicode") => return Charset::Unicode,
        _ => {}
    }
    if env("TERM").as_deref() == Some("linux") {
        return Charset::Ascii;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env(name)).unwrap_or_default().to_lowercase();
    let utf8 = locale.contains("utf-8") || locale.contains("utf8");
    if utf8 || cfg!(windows) { Charset::Unicode } else { Charset::Ascii }
}

/// rxvt, Konsole and others: "15;0" is white on black.
fn from_colorfgbg(value: &str) -> Option<Background> {
    let background: u8 = value.rsplit(';').next()?.parse().ok()?;
    Some(if matches!(background, 7 | 9..=15) { Background::Light } else { Background::Dark })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &str)]) -> Capabilities {
        Capabilities::from_env(|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    fn never() -> Detected {
        panic!("the terminal must not be asked")
    }

    #[test]
    fn colours_by_environment() {
        let cases: [(&[(&str, &str)], Depth); 10] = [
            (&[("TERM", "xterm-256color")], Depth::Indexed),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Depth::TrueColor),
            (&[("TERM", "xterm-kitty")], Depth::TrueColor),
            (&[("TERM", "xterm")], Depth::Ansi16),
            (&[("TERM", "linux")], Depth::Ansi16),
            (&[("TERM", "screen.xterm-256color")], Depth::Indexed),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], Depth::None),
            (&[("TERM", "vt100")], Depth::None),
            (&[("TERM", "xterm-kitty"), ("NO_COLOR", "1")], Depth::None),
            (&[("TERM", "xterm-kitty"), ("NO_COLOR", "")], Depth::TrueColor),
        ];
        for (vars, depth) in cases {
            assert_eq!(of(vars).depth, depth, "{vars:?}");
        }
    }

    #[test]
    fn marks_by_locale() {
        let cases: [(&[(&str, &str)], Charset); 7] = [
            (&[("LANG", "en_GB.UTF-8")], Charset::Unicode),
            (&[("LANG", "C.utf8")], Charset::Unicode),
            (&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")], Charset::Ascii),
            (&[("LC_ALL", ""), ("LC_CTYPE", "de_DE.UTF-8")], Charset::Unicode),
            (&[("LANG", "en_GB.ISO-8859-1")], Charset::Ascii),
            (&[("LANG", "en_GB.UTF-8"), ("TERM", "linux")], Charset::Ascii),
            (&[("LOGITLINGS_GLYPHS", "unicode")], Charset::Unicode),
        ];
        if cfg!(windows) {
            return;
        }
        for (vars, charset) in cases {
            assert_eq!(of(vars).charset, charset, "{vars:?}");
        }
    }

    #[test]
    fn the_readers_wish_comes_first_and_asks_nobody() {
        let light = of(&[("TERM", "xterm-256color"), ("LOGITLINGS_THEME", "light"), ("COLORFGBG", "15;0")]).look(never);
        assert_eq!(light.theme.background, Background::Light);
        let plain = of(&[("TERM", "xterm-256color"), ("LOGITLINGS_THEME", "plain")]).look(never);
        assert_eq!(plain.theme.depth, Depth::None);
        let hinted = of(&[("TERM", "xterm-256color"), ("COLORFGBG", "0;default;15")]).look(never);
        assert_eq!(hinted.theme.background, Background::Light);
    }

    #[test]
    fn otherwise_the_terminal_is_asked_once() {
        let asked = of(&[("TERM", "xterm-256color")]).look(|| Detected::Known(Background::Light));
        assert_eq!((asked.theme.background, asked.late_reply), (Background::Light, false));
        let silent = of(&[("TERM", "xterm-256color")]).look(|| Detected::TimedOut);
        assert_eq!((silent.theme.background, silent.late_reply), (Background::Dark, true));
    }
}
