//! The table of punctuation, what must not be rejected, and what the conventions' names promise.

use super::category::BOUNDS;
use super::{Attempt, mistakes, problem, reference, unicode_punctuation};
use crate::judge::{Golden, Result, golden};

const FIXTURE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/pretok.json"));

#[test]
fn the_table_is_that_of_unicode() -> Result<()> {
    let bounds: Vec<u32> =
        golden::ints(&Golden::new(FIXTURE)?.json()["punctuation"])?.iter().map(|&b| b as u32).collect();
    assert_eq!(bounds, BOUNDS);
    Ok(())
}

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 10)
}

/// Words that are collected and pushed, and the text in lower case as a whole: the same, as long as there is no final sigma.
#[test]
fn another_formulation_agrees() -> Result<()> {
    for entry in Golden::new(FIXTURE)?.entries("texts")? {
        let text = entry[0].as_str().ok_or("text")?;
        assert_eq!(mistakes::flawless(text), reference::pretok(text));
    }
    assert_eq!(failed(mistakes::flawless), [""; 0]);
    assert_eq!(failed(in_two_steps), [""; 0]);
    Ok(())
}

/// Spaces around every punctuation character, then a split at white space.
fn in_two_steps(text: &str) -> Vec<String> {
    let spaced = |c: char| match c.is_ascii_punctuation() || unicode_punctuation(c) {
        true => format!(" {c} "),
        false => c.to_string(),
    };
    let spaced: String = text.chars().map(spaced).collect();
    spaced.split_whitespace().map(str::to_lowercase).collect()
}

/// What the verdict says of tokenizers' Whitespace() is what it does.
#[test]
fn the_grouping_is_that_of_the_library() -> Result<()> {
    for entry in Golden::new(FIXTURE)?.entries("whitespace")? {
        let (text, theirs): (String, Vec<String>) = serde_json::from_value(entry).map_err(|e| e.to_string())?;
        assert_eq!(mistakes::word_class_grouped(&text), theirs);
    }
    Ok(())
}
