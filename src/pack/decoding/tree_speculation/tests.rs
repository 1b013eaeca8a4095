//! What must not be rejected, and what the target refuses.

use super::target::{Answers, Recorder};
use super::{Attempt, Target, mistakes, problem};

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

/// The way of Medusa: all root-to-leaf paths, and of each how far it is accepted.
fn leaf_paths(target: &mut dyn Target, tokens: &[u32], parents: &[Option<usize>]) -> Result<Vec<u32>, String> {
    let path_to = |node: usize| {
        let mut path = vec![node];
        while let Some(parent) = parents[path[0]] {
            path.insert(0, parent);
        }
        path
    };
    let (n, cached) = (tokens.len(), target.cached());
    let paths: Vec<Vec<usize>> = (0..n).map(path_to).collect();
    let mut visible = vec![vec![false; cached + n]; n];
    for (row, path) in visible.iter_mut().zip(&paths) {
        row[..cached].fill(true);
        path.iter().for_each(|&node| row[cached + node] = true);
    }
    let positions: Vec<usize> = paths.iter().map(|path| cached + path.len() - 1).collect();
    let answers = target.forward(tokens, &positions, &visible)?;
    let mut best: &[usize] = &paths[0];
    for path in &paths {
        let fits = path.windows(2).take_while(|pair| tokens[pair[1]] == answers[pair[0]]).count();
        let (long, first) = (&path[..=fits], path[..=fits].last() < best.last());
        if long.len() > best.len() || (long.len() == best.len() && first) {
            best = long;
        }
    }
    target.keep(best)?;
    let mut result: Vec<u32> = best.iter().map(|&node| tokens[node]).collect();
    result.rotate_left(1);
    result.pop();
    result.extend(best.last().map(|&node| answers[node]));
    Ok(result)
}

const NONE: [&str; 0] = [];

#[test]
fn paths_to_the_leaves_are_right() {
    assert_eq!(failed(leaf_paths), NONE);
}

#[test]
fn the_mistakes_without_their_flaws_are_right() {
    assert_eq!(failed(mistakes::flawless), NONE);
}

#[test]
fn a_wrong_call_is_an_error_that_says_what_is_wrong() {
    let mut target = Recorder::new(&[1, 2], Answers::Toy(5));
    let row = vec![true; 3];
    let wrong = [
        target.forward(&[], &[], &[]).err(),
        target.forward(&[3], &[2, 3], std::slice::from_ref(&row)).err(),
        target.forward(&[3], &[2], &[vec![true; 2]]).err(),
        target.keep(&[0]).err(),
    ];
    assert_eq!(target.cached(), 2);
    assert!(target.forward(&[3], &[2], &[row]).is_ok());
    let again = target.keep(&[0, 0]).err();
    assert!(target.keep(&[0]).is_ok());
    for (error, word) in
        wrong.iter().chain([&again]).zip(["at least one", "2 positions", "P + n is 3", "no node 0", "again"])
    {
        assert!(error.as_deref().is_some_and(|text| text.contains(word)), "{error:?} does not say {word:?}");
    }
}
