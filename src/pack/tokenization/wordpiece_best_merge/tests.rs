//! What must not be rejected, and what the convention's name promises.

use super::{Attempt, mistakes, problem};
use crate::judge::{Golden, Result};

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 10)
}

/// No choice hangs on the last digits of a score, and equal scores are equal in either form.
#[test]
fn other_formulations_are_right() {
    assert_eq!(failed(mistakes::flawless), [""; 0]);
    assert_eq!(failed(mistakes::by_logarithms), [""; 0]);
}

/// What the verdict says of Hugging Face's WordPieceTrainer is what the library does.
#[test]
fn the_raw_frequency_is_that_of_the_trainer() -> Result<()> {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/wordpiece-best-merge.json"));
    let fixture = Golden::new(text)?;
    let entries = fixture.entries("trainer")?;
    assert!(!entries.is_empty());
    for entry in entries {
        let words: Vec<(Vec<String>, u64)> =
            serde_json::from_value(entry["words"].clone()).map_err(|e| e.to_string())?;
        let (a, b, _) = mistakes::raw_frequency(&words).ok_or("a pair is expected")?;
        assert_eq!(Some(format!("{a}{}", b.trim_start_matches('#')).as_str()), entry["first"].as_str());
    }
    Ok(())
}
