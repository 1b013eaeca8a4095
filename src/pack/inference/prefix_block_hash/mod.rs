//! A prefix cache by block hash. Witness: sets of prefixes without blocks or hashes.

mod cases;
mod mistakes;
mod play;
mod reference;

use crate::judge::{self, Problem, Value, golden};
use mistakes::Flaw;
use play::{Call, Watch};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Full blocks of a KV cache, shared by prompts that begin alike and kept until their room is needed.
pub trait PrefixCache {
    /// How many tokens of this prompt are cached: its leading full blocks, never all its tokens. Changes nothing.
    fn lookup(&self, tokens: &[u32]) -> usize;
    /// Starts a sequence with this prompt (1 token or more) and returns how many tokens were hit; `None` if the blocks are
    /// too few, and then nothing has changed.
    fn start(&mut self, sequence: u32, tokens: &[u32]) -> Option<usize>;
    /// Ends a live sequence. Its full blocks stay cached.
    fn finish(&mut self, sequence: u32);
    /// A live sequence's physical blocks in order.
    fn table(&self, sequence: u32) -> Vec<usize>;
    /// How many blocks no live sequence holds.
    fn free_blocks(&self) -> usize;
}

/// Block size B (1 or more), number of blocks → a cache in which all of them are empty.
pub type Attempt = fn(usize, usize) -> Box<dyn PrefixCache>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("prefix-block-hash", reference::prefix_cache as Attempt);
    cases::all(conventions(known(problem))).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/prefix-block-hash.json")),
        |attempt, fixture| {
            for entry in fixture.entries("scripts")? {
                let number = |name: &str| entry[name].as_u64().map(|n| n as usize).ok_or("golden fixture: no number");
                let (block_size, blocks) = (number("block_size")?, number("blocks")?);
                let mut cache = attempt(block_size, blocks);
                let (live, content) = (BTreeMap::new(), BTreeMap::new());
                let mut watch = Watch { block_size, blocks, live, content, broken: Vec::new() };
                for call in entry["calls"].as_array().ok_or("golden fixture: no calls")? {
                    let id = call["id"].as_u64().unwrap_or(0) as u32;
                    let tokens = || -> judge::Result<Vec<u32>> {
                        Ok(golden::ints(&call["tokens"])?.into_iter().map(|token| token as u32).collect())
                    };
                    let made = match call["call"].as_str() {
                        Some("start") => Call::Start(id, tokens()?),
                        Some("lookup") => Call::Lookup(tokens()?),
                        _ => Call::Finish(id),
                    };
                    let got = watch.call(&mut *cache, &made);
                    let wanted = call["after"].as_str().ok_or("golden fixture: no outcome")?;
                    fixture.expect("outcome", Value::text(&[wanted]), Value::text(&[got]));
                }
                fixture.expect("broken rules", Value::text::<&str>(&[]), Value::text(&watch.broken));
            }
            Ok(())
        },
    )
}

/// The cache with this flaw, as an attempt.
macro_rules! flawed {
    ($flaw:ident) => {
        |block_size, blocks| mistakes::make(Flaw::$flaw, block_size, blocks)
    };
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("hash-without-parent", "the hash covers the block's own tokens only: the same tokens after another prefix have other keys and values", flawed!(WithoutParent))
        .mistake("hash-one-block-back", "the hash covers the block and the one before it; it must depend on the whole prefix, through the parent's hash", flawed!(ParentOnly))
        .mistake("hash-by-index", "the hash covers the block's tokens and its index: the position is right, and the prefix may still be another", flawed!(ByIndex))
        .mistake("hash-blind-to-order", "the hash adds up or sorts the tokens of a block, so that a permutation hits", flawed!(OrderBlind))
        .mistake("whole-prompt-hits", "all tokens of a prompt may be hit: then there is nothing left to compute, and no logits for the next token", flawed!(WholePrompt))
        .mistake("last-block-never-hits", "the last full block is always computed anew, although tokens come after it; what must be computed is the last token", flawed!(LastBlockAlways))
        .mistake("partial-block-shared", "a block that is not full is shared: its owner, or the newcomer, goes on writing into it", flawed!(PartialShared))
        .mistake("returns-blocks", "the hit is returned in blocks; asked for are tokens", flawed!(ReturnsBlocks))
        .mistake("evicts-referenced", "a block is evicted while a live sequence holds it", flawed!(EvictsReferenced))
        .mistake("not-counted", "finish makes the blocks free although other sequences share them: references have to be counted", flawed!(NoCount))
        .mistake("shallowest-first", "of blocks released together the one nearest to the start goes first, and leaves the rest of its chain where nobody can hit it", flawed!(ShallowestFirst))
        .mistake("newest-first", "the block that was released last is evicted first", flawed!(NewestFirst))
        .mistake("oldest-made-first", "the block that was filled first is evicted first, however often it has been hit since", flawed!(OldestMade))
        .mistake("oldest-start-first", "age is counted from the start of the last sequence that used the block; it counts from when the last reference went", flawed!(OldestStart))
        .mistake("drops-on-finish", "finish empties the blocks: nothing is shared with a prompt that comes later", flawed!(DropsOnFinish))
        .mistake("refusal-keeps-references", "a refused start has raised the counts of the blocks that it hit", flawed!(RefusalKeepsReferences))
        .mistake("evicts-its-own-hit", "blocks for the rest are taken before the hit ones are referenced, so that a prompt can evict what it is about to reuse", flawed!(EvictsItsOwnHit))
        .mistake("evicts-before-empty", "a cached block is evicted although an empty one is there", flawed!(EvictsBeforeEmpty))
        .mistake("never-evicts", "cached blocks are never given up: once every block has been used, nothing starts any more", flawed!(NeverEvicts))
        .mistake("evicts-all", "when a block is needed, everything without a reference is dropped; one block at a time is enough", flawed!(EvictsAll))
        .mistake("copy-takes-over", "a block that is computed again takes the place of the cached one in the map, and the old one becomes empty: the first stays", flawed!(CopyTakesOver))
        .mistake("copy-judged-too-early", "whether an equal block is cached is asked before the blocks are taken: the block that is evicted for the copy can be that very one, and then neither is cached", flawed!(CopyJudgedEarly))
}

fn conventions(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .convention("cached-at-finish", "blocks are cached when their sequence ends, so that two that run at the same time share nothing; asked for is to cache them in start", flawed!(CachedAtFinish))
        .convention("one-queue", "blocks that were not full wait in one queue with the cached ones, as in vLLM; asked for is to take empty blocks first", flawed!(OneQueue))
        .convention("copies-cached", "a block that is computed again is cached beside the first one, as in vLLM; asked for is that the copy is private", flawed!(CopiesCached))
        .convention("as-in-vllm", "empty and evictable blocks wait in one queue and equal blocks may be cached twice, as in vLLM; asked for is to take empty blocks first and to cache only the first of equal ones", flawed!(AsInVllm))
}

/// The mistakes' cache without a flaw keeps whole prefixes and no hashes, searches for everything, and is accepted.
#[cfg(test)]
#[test]
fn whole_prefixes_are_as_good_as_hashes() {
    use crate::judge::{Options, report::Report};
    let mut report = Report::default();
    let options = Options { device: candle_core::Device::Cpu, only: None };
    let attempt: Attempt = flawed!(Flawless);
    problem().judge(&attempt, &options, &mut |line| report.push(line));
    assert!(report.first_failure().is_none(), "{:?}", report.first_failure());
}
