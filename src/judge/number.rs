//! JSON has no infinities and no NaN; attempts do. A [`Num`] travels as a number where it can and as a word where not.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A float that survives JSON whatever its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Num(pub f64);

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            v if v.is_nan() => out.serialize_str("nan"),
            f64::INFINITY => out.serialize_str("inf"),
            f64::NEG_INFINITY => out.serialize_str("-inf"),
            v => out.serialize_f64(v),
        }
    }
}

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Word(String),
        }
        match Either::deserialize(from)? {
            Either::Number(v) => Ok(Self(v)),
            Either::Word(word) => match word.as_str() {
                "nan" => Ok(Self(f64::NAN)),
                "inf" => Ok(Self(f64::INFINITY)),
                "-inf" => Ok(Self(f64::NEG_INFINITY)),
                _ => Err(serde::de::Error::custom(format!("\"{word}\" is not a number"))),
            },
        }
    }
}

/// Six significant digits, without an exponent where a reader would not use one.
impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let v = self.0;
        if !v.is_finite() || v == 0.0 {
            return write!(f, "{}", if v == 0.0 { 0.0 } else { v });
        }
        let magnitude = v.abs().log10().floor();
        if !(-4.0..7.0).contains(&magnitude) {
            return write!(f, "{v:.5e}");
        }
        let digits = (5.0 - magnitude).clamp(0.0, 9.0) as usize;
        let text = format!("{v:.digits$}");
        let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        f.write_str(short)
    }
}
