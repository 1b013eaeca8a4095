//! A command line as words, by the shell's rules for quotes and backslashes and nothing else of the shell.

/// The words, or why it cannot be split.
pub(super) fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => quoted(&mut chars, word.get_or_insert_default())?,
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => word.get_or_insert_default().push(chars.next().ok_or("it ends in a backslash")?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), &'static str> {
    for c in chars {
        if c == '\'' {
            return Ok(());
        }
        word.push(c);
    }
    Err("a quotation mark is not closed")
}

fn double_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), &'static str> {
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(c) => word.extend(['\\', c]),
                None => break,
            },
            c => word.push(c),
        }
    }
    Err("a quotation mark is not closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        assert_eq!(split("code --wait").expect("splits"), ["code", "--wait"]);
        assert_eq!(split("  vim  ").expect("splits"), ["vim"]);
        assert_eq!(split("'/opt/my editor/ed' -c \"set nu\"").expect("splits"), ["/opt/my editor/ed", "-c", "set nu"]);
        assert_eq!(split(r"/opt/my\ editor ''").expect("splits"), ["/opt/my editor", ""]);
        assert_eq!(split(r#""a\"b\n""#).expect("splits"), [r#"a"b\n"#]);
        assert!(split("").expect("splits").is_empty());
    }

    #[test]
    fn what_is_not_closed_is_said() {
        assert!(split("vim 'x").is_err());
        assert!(split("vim \"x").is_err());
        assert!(split("vim \\").is_err());
    }
}
