//! What goes wrong at speed when a tree is verified: one step, with its parts exchanged.

use super::Target;
use std::iter::successors;

type Parents<'a> = &'a [Option<usize>];
type Outcome = Result<Vec<u32>, String>;

/// The tree of one step, with what the target said.
struct Tree<'a> {
    tokens: &'a [u32],
    parents: Parents<'a>,
    answers: Vec<u32>,
}

impl Tree<'_> {
    /// Whether the target says the node's token after its parent.
    fn matches(&self, node: usize) -> bool {
        self.parents[node].is_none_or(|parent| self.tokens[node] == self.answers[parent])
    }

    fn stands(&self, node: usize) -> bool {
        upwards(self.parents, node).all(|node| self.matches(node))
    }

    fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        (0..self.tokens.len()).filter(move |&child| self.parents[child] == Some(node))
    }

    /// The deepest of the nodes that qualify, and the way to it.
    fn deepest(&self, qualifies: impl Fn(usize) -> bool) -> Vec<usize> {
        let all = (0..self.tokens.len()).rev().filter(|&node| qualifies(node));
        down_to(self.parents, all.max_by_key(|&node| depth(self.parents, node)).unwrap_or(0))
    }

    /// From the root on, always to the child that `next` says.
    fn walk(&self, next: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
        successors(Some(0), |&node| next(node)).collect()
    }
}

/// A node, its parent, and so on up to the root.
fn upwards(parents: Parents, node: usize) -> impl Iterator<Item = usize> {
    successors(Some(node), |&node| parents[node])
}

fn down_to(parents: Parents, node: usize) -> Vec<usize> {
    let mut path: Vec<usize> = upwards(parents, node).collect();
    path.reverse();
    path
}

fn depth(parents: Parents, node: usize) -> usize {
    upwards(parents, node).count() - 1
}

#[derive(Clone, Copy)]
struct Recipe {
    /// Whether the first node may see the second.
    sees: fn(Parents, usize, usize) -> bool,
    /// Whether cached tokens are seen.
    sees_cache: bool,
    position: fn(Parents, usize, cached: usize) -> usize,
    path: fn(&Tree) -> Vec<usize>,
    /// Nodes that are kept; `None` keeps everything.
    kept: fn(path: &[usize]) -> Option<Vec<usize>>,
    result: fn(&Tree, path: &[usize]) -> Vec<u32>,
}

const RIGHT: Recipe = Recipe {
    sees: |parents, node, other| upwards(parents, node).any(|node| node == other),
    sees_cache: true,
    position: |parents, node, cached| cached + depth(parents, node),
    path: |tree| tree.deepest(|node| tree.stands(node)),
    kept: |path| Some(path.to_vec()),
    result: |tree, path| accepted(tree, path).chain(last(path).map(|node| tree.answers[node])).collect(),
};

fn accepted(tree: &Tree, path: &[usize]) -> impl Iterator<Item = u32> {
    path.iter().skip(1).map(|&node| tree.tokens[node])
}

fn last(path: &[usize]) -> Option<usize> {
    path.last().copied()
}

fn step(recipe: Recipe, target: &mut dyn Target, tokens: &[u32], parents: Parents) -> Outcome {
    let (n, cached) = (tokens.len(), target.cached());
    let row = |node: usize| {
        let tree = (0..n).map(|other| (recipe.sees)(parents, node, other));
        std::iter::repeat_n(recipe.sees_cache, cached).chain(tree).collect::<Vec<bool>>()
    };
    let visible: Vec<Vec<bool>> = (0..n).map(row).collect();
    let positions: Vec<usize> = (0..n).map(|node| (recipe.position)(parents, node, cached)).collect();
    let tree = Tree { tokens, parents, answers: target.forward(tokens, &positions, &visible)? };
    let path = (recipe.path)(&tree);
    if let Some(kept) = (recipe.kept)(&path) {
        target.keep(&kept)?;
    }
    Ok((recipe.result)(&tree, &path))
}

macro_rules! steps {
    ($($name:ident: $field:ident = $value:expr;)+) => {
        $(pub fn $name(target: &mut dyn Target, tokens: &[u32], parents: &[Option<usize>]) -> Outcome {
            step(Recipe { $field: $value, ..RIGHT }, target, tokens, parents)
        })+
    };
}

steps! {
    siblings_seen: sees = |parents, node, other| {
        (RIGHT.sees)(parents, node, other) || parents[node] == parents[other]
    };
    plain_causal: sees = |_, node, other| other <= node;
    all_seen: sees = |_, _, _| true;
    parent_only: sees = |parents, node, other| node == other || parents[node] == Some(other);
    not_itself: sees = |parents, node, other| node != other && (RIGHT.sees)(parents, node, other);
    upside_down: sees = |parents, node, other| (RIGHT.sees)(parents, other, node);
    root_unseen: sees = |parents, node, other| node == other || (other > 0 && (RIGHT.sees)(parents, node, other));
    cache_unseen: sees_cache = false;
    position_is_index: position = |_, node, cached| cached + node;
    position_without_cache: position = |parents, node, _| depth(parents, node);
    position_one_late: position = |parents, node, cached| cached + depth(parents, node) + 1;
    first_match_taken: path = |tree| {
        tree.walk(|node| tree.children(node).find(|&child| tree.matches(child)))
    };
    first_branch_only: path = |tree| {
        tree.walk(|node| tree.children(node).next().filter(|&child| tree.matches(child)))
    };
    own_answer: path = |tree| tree.deepest(|node| {
        upwards(tree.parents, node).all(|node| node == 0 || tree.tokens[node] == tree.answers[node])
    });
    ancestors_unchecked: path = |tree| tree.deepest(|node| tree.matches(node));
    all_accepted: path = |tree| tree.deepest(|_| true);
    one_level: path = |tree| tree.deepest(|node| depth(tree.parents, node) < 2 && tree.stands(node));
    nothing_dropped: kept = |_| None;
    cut_to_length: kept = |path| Some((0..path.len()).collect());
    root_dropped: kept = |path| Some(path[1..].to_vec());
    last_dropped: kept = |path| Some(path[..path.len().max(2) - 1].to_vec());
    kept_backwards: kept = |path| Some(path.iter().rev().copied().collect());
    no_bonus: result = |tree, path| accepted(tree, path).collect();
    root_returned: result = |tree, path| {
        tree.tokens.first().copied().into_iter().chain((RIGHT.result)(tree, path)).collect()
    };
    bonus_of_last_node: result = |tree, path| accepted(tree, path).chain(tree.answers.last().copied()).collect();
    bonus_of_root: result = |tree, path| accepted(tree, path).chain(tree.answers.first().copied()).collect();
}

/// Another formulation of the right answer, for the tests.
#[cfg(test)]
pub fn flawless(target: &mut dyn Target, tokens: &[u32], parents: &[Option<usize>]) -> Outcome {
    step(RIGHT, target, tokens, parents)
}

/// A pass for every way from the root to a leaf, and another to fill the cache.
pub fn branch_by_branch(target: &mut dyn Target, tokens: &[u32], parents: &[Option<usize>]) -> Outcome {
    let feed = |target: &mut dyn Target, path: &[usize]| {
        let (n, cached) = (path.len(), target.cached());
        let list: Vec<u32> = path.iter().map(|&node| tokens[node]).collect();
        let positions: Vec<usize> = (cached..cached + n).collect();
        let visible: Vec<Vec<bool>> = (0..n).map(|i| (0..cached + n).map(|j| j <= cached + i).collect()).collect();
        target.forward(&list, &positions, &visible)
    };
    let mut tree = Tree { tokens, parents, answers: vec![0; tokens.len()] };
    let leaves: Vec<usize> = (0..tokens.len()).filter(|&node| tree.children(node).next().is_none()).collect();
    for leaf in leaves {
        let path = down_to(parents, leaf);
        let answers = feed(target, &path)?;
        path.iter().zip(answers).for_each(|(&node, answer)| tree.answers[node] = answer);
        target.keep(&[])?;
    }
    let path = (RIGHT.path)(&tree);
    feed(target, &path)?;
    Ok((RIGHT.result)(&tree, &path))
}

/// The accepted tokens are fed once more for the token after them.
pub fn second_pass(target: &mut dyn Target, tokens: &[u32], parents: &[Option<usize>]) -> Outcome {
    let drop_all = Recipe {
        kept: |_| Some(Vec::new()),
        result: |tree, path| path.iter().map(|&node| tree.tokens[node]).collect(),
        ..RIGHT
    };
    let path = step(drop_all, target, tokens, parents)?;
    let chain: Vec<Option<usize>> = (0..path.len()).map(|i| i.checked_sub(1)).collect();
    let all = Recipe { path: |tree| tree.deepest(|_| true), ..RIGHT };
    step(all, target, &path, &chain)
}
