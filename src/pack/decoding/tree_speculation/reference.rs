//! Greedy verification of a tree of drafts in one pass (SpecInfer, Miao et al. 2024; Medusa, Cai et al. 2024).

use super::Target;
use std::iter::successors;

/// n tokens, node 0 the root, and their parents → the accepted drafts and one more token.
pub fn tree_speculation(
    target: &mut dyn Target,
    tokens: &[u32],
    parents: &[Option<usize>],
) -> Result<Vec<u32>, String> {
    let (n, cached) = (tokens.len(), target.cached());
    let mut positions: Vec<usize> = Vec::with_capacity(n);
    let mut visible: Vec<Vec<bool>> = Vec::with_capacity(n); // (n, P + n)
    for (node, parent) in parents.iter().enumerate() {
        // A node sees what its parent sees, and itself.
        let (position, mut row) = match *parent {
            None => (cached, [vec![true; cached], vec![false; n]].concat()),
            Some(parent) => (positions[parent] + 1, visible[parent].clone()),
        };
        row[cached + node] = true;
        positions.push(position);
        visible.push(row);
    }
    let answers = target.forward(tokens, &positions, &visible)?;

    // A draft stands if its parent stands and the target says this token after it.
    let mut stands = vec![false; n];
    let mut deepest = 0;
    for (node, parent) in parents.iter().enumerate() {
        stands[node] = parent.is_none_or(|parent| stands[parent] && tokens[node] == answers[parent]);
        if stands[node] && positions[node] > positions[deepest] {
            deepest = node;
        }
    }
    let mut path: Vec<usize> = successors(Some(deepest), |&node| parents[node]).collect();
    path.reverse();
    target.keep(&path)?;
    Ok(path[1..].iter().map(|&node| tokens[node]).chain([answers[deepest]]).collect())
}
