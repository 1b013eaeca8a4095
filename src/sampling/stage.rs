//! The stages of a sampler and their parameters.

use std::fmt;

/// One transformation of the distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Logits of tokens that were seen: divided by the penalty when positive, multiplied when negative, once per token
    /// (CTRL, Keskar et al. 2019).
    Repetition {
        /// θ; 1 is off.
        penalty: f64,
    },
    /// l − count·frequency − [count > 0]·presence (OpenAI's formula).
    FrequencyPresence {
        /// Per occurrence; 0 is off.
        frequency: f64,
        /// Once; 0 is off.
        presence: f64,
    },
    /// l / T.
    Temperature(f64),
    /// The k largest.
    TopK(usize),
    /// The smallest set of the most probable with mass ≥ p (nucleus, Holtzman et al. 2020).
    TopP(f64),
    /// Every token with probability ≥ m · p_max (Nguyen et al. 2024).
    MinP(f64),
    /// Tokens whose surprise is nearest the entropy, up to mass p (Meister et al. 2022).
    Typical(f64),
}

/// A stage without its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The variants are those of `Stage`.
pub enum Kind {
    Repetition,
    FrequencyPresence,
    Temperature,
    TopK,
    TopP,
    MinP,
    Typical,
}

impl Kind {
    /// Whether it changes the logits of tokens that were seen.
    pub fn is_penalty(self) -> bool {
        matches!(self, Self::Repetition | Self::FrequencyPresence)
    }
}

impl Stage {
    /// Which one it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Repetition { .. } => Kind::Repetition,
            Self::FrequencyPresence { .. } => Kind::FrequencyPresence,
            Self::Temperature(_) => Kind::Temperature,
            Self::TopK(_) => Kind::TopK,
            Self::TopP(_) => Kind::TopP,
            Self::MinP(_) => Kind::MinP,
            Self::Typical(_) => Kind::Typical,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repetition { penalty } => write!(f, "rep {penalty}"),
            Self::FrequencyPresence { frequency, presence } => write!(f, "freq {frequency} pres {presence}"),
            Self::Temperature(t) => write!(f, "temp {t}"),
            Self::TopK(k) => write!(f, "top-k {k}"),
            Self::TopP(p) => write!(f, "top-p {p}"),
            Self::MinP(m) => write!(f, "min-p {m}"),
            Self::Typical(p) => write!(f, "typical {p}"),
        }
    }
}
