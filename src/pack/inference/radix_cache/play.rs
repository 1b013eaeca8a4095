//! Calls, and the one who makes them.

use super::{Attempt, RadixCache, Token};
use crate::judge::{Case, Result, Value};

/// One call.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Insert(Vec<u32>),
    Match(Vec<u32>),
    Lock(Vec<u32>),
    /// Takes back the lock call of this number, counted from 0.
    Unlock(usize),
    Evict(usize),
}

use Call::{Evict, Insert, Lock, Match, Unlock};

pub(super) fn ids(list: &[u32]) -> Vec<Token> {
    list.iter().copied().map(Token::new).collect()
}

pub(super) fn played(attempt: &Attempt, case: &mut Case, calls: &[Call]) -> Result<()> {
    case.given("calls", calls);
    case.given("slots", "those of the first insert are 100, 101, …, of the second 200, 201, …");
    let mut player = Player::default();
    let mut tree = attempt();
    let lines: Vec<String> = calls.iter().map(|call| player.call(&mut *tree, call)).collect();
    case.observe("after each call", Value::text(&lines));
    Ok(())
}

/// Makes calls, hands out slots, and knows what was locked.
#[derive(Default)]
pub(super) struct Player {
    inserts: u32,
    locked: Vec<Vec<Token>>,
}

impl Player {
    pub(super) fn call(&mut self, tree: &mut dyn RadixCache, call: &Call) -> String {
        let outcome = match call {
            Insert(tokens) => {
                self.inserts += 1;
                let slots: Vec<u32> = (0..tokens.len() as u32).map(|i| 100 * self.inserts + i).collect();
                format!("insert {tokens:?}: {} were there", tree.insert(&ids(tokens), &slots))
            }
            Match(tokens) => format!("match {tokens:?}: slots {:?}", tree.match_prefix(&ids(tokens))),
            Lock(tokens) => {
                let tokens = ids(tokens);
                let length = tree.lock(&tokens);
                self.locked.push(tokens[..length.min(tokens.len())].to_vec());
                format!("lock {tokens:?}: {length} tokens")
            }
            Unlock(index) => {
                let tokens = self.locked[*index].clone();
                tree.unlock(&tokens);
                format!("unlock {tokens:?}")
            }
            Evict(count) => {
                let mut slots = tree.evict(*count);
                slots.sort_unstable();
                format!("evict {count}: slots {slots:?}")
            }
        };
        format!("{outcome}; {} cached, {} evictable", tree.cached(), tree.evictable())
    }
}
