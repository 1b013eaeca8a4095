//! The block table of a paged KV cache. Witness: lengths and ceil(n/B) alone, without a free list.

mod cases;
mod mistakes;
mod reference;

use crate::judge::{self, Problem, Value};
use mistakes::Flaw;
use std::process::ExitCode;

/// Why a call was refused. A refused call has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The free blocks are too few.
    OutOfBlocks,
    /// There is a live sequence of this id.
    AlreadyLive,
    /// There is no live sequence of this id.
    UnknownSequence,
}

/// Which blocks belong to which sequence. A sequence of n tokens holds ceil(n/B) of them.
pub trait BlockManager {
    /// Starts a sequence of `tokens` tokens.
    fn allocate(&mut self, sequence: u32, tokens: usize) -> Result<(), Refusal>;
    /// Adds `tokens` more tokens to a live sequence.
    fn append(&mut self, sequence: u32, tokens: usize) -> Result<(), Refusal>;
    /// Ends a sequence and gives its blocks back.
    fn release(&mut self, sequence: u32) -> Result<(), Refusal>;
    /// The sequence's physical blocks in order; empty if it is not live.
    fn table(&self, sequence: u32) -> Vec<usize>;
    /// The physical slot of a token, `table[position / B] · B + position % B`; `None` where there is no token.
    fn slot(&self, sequence: u32, position: usize) -> Option<usize>;
    /// How many blocks are free.
    fn free_blocks(&self) -> usize;
}

/// Block size B (1 or more), number of blocks → a pool in which all of them are free.
pub type Attempt = fn(usize, usize) -> Box<dyn BlockManager>;

/// Entry point of an attempt's binary.
pub fn main(attempt: Attempt) -> ExitCode {
    judge::attempt_main(problem(), attempt)
}

/// The judge's side.
pub fn problem() -> Problem<Attempt> {
    let problem = Problem::new("paged-block-table", reference::block_manager as Attempt);
    cases::all(known(problem)).golden(
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/paged-block-table.json")),
        |attempt, fixture| {
            for entry in fixture.entries("scripts")? {
                let number = |name: &str| entry[name].as_u64().map(|n| n as usize).ok_or("golden fixture: no number");
                let mut pool = attempt(number("block_size")?, number("blocks")?);
                let calls = entry["calls"].as_array().ok_or("golden fixture: no calls")?;
                for call in calls {
                    let (id, tokens) = (call["id"].as_u64().unwrap_or(0) as u32, call["tokens"].as_u64().unwrap_or(0));
                    let done = match call["call"].as_str() {
                        Some("allocate") => pool.allocate(id, tokens as usize),
                        Some("append") => pool.append(id, tokens as usize),
                        _ => pool.release(id),
                    };
                    let outcome = done.map_or_else(|refusal| format!("{refusal:?}"), |()| "ok".to_owned());
                    let got = format!("{outcome} {} {}", pool.table(id).len(), pool.free_blocks());
                    let wanted = call["after"].as_str().ok_or("golden fixture: no outcome")?;
                    fixture.expect("outcome, blocks, free", Value::text(&[wanted]), Value::text(&[got]));
                }
            }
            Ok(())
        },
    )
}

/// The pool with this flaw, as an attempt.
macro_rules! flawed {
    ($flaw:ident) => {
        |block_size, blocks| mistakes::make(Flaw::$flaw, block_size, blocks)
    };
}

fn known(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .mistake("append-compares-capacity", "append asks whether the capacity is less than the tokens to add, keeps no length and adds one block at most: 6 + 3 tokens of block size 4 stay in 2 blocks, and the ninth is written past the end", flawed!(CapacityAsTotal))
        .mistake("append-as-total", "append takes its tokens for the new total; they come on top of what is there", flawed!(AppendAsTotal))
        .mistake("append-one-block-at-most", "append takes one block at most; an append of many tokens needs as many as are missing", flawed!(OneBlockAtMost))
        .mistake("append-always-a-block", "every append takes a block; as long as the last one has room none is needed", flawed!(AlwaysABlock))
        .mistake("append-rounds-alone", "append rounds its own tokens up to blocks and ignores the room in the last one: what counts is ceil(total/B)", flawed!(OwnBlocks))
        .mistake("append-reallocates", "append takes a new table for the whole sequence: the keys and values are in the old blocks", flawed!(Reallocates))
        .mistake("append-creates", "append starts a sequence that is not live; it is to be refused", flawed!(CreatesOnAppend))
        .mistake("length-not-updated", "the length stays what it was at the start, so later appends count from there", flawed!(LengthNotUpdated))
        .mistake("floor-plus-one", "n / B + 1 blocks are taken: one too many at every exact multiple", flawed!(FloorPlusOne))
        .mistake("floor-division", "n / B blocks are taken: the tokens of the last, partly filled block have no place", flawed!(FloorDivision))
        .mistake("empty-takes-a-block", "a sequence without tokens gets a block; ceil(0/B) is 0", flawed!(EmptyTakesABlock))
        .mistake("not-removed", "the blocks stay in the list of free ones, so that two sequences write into the same block", flawed!(NotRemoved))
        .mistake("unchecked", "whether there are enough free blocks is not checked: the call panics when the list is empty", flawed!(Unchecked))
        .mistake("last-block-refused", "a call that needs exactly the free blocks is refused: < where ≤ is right", flawed!(LastBlockRefused))
        .mistake("refusal-leaks", "blocks are taken one by one until none is left, and the refused call does not give them back", flawed!(LeaksPartial))
        .mistake("refusal-keeps-blocks", "a refused append leaves the blocks that it did get in the table", flawed!(KeepsPartial))
        .mistake("refusal-keeps-length", "a refused append adds its tokens to the length all the same", flawed!(LengthGrowsOnRefusal))
        .mistake("refusal-registers", "a refused allocate leaves a live sequence behind, and the next try finds it there", flawed!(RegistersFailed))
        .mistake("release-forgets", "release drops the table without giving the blocks back", flawed!(ReleaseForgets))
        .mistake("release-keeps", "release gives the blocks back and leaves the sequence live: it still writes there, and a second release frees them twice", flawed!(ReleaseKeeps))
        .mistake("release-shrugs", "release of a sequence that is not live succeeds; it is to be refused", flawed!(ReleaseShrugs))
        .mistake("allocate-overwrites", "allocate replaces the table of a live sequence, whose blocks are lost", flawed!(Overwrites))
        .mistake("slot-transposed", "quotient and remainder are mixed up: the block is position / B, the offset position % B", flawed!(SlotTransposed))
        .mistake("slot-is-position", "the slot is the position itself, as in a cache without pages: the table is not asked", flawed!(SlotIsPosition))
        .mistake("slot-without-offset", "the slot is where the block begins; the offset position % B is missing", flawed!(SlotWithoutOffset))
        .mistake("slot-beyond-length", "positions behind the last token have a slot as long as the block has room; nothing is stored there yet", flawed!(SlotBeyondLength))
}

/// The mistakes' pool without a flaw takes its blocks in another order and is accepted.
#[cfg(test)]
#[test]
fn another_order_of_blocks_is_right() {
    use crate::judge::{Options, report::Report};
    let mut report = Report::default();
    let options = Options { device: candle_core::Device::Cpu, only: None };
    let attempt: Attempt = flawed!(Flawless);
    problem().judge(&attempt, &options, &mut |line| report.push(line));
    assert!(report.first_failure().is_none(), "{:?}", report.first_failure());
}
