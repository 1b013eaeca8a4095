//! What goes wrong at speed in a radix tree: one tree, with a flaw of choice.

use super::{RadixCache, Token};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flaw {
    #[cfg(test)]
    Flawless,
    NoSplit,
    WholeEdgesOnly,
    EdgeCounted,
    SlotsReplaced,
    SlotsCutWrong,
    ReturnsNew,
    InnerEvicted,
    NewestFirst,
    OneLeafOnly,
    NoCascade,
    Trims,
    MatchIsNoUse,
    LockIsNoUse,
    EndUsedOnly,
    SplitRefreshesBoth,
    MatchSplitsNothing,
    LocksIgnored,
    LockOnEndOnly,
    UnlockOnEndOnly,
    LockWholeEdge,
    LockIsFlag,
    SplitUnlocksUpper,
    SplitUnlocksLower,
    EvictableIsAll,
    ScansSiblings,
    WalksPrompt,
    ComparesFromRoot,
}

use Flaw::*;

const ROOT: usize = 0;

#[derive(Clone, Default)]
struct Node {
    tokens: Vec<Token>,
    slots: Vec<u32>,
    parent: usize,
    children: BTreeMap<Token, usize>,
    locks: usize,
    used: u64,
    gone: bool,
}

struct Tree {
    flaw: Flaw,
    nodes: Vec<Node>,
    clock: u64,
}

/// What a walk may do where it ends inside an edge.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Split,
    /// Counts the part that agrees, and goes to the whole edge.
    Enter,
    /// Stays above the edge.
    Stop,
}

impl Tree {
    fn walk(&mut self, tokens: &[Token], inside: Inside) -> (usize, usize) {
        let (mut node, mut matched) = (ROOT, 0);
        while let Some(first) = tokens.get(matched) {
            if self.flaw == ScansSiblings {
                let _ = std::hint::black_box(self.nodes[node].children.keys().filter(|key| *key == first).count());
            }
            let Some(&child) = self.nodes[node].children.get(first) else { break };
            if self.flaw == ComparesFromRoot {
                let _ = std::hint::black_box(tokens[..matched] == tokens.to_vec()[..matched]);
            }
            let edge = &self.nodes[child].tokens;
            let common = edge.iter().zip(&tokens[matched..]).take_while(|(a, b)| a == b).count();
            if common == edge.len() {
                node = child;
            } else if inside == Inside::Stop {
                break;
            } else if inside == Inside::Enter {
                return (child, matched + common);
            } else {
                node = self.split(child, common);
            }
            matched += common;
        }
        (node, matched)
    }

    fn split(&mut self, lower: usize, at: usize) -> usize {
        let (upper, old) = (self.nodes.len(), self.nodes[lower].clone());
        let (head, rest) = old.tokens.split_at(at);
        let lower_slots = if self.flaw == SlotsCutWrong { &old.slots[..rest.len()] } else { &old.slots[at..] };
        if self.flaw == SplitRefreshesBoth {
            self.nodes[lower].used = self.clock + 1;
        }
        let node = &mut self.nodes[lower];
        (node.tokens, node.slots, node.parent) = (rest.to_vec(), lower_slots.to_vec(), upper);
        if self.flaw == SplitUnlocksLower {
            node.locks = 0;
        }
        self.nodes[old.parent].children.insert(head[0], upper);
        self.nodes.push(Node {
            tokens: head.to_vec(),
            slots: old.slots[..at].to_vec(),
            children: BTreeMap::from([(rest[0], lower)]),
            locks: if self.flaw == SplitUnlocksUpper { 0 } else { old.locks },
            ..old
        });
        upper
    }

    fn path(&self, mut node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while node != ROOT {
            path.push(node);
            node = self.nodes[node].parent;
        }
        path
    }

    fn touch(&mut self, node: usize) {
        self.clock += 1;
        let path = self.path(node);
        let last = if self.flaw == EndUsedOnly { 1 } else { path.len() };
        path.into_iter().take(last).for_each(|node| self.nodes[node].used = self.clock);
    }

    /// The nodes that a lock counts on.
    fn locked_path(&self, node: usize, only_end: bool) -> Vec<usize> {
        self.path(node).into_iter().take(if only_end { 1 } else { usize::MAX }).collect()
    }

    fn leaf(&self, node: usize) -> bool {
        node != ROOT && !self.nodes[node].gone && self.nodes[node].children.is_empty()
    }

    fn may_go(&self, node: usize) -> bool {
        let inner = self.flaw == InnerEvicted && node != ROOT && !self.nodes[node].gone;
        (inner || self.leaf(node)) && (self.nodes[node].locks == 0 || self.flaw == LocksIgnored)
    }

    /// Takes a node out with all that hangs below it.
    fn remove(&mut self, node: usize) -> Vec<u32> {
        let Node { tokens, slots, parent, children, .. } = self.nodes[node].clone();
        self.nodes[node].gone = true;
        if self.nodes[parent].children.get(&tokens[0]) == Some(&node) {
            self.nodes[parent].children.remove(&tokens[0]);
        }
        children.into_values().fold(slots, |mut slots, child| {
            slots.extend(self.remove(child));
            slots
        })
    }

    fn oldest(&self, candidates: &[usize]) -> Option<usize> {
        let age = |&node: &usize| match self.flaw {
            NewestFirst => (u64::MAX - self.nodes[node].used, 0),
            _ => (self.nodes[node].used, self.path(node).len()),
        };
        candidates.iter().copied().filter(|&node| self.may_go(node)).min_by_key(age)
    }

    fn alive(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| !node.gone)
    }
}

impl RadixCache for Tree {
    fn insert(&mut self, tokens: &[Token], slots: &[u32]) -> usize {
        let (parent, matched) = self.walk(tokens, if self.flaw == NoSplit { Inside::Stop } else { Inside::Split });
        let mut end = parent;
        if let Some(first) = tokens.get(matched).copied() {
            if let Some(&other) = self.nodes[parent].children.get(&first) {
                self.remove(other);
            }
            end = self.nodes.len();
            let (tokens, slots) = (tokens[matched..].to_vec(), slots[matched..].to_vec());
            self.nodes.push(Node { tokens, slots, parent, ..Node::default() });
            self.nodes[parent].children.insert(first, end);
        }
        if self.flaw == SlotsReplaced {
            let mut from = 0;
            for node in self.path(end).into_iter().rev() {
                let length = self.nodes[node].slots.len();
                self.nodes[node].slots.copy_from_slice(&slots[from..from + length]);
                from += length;
            }
        }
        self.touch(end);
        if self.flaw == ReturnsNew { tokens.len() - matched } else { matched }
    }

    fn match_prefix(&mut self, tokens: &[Token]) -> Vec<u32> {
        if self.flaw == WalksPrompt {
            tokens.iter().for_each(|token| token.hash(&mut DefaultHasher::new()));
        }
        let inside = match self.flaw {
            NoSplit | WholeEdgesOnly => Inside::Stop,
            MatchSplitsNothing | EdgeCounted => Inside::Enter,
            _ => Inside::Split,
        };
        let (node, matched) = self.walk(tokens, inside);
        if self.flaw != MatchIsNoUse {
            self.touch(node);
        }
        let slots = self.path(node).into_iter().rev().flat_map(|node| &self.nodes[node].slots).copied();
        slots.take(if self.flaw == EdgeCounted { usize::MAX } else { matched }).collect()
    }

    fn lock(&mut self, tokens: &[Token]) -> usize {
        let inside = match self.flaw {
            NoSplit => Inside::Stop,
            LockWholeEdge => Inside::Enter,
            _ => Inside::Split,
        };
        let (node, matched) = self.walk(tokens, inside);
        if self.flaw != LockIsNoUse {
            self.touch(node);
        }
        for node in self.locked_path(node, self.flaw == LockOnEndOnly) {
            let locks = self.nodes[node].locks + 1;
            self.nodes[node].locks = if self.flaw == LockIsFlag { 1 } else { locks };
        }
        matched
    }

    fn unlock(&mut self, tokens: &[Token]) {
        let (node, _) = self.walk(tokens, if self.flaw == LockWholeEdge { Inside::Enter } else { Inside::Split });
        for node in self.locked_path(node, matches!(self.flaw, LockOnEndOnly | UnlockOnEndOnly)) {
            self.nodes[node].locks = self.nodes[node].locks.saturating_sub(1);
        }
    }

    fn evict(&mut self, tokens: usize) -> Vec<u32> {
        let mut freed = Vec::new();
        let candidates: Vec<usize> = (0..self.nodes.len()).collect();
        let leaves: Vec<usize> = candidates.iter().copied().filter(|&node| self.leaf(node)).collect();
        while freed.len() < tokens {
            let from = if self.flaw == NoCascade { &leaves } else { &candidates };
            let Some(node) = self.oldest(from) else { break };
            let excess = (freed.len() + self.nodes[node].tokens.len()).saturating_sub(tokens);
            if self.flaw == Trims && excess > 0 {
                self.nodes[node].tokens.truncate(excess);
                freed.extend(self.nodes[node].slots.drain(excess..));
            } else {
                freed.extend(self.remove(node));
            }
            if self.flaw == OneLeafOnly {
                break;
            }
        }
        freed
    }

    fn cached(&self) -> usize {
        self.alive().map(|node| node.tokens.len()).sum()
    }

    fn evictable(&self) -> usize {
        let counts = |node: &&Node| node.locks == 0 || matches!(self.flaw, EvictableIsAll | LocksIgnored);
        self.alive().filter(counts).map(|node| node.tokens.len()).sum()
    }
}

pub fn make(flaw: Flaw) -> Box<dyn RadixCache> {
    Box::new(Tree { flaw, nodes: vec![Node::default()], clock: 0 })
}
