//! Stand-ins for terminals that print only ASCII: formulas stay readable, and nothing is printed as garbage.

use std::borrow::Cow;

/// The text with every character that is not ASCII written in words or signs that are. May be longer than the text.
pub fn spell(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() { out.push(c) } else { out.push_str(spelled(c)) }
    }
    Cow::Owned(out)
}

/// One character in one column; the last resort where the layout is fixed already.
pub fn stand_in(symbol: &str) -> &'static str {
    let word = symbol.chars().next().map_or(" ", spelled);
    match word {
        "sqrt " => "V",
        "inf" => "I",
        "<=" => "<",
        ">=" => ">",
        "..." => "~",
        word => word.get(..1).unwrap_or("?"),
    }
}

fn spelled(c: char) -> &'static str {
    match c {
        '√' => "sqrt ",
        '∞' => "inf",
        '·' | '⋅' => ".",
        '•' | '∗' | '★' => "*",
        '×' | '✗' => "x",
        '÷' => "/",
        '−' | '–' | '—' | '─' | '‑' => "-",
        '│' | '▏' | '┃' | '‖' => "|",
        '┼' | '✓' | '▒' => "+",
        '…' | '⋯' => "...",
        '→' | '⇒' | '↦' => "->",
        '←' => "<-",
        '↑' => "^",
        '↓' => "v",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '≈' | '∼' => "~",
        '∈' => " in ",
        '∑' | 'Σ' => "sum ",
        '∏' | 'Π' => "prod ",
        '∂' => "d",
        '½' => "1/2",
        '“' | '”' | '«' | '»' | '„' => "\"",
        '‘' | '’' | '′' => "'",
        '°' => " deg",
        '±' => "+-",
        'ᵀ' => "^T",
        '⁻' => "^-",
        '⁰' => "^0",
        '¹' => "^1",
        '²' => "^2",
        '³' => "^3",
        '⁴' => "^4",
        '⁵' => "^5",
        '⁶' => "^6",
        '⁷' => "^7",
        '⁸' => "^8",
        '⁹' => "^9",
        'ᵢ' => "_i",
        'ⱼ' => "_j",
        'ₖ' => "_k",
        'ₜ' => "_t",
        'ₙ' => "_n",
        '₀' => "_0",
        '₁' => "_1",
        '₂' => "_2",
        '₃' => "_3",
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' | 'Δ' => "delta",
        'ε' => "eps",
        'η' => "eta",
        'θ' | 'Θ' => "theta",
        'λ' => "lambda",
        'μ' => "mu",
        'π' => "pi",
        'ρ' => "rho",
        'σ' => "sigma",
        'τ' => "tau",
        'φ' => "phi",
        'ω' => "omega",
        'à' | 'á' | 'â' | 'ä' | 'ã' | 'å' => "a",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ò' | 'ó' | 'ô' | 'ö' | 'õ' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ñ' => "n",
        'ç' => "c",
        'Ċ' => "C",
        'É' => "E",
        'İ' => "I",
        '€' => "EUR",
        '₊' => "_+",
        '⌈' | '⌉' => "|",
        '\u{302}' => "^",
        'Ġ' => "G",
        '␣' => "_",
        '⏎' => "\\n",
        'ß' => "ss",
        '⟨' => "<",
        '⟩' => ">",
        '⌊' | '⌋' => "|",
        '█' => "#",
        '▓' => "%",
        '░' => ".",
        '\u{a0}' | '\u{2009}' | '\u{202f}' => " ",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_stay_readable() {
        assert_eq!(spell("softmax(Q·Kᵀ / √d_k + M) · V"), "softmax(Q.K^T / sqrt d_k + M) . V");
        assert_eq!(spell("0 ≤ p ≤ 1, ∞"), "0 <= p <= 1, inf");
        assert!(matches!(spell("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn a_stand_in_is_one_ascii_column() {
        for symbol in ["√", "≤", "★", "漢", "…", "é", "👩‍👧", ""] {
            let text = stand_in(symbol);
            assert!(text.len() == 1 && text.is_ascii(), "{symbol:?} → {text:?}");
        }
    }

    #[test]
    fn every_statement_of_the_pack_can_be_spelled() {
        for entry in crate::pack::all() {
            let quoted = |c: char| is_foreign(c) || entry.slug == "byte-level" && ('\u{a1}'..'\u{180}').contains(&c);
            let unknown: Vec<char> =
                entry.readme.chars().filter(|c| !c.is_ascii() && spelled(*c) == "?" && !quoted(*c)).collect();
            assert!(unknown.is_empty(), "{}: {unknown:?} have no ASCII stand-in", entry.slug);
        }
    }

    /// Tokenizer problems quote scripts and emoji on purpose, and one of them the letters that stand for bytes.
    fn is_foreign(c: char) -> bool {
        c as u32 >= 0x2e80
            || ('\u{370}'..'\u{1cff}').contains(&c)
            || ('\u{2150}'..'\u{218f}').contains(&c)
            || matches!(c, 'ⓐ' | '\u{200d}')
    }
}
