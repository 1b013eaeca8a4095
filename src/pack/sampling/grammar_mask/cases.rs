//! The cases: masks and walks of small grammars, masked logits, and whole texts decoded with all three functions.

use super::{Attempt, Dfa};
use crate::judge::{Case, Problem, Result, Value};

/// Characters of its name fit nowhere but in the case that is about that.
const EOS: &str = "</s>";

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    decoded_cases(logit_cases(mask_cases(problem)))
        .case("a random automaton of nine states", |attempt, case| {
            let dfa = random_dfa(case, 9, "abc");
            let vocab: Vec<String> = (0..40).map(|_| random_text(case, 4, "abc")).chain([EOS.to_owned()]).collect();
            let vocab: Vec<&str> = vocab.iter().map(String::as_str).collect();
            walked(attempt, case, &dfa, &vocab, 40, &["a", "bc", "cab", "aaaa"])
        })
        .cost("64 states, 4096 tokens", |attempt, case| {
            let dfa = random_dfa(case, 64, "abcdefgh");
            let vocab: Vec<String> = (0..4096).map(|_| random_text(case, 8, "abcdefgh")).collect();
            let vocab: Vec<&str> = vocab.iter().map(String::as_str).collect();
            case.observe("allowed", matrix(&(attempt.token_masks)(&dfa, &vocab, 7)));
            Ok(())
        })
}

/// `ab*c`.
fn abc() -> Dfa {
    Dfa::new(3, &[2], &[(0, "a", 1), (1, "b", 1), (1, "c", 2)])
}

/// `-?[0-9]+(\.[0-9]+)?`
fn decimal() -> Dfa {
    let digits = "0123456789";
    let edges =
        [(0, "-", 1), (0, digits, 2), (1, digits, 2), (2, digits, 2), (2, ".", 3), (3, digits, 4), (4, digits, 4)];
    Dfa::new(5, &[2, 4], &edges)
}

/// `\[(true|false)(,(true|false))*\]`, where both words share their last letter.
fn flags() -> Dfa {
    let edges = [
        (0, "[", 1),
        (1, "t", 2),
        (2, "r", 3),
        (3, "u", 4),
        (4, "e", 5),
        (1, "f", 6),
        (6, "a", 7),
        (7, "l", 8),
        (8, "s", 4),
        (5, ",", 1),
        (5, "]", 9),
    ];
    Dfa::new(10, &[9], &edges)
}

fn mask_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("ab*c, by hand", |attempt, case| {
            walked(
                attempt,
                case,
                &abc(),
                &["a", "b", "c", "ab", "bb", "bc", EOS],
                6,
                &["ab", "bc", "ba", "abbc", "c", ""],
            )
        })
        .case("tokens that fail at the second or third character", |attempt, case| {
            let vocab = [EOS, "ac", "aa", "abx", "abca", "cb", "bca", "bbc", "abbbc", "xa", "ca"];
            walked(attempt, case, &abc(), &vocab, 0, &["ca", "bbb", "bbx", "abca"])
        })
        .case("numbers, where EOS and digits both may follow", |attempt, case| {
            let vocab = ["-", "1", "07", ".", ".5", "-2", "3.", "4.25", EOS, "--", "1-", "..", "6.7.", "+1"];
            walked(attempt, case, &decimal(), &vocab, 8, &["-2.5", "12", ".5", "3.", "5-"])
        })
        .case("the text of EOS fits the grammar", |attempt, case| {
            let edges = [(0, "x", 1), (1, "<", 2), (2, "/", 3), (3, "s", 4), (4, ">", 5), (5, "y", 6), (1, "y", 6)];
            let vocab = ["x", "</", "s>", EOS, "y", "<", "x<"];
            walked(attempt, case, &Dfa::new(7, &[6], &edges), &vocab, 3, &["x</s>", "y"])
        })
        .case("two tokens with the text of EOS", |attempt, case| {
            let edges = [(0, "<", 1), (1, "/", 2), (2, "s", 3), (3, ">", 0)];
            walked(attempt, case, &Dfa::new(4, &[0], &edges), &[EOS, "<", "/s>", EOS, "></"], 3, &[EOS, "></"])
        })
        .case("tokens without characters", |attempt, case| {
            walked(attempt, case, &abc(), &["", "a", EOS, "", "bbc"], 2, &["", "a"])
        })
        .case("characters that are not ASCII", |attempt, case| {
            let dfa = Dfa::new(4, &[3], &[(0, "日", 1), (1, "本é", 2), (2, "é", 2), (2, "語", 3), (0, "n", 3)]);
            let vocab = ["日", "日本", "é", "本éé", "語", EOS, "n", "日é語", "ê"];
            walked(attempt, case, &dfa, &vocab, 5, &["日本", "éé語", "ê", "本"])
        })
        .case("the empty text is allowed", |attempt, case| {
            let dfa = Dfa::new(2, &[0], &[(0, "(", 1), (1, ")", 0)]);
            walked(attempt, case, &dfa, &["(", ")", "()", ")(", EOS, "())"], 4, &["()", ")(", "())"])
        })
        .case("one state", |attempt, case| {
            walked(attempt, case, &Dfa::new(1, &[0], &[(0, "ab", 0)]), &["a", "bab", EOS, "abc"], 2, &["abba", "c"])
        })
        .case("a state that no token leaves", |attempt, case| {
            // Reachable, since "ab" leads to it, but no token begins with the c that would have to follow.
            let dfa = Dfa::new(4, &[3], &[(0, "a", 1), (1, "b", 2), (2, "c", 3)]);
            walked(attempt, case, &dfa, &["a", "ab", "b", "abc", EOS], 4, &["ab", "abc"])
        })
}

fn logit_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("masked logits, by hand", |attempt, case| {
            masked(attempt, case, &[2., -1., 0.5, 3.], &[false, true, true])
        })
        .case("as many logits as tokens", |attempt, case| {
            masked(attempt, case, &[-3., 4., 0., -0.5, 1e4, -1e4], &[true, false, true, true, false, false])
        })
        .case("allowed logits that are far below forbidden ones", |attempt, case| {
            masked(attempt, case, &[-3e4, 2e4, f32::NEG_INFINITY, -2.5e4, 7.], &[true, false, true, true])
        })
        .case("nothing is allowed", |attempt, case| masked(attempt, case, &[1., -2., 0.], &[false, false]))
        .case("everything is allowed", |attempt, case| masked(attempt, case, &[1., -2., 0.25], &[true; 3]))
}

fn decoded_cases(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("ab*c, decoded", |attempt, case| {
            decoded(attempt, case, &abc(), &["a", "b", "c", "ab", "bb", "bc", EOS], 6, 6)
        })
        .case("numbers, decoded", |attempt, case| {
            let vocab = ["-", "1", "07", ".", ".5", "-2", "3.", "4.25", EOS, "--", "1-", "..", "6.7.", "+1"];
            decoded(attempt, case, &decimal(), &vocab, 8, 6)
        })
        .case("lists of true and false, decoded", |attempt, case| {
            let vocab = [
                "[", "[t", "true", "rue", "tr", "ue", "e", "false", "als", "f", ",", ",false", "],", "]", "e]", "e,",
                EOS,
            ];
            decoded(attempt, case, &flags(), &vocab, 16, 8)
        })
}

fn matrix(masks: &[Vec<bool>]) -> Value {
    let shape = vec![masks.len(), masks.first().map_or(0, Vec::len)];
    let data: Vec<i64> = masks.iter().flatten().map(|&allowed| i64::from(allowed)).collect();
    // Rows of unequal length have no second axis.
    let shape = if data.len() == shape[0] * shape[1] { shape } else { vec![data.len()] };
    Value::Ints { shape, data }
}

/// The masks, and the walks over `texts` from every state; −1 stands for None.
fn walked(attempt: &Attempt, case: &mut Case, dfa: &Dfa, vocab: &[&str], eos: u32, texts: &[&str]) -> Result<()> {
    case.given("dfa", dfa);
    let (vocab, eos) = (case.given("vocab", vocab), case.given("eos", eos));
    case.observe("allowed, [state][token]", matrix(&(attempt.token_masks)(dfa, vocab, eos)));
    let texts = case.given("texts", texts);
    let step = |state: usize, text: &&str| (attempt.advance)(dfa, state, text).map_or(-1, |state| state as i64);
    let data = (0..dfa.states()).flat_map(|state| texts.iter().map(move |text| step(state, text))).collect();
    case.observe("advance, [state][text]", Value::Ints { shape: vec![dfa.states(), texts.len()], data });
    Ok(())
}

fn masked(attempt: &Attempt, case: &mut Case, logits: &[f32], allowed: &[bool]) -> Result<()> {
    let (logits, allowed) = (case.given("logits", logits), case.given("allowed", allowed));
    case.observe("masked logits", Value::floats(&(attempt.mask_logits)(logits, allowed)));
    Ok(())
}

/// Texts decoded greedily from random logits, two places longer than the vocabulary, which rise towards EOS.
fn decoded(attempt: &Attempt, case: &mut Case, dfa: &Dfa, vocab: &[&str], eos: u32, rounds: usize) -> Result<()> {
    case.given("dfa", dfa);
    let (vocab, eos) = (case.given("vocab", vocab), case.given("eos", eos));
    case.given("logits", "normal, and for EOS one third more at every step");
    let masks = (attempt.token_masks)(dfa, vocab, eos);
    let mut texts = Vec::new();
    for _ in 0..rounds {
        let mut normal = || (0..vocab.len() + 2).map(|_| case.normal() as f32).collect::<Vec<f32>>();
        let logits: Vec<Vec<f32>> = (0..STEPS).map(|_| normal()).collect();
        texts.push(text(attempt, dfa, vocab, eos, &masks, logits)?);
    }
    case.observe("texts", Value::text(&texts));
    Ok(())
}

const STEPS: usize = 12;

fn text(
    attempt: &Attempt,
    dfa: &Dfa,
    vocab: &[&str],
    eos: u32,
    masks: &[Vec<bool>],
    logits: Vec<Vec<f32>>,
) -> Result<String> {
    let (mut state, mut tokens) = (0, Vec::new());
    for (step, mut logits) in logits.into_iter().enumerate() {
        logits[eos as usize] += step as f32 / 3.0;
        let mask = masks.get(state).ok_or_else(|| format!("there is no mask of state {state}"))?;
        let masked = (attempt.mask_logits)(&logits, mask);
        let best = (0..masked.len()).fold(0, |best, id| if masked[id] > masked[best] { id } else { best });
        if masked[best] == f32::NEG_INFINITY {
            tokens.push("(nothing is allowed)");
            break;
        }
        if best == eos as usize {
            tokens.push("(end)");
            break;
        }
        let Some(text) = vocab.get(best) else {
            tokens.push("(no token of the vocabulary)");
            break;
        };
        tokens.push(text);
        match (attempt.advance)(dfa, state, text) {
            Some(next) => state = next,
            None => {
                tokens.push("(cannot be read)");
                break;
            }
        }
    }
    Ok(tokens.join("·"))
}

/// From every state an accepting one can be reached: each has an edge to the next, and the last one accepts.
fn random_dfa(case: &mut Case, states: usize, alphabet: &str) -> Dfa {
    let letters: Vec<String> = alphabet.chars().map(String::from).collect();
    let mut edges: Vec<(usize, &str, usize)> = Vec::new();
    for state in 0..states {
        for letter in &letters {
            if case.uniform() < 0.5 {
                edges.push((state, letter, case.int(0..states as i64) as usize));
            }
        }
        edges.push((state, &letters[state % letters.len()], (state + 1) % states));
    }
    let accepting: Vec<usize> = (0..states).filter(|state| state % 4 == 3 || state + 1 == states).collect();
    Dfa::new(states, &accepting, &edges)
}

fn random_text(case: &mut Case, longest: i64, alphabet: &str) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    (0..case.int(1..longest + 1)).map(|_| letters[case.int(0..letters.len() as i64) as usize]).collect()
}
