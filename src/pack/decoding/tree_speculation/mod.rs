//! Greedy verification of a tree of drafts. Witness: the tiny GPT-2 in transformers, fed a tree at once and a path at a time,
//! and its own greedy `generate`.

mod cases;
mod mistakes;
mod reference;
mod target;
#[cfg(test)]
mod tests;

pub use target::Target;

use crate::judge::{self, Problem};
use std::process::ExitCode;

/// Target, tokens (n), parents (n) → the accepted drafts and one more token.
pub type Attempt = fn(&mut dyn Target, &[u32], &[Option<usize>]) -> Result<Vec<u32>, String>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    cases::all(accepted(fed(Problem::new("tree-speculation", reference::tree_speculation as Attempt))))
}

/// Mistakes in what the target is fed.
fn fed(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("siblings-seen", "a node sees its siblings: they are alternatives to it, not its past", mistakes::siblings_seen)
        .mistake("plain-causal", "the mask is the plain causal one: a node sees every node before it, those of other branches too", mistakes::plain_causal)
        .mistake("all-seen", "every node sees every other, its own continuations included", mistakes::all_seen)
        .mistake("parent-only", "a node sees its parent and itself but not the ancestors above", mistakes::parent_only)
        .mistake("not-itself", "a node does not see itself", mistakes::not_itself)
        .mistake("upside-down", "the mask is transposed: a node sees its descendants and not its ancestors", mistakes::upside_down)
        .mistake("root-unseen", "the root is not seen by the drafts; it is their common past", mistakes::root_unseen)
        .mistake("cache-unseen", "the cached text is masked out; every node sees all of it", mistakes::cache_unseen)
        .mistake("position-is-index", "the positions count the nodes: siblings would stand one behind the other; a node's position is P + its depth", mistakes::position_is_index)
        .mistake("position-without-cache", "the positions begin at 0 in every step; the root stands at position P", mistakes::position_without_cache)
        .mistake("position-one-late", "all positions are one too far: the root is at depth 0, position P", mistakes::position_one_late)
        .mistake("branch-by-branch", "every branch has a pass of its own: shared beginnings are computed again and again, and the point of the tree is lost", mistakes::branch_by_branch)
        .mistake("second-pass", "the accepted tokens are fed once more to fill the cache and to get the next token; the tree's pass has computed both", mistakes::second_pass)
}

/// Mistakes in what is accepted, kept and returned.
fn accepted(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("first-match-taken", "the walk goes down to the first child that matches; of two children with the same token the other one may lead further", mistakes::first_match_taken)
        .mistake("first-branch-only", "only the first child of each node is looked at", mistakes::first_branch_only)
        .mistake("own-answer", "a draft is compared with what the target says after it; it has to be what the target says after its parent", mistakes::own_answer)
        .mistake("ancestors-unchecked", "a draft is accepted if it matches after its parent, although a draft above it was rejected", mistakes::ancestors_unchecked)
        .mistake("all-accepted", "the longest branch is accepted as it is, whatever the target says", mistakes::all_accepted)
        .mistake("one-level", "at most one draft is accepted", mistakes::one_level)
        .mistake("nothing-dropped", "the keys and values of rejected branches stay in the cache, where every later token sees them", mistakes::nothing_dropped)
        .mistake("cut-to-length", "the cache is cut back to the accepted length, as for a chain: the entries of a path need not be the first of the tree", mistakes::cut_to_length)
        .mistake("root-dropped", "the root's entry is dropped from the cache; it was fed in this pass and belongs to the text", mistakes::root_dropped)
        .mistake("last-dropped", "the last accepted draft's entry is dropped; only the bonus token has none yet", mistakes::last_dropped)
        .mistake("kept-backwards", "the path is kept from its end to the root: the entries must lie in the order of the text", mistakes::kept_backwards)
        .mistake("no-bonus", "the token after the accepted path is not returned; the pass has paid for it, and where nothing is accepted it is all there is", mistakes::no_bonus)
        .mistake("root-returned", "the root is returned again; it was known before the step", mistakes::root_returned)
        .mistake("bonus-of-last-node", "the bonus token is what the target says after the last node of the tree; it is what it says after the accepted path", mistakes::bonus_of_last_node)
        .mistake("bonus-of-root", "the bonus token is what the target says after the root", mistakes::bonus_of_root)
}
