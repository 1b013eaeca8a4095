//! A radix-tree prefix cache. Witness: a flat set of cached prefixes, without a tree.

mod cases;
mod mistakes;
mod play;
mod reference;
mod token;

pub use token::Token;

use crate::judge::{self, Problem, Value, golden};
use mistakes::Flaw;
use play::{Call, Player};
use std::process::ExitCode;

/// Cached sequences as a tree whose edges carry runs of tokens, each token with its KV slot.
pub trait RadixCache {
    /// Caches a sequence, one slot for each token, and returns how many of its tokens were cached already; those keep
    /// their old slots.
    fn insert(&mut self, tokens: &[Token], slots: &[u32]) -> usize;
    /// The slots of the longest cached prefix.
    fn match_prefix(&mut self, tokens: &[Token]) -> Vec<u32>;
    /// Protects the longest cached prefix from eviction and returns its length. Locks are counted.
    fn lock(&mut self, tokens: &[Token]) -> usize;
    /// Takes one lock off; `tokens` is exactly a prefix that is locked.
    fn unlock(&mut self, tokens: &[Token]);
    /// Removes unlocked leaves, the least recently used first, until at least `tokens` tokens are gone or none is left.
    /// Returns their slots in any order.
    fn evict(&mut self, tokens: usize) -> Vec<u32>;
    /// How many tokens are cached.
    fn cached(&self) -> usize;
    /// How many of them `evict` could remove.
    fn evictable(&self) -> usize;
}

/// → an empty cache.
pub type Attempt = fn() -> Box<dyn RadixCache>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("radix-cache", reference::radix_cache as Attempt);
    cases::all(locking(keeping(problem))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/radix-cache.json")),
        |attempt, fixture| {
            for entry in fixture.entries("scripts")? {
                let (mut tree, mut player) = (attempt(), Player::default());
                for call in entry.as_array().ok_or("golden fixture: no script")? {
                    let number = || call["n"].as_u64().unwrap_or(0) as usize;
                    let tokens = || -> judge::Result<Vec<u32>> {
                        Ok(golden::ints(&call["tokens"])?.into_iter().map(|token| token as u32).collect())
                    };
                    let made = match call["call"].as_str() {
                        Some("insert") => Call::Insert(tokens()?),
                        Some("match") => Call::Match(tokens()?),
                        Some("lock") => Call::Lock(tokens()?),
                        Some("unlock") => Call::Unlock(number()),
                        _ => Call::Evict(number()),
                    };
                    let got = player.call(&mut *tree, &made);
                    let wanted = call["after"].as_str().ok_or("golden fixture: no outcome")?;
                    fixture.expect("outcome", Value::text(&[wanted]), Value::text(&[got]));
                }
            }
            Ok(())
        },
    )
}

/// The tree with this flaw, as an attempt.
macro_rules! flawed {
    ($flaw:ident) => {
        || mistakes::make(Flaw::$flaw)
    };
}

fn keeping(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("no-split", "a sequence that parts from another inside an edge replaces it: the edge must be split, so that both live on below what they share", flawed!(NoSplit))
        .mistake("whole-edges-only", "a match counts whole edges; it goes on inside the last one as far as the tokens agree", flawed!(WholeEdgesOnly))
        .mistake("edge-counted-whole", "a match that ends inside an edge returns the whole edge: the slots of tokens that the prompt does not have", flawed!(EdgeCounted))
        .mistake("slots-replaced", "insert gives the tokens that were cached already the new slots: the old ones are in use and are lost to the pool", flawed!(SlotsReplaced))
        .mistake("slots-cut-wrong", "a split cuts the tokens and leaves the first slots in the lower part", flawed!(SlotsCutWrong))
        .mistake("returns-new", "insert returns how many tokens are new; asked for is how many were there, whose slots the caller frees", flawed!(ReturnsNew))
        .mistake("inner-node-evicted", "a node that has children is evicted, and all that hangs below it is gone with it", flawed!(InnerEvicted))
        .mistake("newest-first", "the leaf that was used last is evicted first", flawed!(NewestFirst))
        .mistake("one-leaf-only", "evict removes one leaf and returns, whether that was enough or not", flawed!(OneLeafOnly))
        .mistake("no-cascade", "a parent whose last child has gone is not considered before the next call", flawed!(NoCascade))
        .mistake("match-is-no-use", "a match does not make its path young: what is hit all the time is evicted as if nobody wanted it", flawed!(MatchIsNoUse))
        .mistake("end-used-only", "only the last node of the path becomes young; its ancestors were used as well", flawed!(EndUsedOnly))
        .mistake("scans-siblings", "the children of a node are tried one after another: the cost of a lookup grows with the number of cached sequences", flawed!(ScansSiblings))
        .mistake("walks-the-prompt", "a lookup goes through the whole prompt, cached or not; it can stop where the cache ends", flawed!(WalksPrompt))
        .mistake("compares-from-the-root", "at every node the prefix is compared or hashed from its start: the cost grows with the square of its length", flawed!(ComparesFromRoot))
        .convention("trims-leaves", "evict cuts exactly as many tokens as were asked for off the end of a leaf; asked for is to remove leaves whole", flawed!(Trims))
        .convention("split-refreshes-both", "both parts of a split edge become young, as in SGLang; asked for is that the lower part keeps its age", flawed!(SplitRefreshesBoth))
        .convention("match-splits-nothing", "match_prefix leaves an edge whole in which it ends, and all of it becomes young; asked for is to split it, as SGLang does", flawed!(MatchSplitsNothing))
}

fn locking(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("locks-ignored", "evict takes leaves that are locked, while a running request reads them", flawed!(LocksIgnored))
        .mistake("lock-on-the-end-only", "the lock counts on the last node only: its ancestors cannot be evicted either, so they must not be counted as evictable", flawed!(LockOnEndOnly))
        .mistake("unlock-on-the-end-only", "the lock counts on the whole path and is taken off the last node only: the ancestors stay locked for ever", flawed!(UnlockOnEndOnly))
        .mistake("locks-the-whole-edge", "a lock that ends inside an edge protects all of it; split the edge, so that the rest can go", flawed!(LockWholeEdge))
        .mistake("lock-is-a-flag", "a lock is on or off: the first of two requests that unlocks takes the other's protection away", flawed!(LockIsFlag))
        .mistake("lock-is-no-use", "lock does not make its path young, although it walks like the others", flawed!(LockIsNoUse))
        .mistake("split-unlocks-the-upper-part", "a split of a locked edge makes an upper part without the lock: it is counted as evictable, and its count is off by one after unlock", flawed!(SplitUnlocksUpper))
        .mistake("split-unlocks-the-lower-part", "a split of a locked edge leaves the lower part without the lock, and it can be evicted while it is read", flawed!(SplitUnlocksLower))
        .mistake("evictable-counts-all", "evictable counts locked tokens too: an admission that relies on it runs out of memory", flawed!(EvictableIsAll))
}

/// The mistakes' tree without a flaw keeps its children sorted and searches all nodes for the oldest leaf, and is accepted.
#[cfg(test)]
#[test]
fn sorted_children_and_a_search_are_right() {
    use crate::judge::{Options, report::Report};
    let mut report = Report::default();
    let options = Options { device: candle_core::Device::Cpu, only: None };
    let attempt: Attempt = flawed!(Flawless);
    problem().judge(&attempt, &options, &mut |line| report.push(line));
    assert!(report.first_failure().is_none(), "{:?}", report.first_failure());
}
