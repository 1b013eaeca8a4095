//! Token masks of a character automaton. Witness: brute force over all strings of a language, with Python's `re`.

mod cases;
mod dfa;
mod mistakes;
mod reference;
#[cfg(test)]
mod tests;

pub use dfa::Dfa;

use crate::judge::{self, Problem, Result, Value};
use std::process::ExitCode;

/// The three functions.
#[derive(Clone, Copy)]
pub struct Attempt {
    /// Automaton, texts of the vocabulary, id of EOS → [state][token], whether it may come next.
    pub token_masks: fn(&Dfa, &[&str], u32) -> Vec<Vec<bool>>,
    /// Logits, what is allowed → as many logits, those of forbidden tokens −inf.
    pub mask_logits: fn(&[f32], &[bool]) -> Vec<f32>,
    /// Automaton, state, text → the state after it.
    pub advance: fn(&Dfa, usize, &str) -> Option<usize>,
}

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = cases::all(of_steps(of_logits(of_masks(Problem::new("grammar-mask", mistakes::RIGHT)))));
    problem.golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/grammar-mask.json")),
        |attempt, fixture| {
            for entry in fixture.entries("grammars")? {
                let (dfa, vocab) = (automaton(&entry)?, texts(&entry["vocab"])?);
                let vocab: Vec<&str> = vocab.iter().map(String::as_str).collect();
                let eos = entry["eos"].as_u64().ok_or("golden fixture: no eos")? as u32;
                let masks = (attempt.token_masks)(&dfa, &vocab, eos);
                // Each stored row belongs to a beginning of a text, and so to the state that it leads to.
                for row in entry["rows"].as_array().ok_or("golden fixture: no rows")? {
                    let prefix = row["prefix"].as_str().ok_or("golden fixture: no prefix")?;
                    let state = (attempt.advance)(&dfa, 0, prefix).ok_or("golden fixture: an unreadable prefix")?;
                    let allowed: Vec<String> = (0..vocab.len())
                        .filter(|&id| masks[state][id])
                        .map(|id| if id == eos as usize { "EOS".to_owned() } else { vocab[id].to_owned() })
                        .collect();
                    let what = format!("allowed after \"{prefix}\"");
                    fixture.expect(&what, Value::text(&texts(&row["allowed"])?), Value::text(&allowed));
                }
            }
            Ok(())
        },
    )
}

fn texts(json: &serde_json::Value) -> Result<Vec<String>> {
    serde_json::from_value(json.clone()).map_err(|e| format!("golden fixture: {e}").into())
}

fn automaton(entry: &serde_json::Value) -> Result<Dfa> {
    let read = |key: &str| entry[key].clone();
    let wrong = |e: serde_json::Error| format!("golden fixture: {e}");
    let accepting: Vec<usize> = serde_json::from_value(read("accepting")).map_err(wrong)?;
    let edges: Vec<(usize, String, usize)> = serde_json::from_value(read("edges")).map_err(wrong)?;
    let edges: Vec<(usize, &str, usize)> = edges.iter().map(|(from, c, to)| (*from, c.as_str(), *to)).collect();
    let states: usize = serde_json::from_value(read("states")).map_err(wrong)?;
    Ok(Dfa::new(states, &accepting, &edges))
}

fn of_masks(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("first-character-only", "a token is allowed as soon as its first character fits; the automaton must be able to read all of them", mistakes::FIRST_CHARACTER)
        .mistake("every-character-alone", "every character is tried from the same state; after each of them the automaton is in another one", mistakes::EVERY_CHARACTER_ALONE)
        .mistake("must-accept", "a token is allowed only if the text could end right behind it; a later token may go on, so any state will do", mistakes::MUST_ACCEPT)
        .mistake("accepted-on-the-way", "a token is allowed if the text is complete somewhere inside it, whatever follows; all of its characters must be read", mistakes::ACCEPTED_ON_THE_WAY)
        .mistake("masks-from-the-start", "every state gets the mask of the start", mistakes::FROM_THE_START)
        .mistake("empty-allowed", "a token without characters is allowed (a walk over nothing succeeds): nothing moves, and it can be drawn for ever", mistakes::EMPTY_ALLOWED)
        .mistake("single-characters-only", "only tokens of one character are allowed: right texts, but the model is forced off the tokens it was trained on", mistakes::SINGLE_CHARACTERS_ONLY)
        .mistake("bytes", "the masks read bytes as characters: whatever is not ASCII never fits", mistakes::BYTES)
        .mistake("eos-everywhere", "EOS is allowed in every state: the text can end before it is complete", mistakes::EOS_EVERYWHERE)
        .mistake("eos-nowhere", "EOS is never allowed: a complete text cannot end", mistakes::EOS_NOWHERE)
        .mistake("eos-as-text", "EOS is treated like any token, by the characters of its name; it is allowed where the text may end", mistakes::EOS_AS_TEXT)
        .mistake("eos-also-as-text", "EOS is allowed in accepting states as it should be, but also where the characters of its name fit", mistakes::EOS_ALSO_AS_TEXT)
        .mistake("eos-if-nothing-else", "EOS is allowed only where no other token is: 12 could never end, because a digit might follow", mistakes::EOS_IF_NOTHING_ELSE)
        .mistake("eos-alone", "an accepting state allows nothing but EOS: 1 could never become 12", mistakes::EOS_ALONE)
        .mistake("transposed", "the masks are indexed by token, then state; it is state, then token", mistakes::TRANSPOSED)
}

fn of_logits(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("unmasked", "forbidden logits stay as they are: 0 is added (a mask of 0 and 1 is no additive mask), where −inf is needed", mistakes::UNMASKED)
        .mistake("zero-for-forbidden", "forbidden logits become 0 (multiplied by the mask): 0 is a probable logit", mistakes::ZERO_FOR_FORBIDDEN)
        .mistake("one-subtracted", "forbidden logits are lowered by 1 (mask − 1 is added): less likely, but not impossible", mistakes::ONE_SUBTRACTED)
        .mistake("ten-thousand-subtracted", "forbidden logits are lowered by a large number: where the allowed ones are lower still, a forbidden one wins; −inf always works", mistakes::TEN_THOUSAND_SUBTRACTED)
        .mistake("inverted", "the allowed tokens are masked and the forbidden ones left", mistakes::INVERTED)
        .mistake("padding-allowed", "logits beyond the vocabulary stay as they are, and can be drawn although they are no token", mistakes::PADDING_ALLOWED)
        .mistake("padding-dropped", "logits beyond the vocabulary are cut off (`zip` stops at the shorter); the result has as many numbers as there are logits", mistakes::PADDING_DROPPED)
}

fn of_steps(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake(
            "advance-one-character",
            "the state moves by the token's first character only",
            mistakes::ONE_CHARACTER,
        )
        .mistake(
            "advance-last-character",
            "the state moves by the token's last character only",
            mistakes::LAST_CHARACTER,
        )
        .mistake(
            "advance-from-the-start",
            "every token is read from state 0, not from the state that was reached",
            mistakes::STEP_FROM_THE_START,
        )
        .mistake(
            "advance-skips-unreadable",
            "a character that cannot be read is skipped; the answer is None",
            mistakes::UNREADABLE_SKIPPED,
        )
        .mistake(
            "advance-stops-quietly",
            "at a character that cannot be read the walk stops and returns the state so far; the answer is None",
            mistakes::STOPS_QUIETLY,
        )
        .mistake("advance-backwards", "the characters are read from the last to the first", mistakes::BACKWARDS)
        .mistake(
            "advance-by-bytes",
            "the step reads bytes as characters: whatever is not ASCII cannot be read",
            mistakes::BYTES_STEPPED,
        )
}
