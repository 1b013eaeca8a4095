//! What must not be rejected, and what does not depend on how a text is cut into tokens.

use super::cases::stream;
use super::{Attempt, mistakes, problem, reference};
use crate::judge::Case;
use candle_core::Device;

type Next<'a> = &'a mut dyn FnMut() -> Option<String>;
type Emit<'a> = &'a mut dyn FnMut(&str);

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

/// The failure function of Knuth, Morris and Pratt for each stop, letter by letter, sending letter by letter.
fn automata(next: Next, stops: &[String], _prompt: &str, emit: Emit) -> Option<usize> {
    let stops: Vec<Vec<char>> = stops.iter().map(|stop| stop.chars().collect()).collect();
    let fall = |stop: &[char], mut at: usize, c: char| loop {
        if stop.get(at) == Some(&c) {
            return at + 1;
        }
        if at == 0 {
            return 0;
        }
        at = (0..at).rev().find(|&n| stop[..n] == stop[at - n..at]).unwrap_or(0);
    };
    let (mut at, mut text, mut sent) = (vec![0; stops.len()], Vec::new(), 0);
    while let Some(token) = next() {
        let mut matches = Vec::new();
        for c in token.chars() {
            text.push(c);
            for (index, stop) in stops.iter().enumerate() {
                at[index] = fall(stop, at[index], c);
                if at[index] == stop.len() {
                    matches.push((text.len() - stop.len(), index));
                }
            }
        }
        if let Some(&(place, index)) = matches.iter().min() {
            text[sent..place].iter().for_each(|c: &char| emit(c.encode_utf8(&mut [0; 4])));
            return Some(index);
        }
        let end = text.len() - at.iter().max().copied().unwrap_or(0);
        text[sent..end].iter().for_each(|c| emit(c.encode_utf8(&mut [0; 4])));
        sent = end;
    }
    text[sent..].iter().for_each(|c| emit(c.encode_utf8(&mut [0; 4])));
    None
}

const NONE: [&str; 0] = [];

#[test]
fn automata_are_right() {
    assert_eq!(failed(automata), NONE);
}

#[test]
fn the_mistakes_without_their_flaws_are_right() {
    assert_eq!(failed(mistakes::flawless), NONE);
}

/// With one stop string the whole of what is sent depends on the text alone, and is what `find` says.
#[test]
fn the_cuts_do_not_matter() {
    let mut case = Case::new("stop-strings", "cuts", &Device::Cpu);
    for _ in 0..500 {
        let mut word =
            |letters: i64| -> String { (0..letters).map(|_| char::from(b'a' + case.int(0..2) as u8)).collect() };
        let (text, stop) = (word(20), word(4));
        let mut pieces: Vec<String> = vec![String::new()];
        for c in text.chars() {
            if case.int(0..3) == 0 {
                pieces.push(String::new());
            }
            pieces.last_mut().expect("there is one").push(c);
        }
        let log = stream(&(reference::stop_strings as Attempt), &text, &pieces, std::slice::from_ref(&stop));
        let expected = text.find(&stop).map_or(&text[..], |at| &text[..at]);
        assert_eq!(log.sent.concat(), expected);
        assert_eq!(log.stop.is_some(), text.contains(&stop));
    }
}
