//! Keys as the program names them.

use std::fmt;
use std::str::FromStr;

/// Which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the keys.
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Other,
}

/// A key with control held or not. Shift is in the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key.
    pub code: Code,
    /// Whether control is held.
    pub ctrl: bool,
}

impl Key {
    /// A key alone.
    pub fn plain(code: Code) -> Self {
        Self { code, ctrl: false }
    }

    /// A key as text: what it would write.
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl => Some(c),
            _ => None,
        }
    }
}

const NAMES: &[(&str, Code)] = &[
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("shift-tab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("↑", Code::Up),
    ("↓", Code::Down),
    ("←", Code::Left),
    ("→", Code::Right),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("home", Code::Home),
    ("end", Code::End),
    ("space", Code::Char(' ')),
];

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (text, ctrl) = text.strip_prefix("ctrl-").map_or((text, false), |rest| (rest, true));
        let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, code)| *code);
        let mut chars = text.chars();
        let single = chars.next().filter(|_| chars.next().is_none()).map(Code::Char);
        named.or(single).map(|code| Self { code, ctrl }).ok_or_else(|| format!("\"{text}\" is no key"))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        match (NAMES.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, Code::Char(c)) => write!(f, "{c}"),
            _ => f.write_str("?"),
        }
    }
}
