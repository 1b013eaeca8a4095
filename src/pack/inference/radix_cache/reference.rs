//! A radix tree of cached prefixes, as in SGLang's RadixAttention (Zheng et al. 2024).

use super::{RadixCache, Token};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::iter::successors;
use std::mem::{replace, take};

const ROOT: usize = 0;

#[derive(Default)]
struct Node {
    /// The edge from the parent; empty for the root and for nodes that are gone.
    tokens: Vec<Token>,
    slots: Vec<u32>,
    parent: usize,
    /// By the first token of the child's edge.
    children: HashMap<Token, usize>,
    locks: usize,
    used: u64,
}

struct Tree {
    nodes: Vec<Node>,
    /// Places of nodes that are gone.
    vacant: Vec<usize>,
    clock: u64,
}

impl Tree {
    /// Goes down as far as the tokens agree, and splits the edge inside which that ends. Returns the node that ends
    /// there and how many tokens lead to it.
    fn walk(&mut self, tokens: &[Token]) -> (usize, usize) {
        let (mut node, mut matched) = (ROOT, 0);
        while let Some(&child) = tokens.get(matched).and_then(|first| self.nodes[node].children.get(first)) {
            let edge = &self.nodes[child].tokens;
            let common = edge.iter().zip(&tokens[matched..]).take_while(|(a, b)| a == b).count();
            node = if common < edge.len() { self.split(child, common) } else { child };
            matched += common;
        }
        (node, matched)
    }

    /// Puts a node for the first `at` tokens of an edge between `lower` and its parent.
    fn split(&mut self, lower: usize, at: usize) -> usize {
        let node = &mut self.nodes[lower];
        let (rest, slots) = (node.tokens.split_off(at), node.slots.split_off(at));
        let above = Node {
            children: HashMap::from([(rest[0], lower)]),
            tokens: replace(&mut node.tokens, rest),
            slots: replace(&mut node.slots, slots),
            ..*node // under the same parent, as locked and as old as the whole was
        };
        let (parent, first) = (above.parent, above.tokens[0]);
        let upper = self.add(above);
        self.nodes[lower].parent = upper;
        self.nodes[parent].children.insert(first, upper);
        upper
    }

    fn add(&mut self, node: Node) -> usize {
        let index = self.vacant.pop().unwrap_or(self.nodes.len());
        if index == self.nodes.len() {
            self.nodes.push(node)
        } else {
            self.nodes[index] = node
        }
        index
    }

    /// Takes a leaf out and returns its slots.
    fn remove(&mut self, leaf: usize) -> Vec<u32> {
        let Node { tokens, slots, parent, .. } = take(&mut self.nodes[leaf]);
        self.nodes[parent].children.remove(&tokens[0]);
        self.vacant.push(leaf);
        slots
    }

    /// The nodes from this one up, without the root.
    fn path(&self, node: usize) -> Vec<usize> {
        successors(Some(node), |&node| Some(self.nodes[node].parent)).take_while(|&node| node != ROOT).collect()
    }

    fn touch(&mut self, node: usize) {
        self.clock += 1;
        self.path(node).into_iter().for_each(|node| self.nodes[node].used = self.clock);
    }

    fn may_go(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        node.locks == 0 && node.children.is_empty() && !node.tokens.is_empty()
    }
}

impl RadixCache for Tree {
    fn insert(&mut self, tokens: &[Token], slots: &[u32]) -> usize {
        let (parent, matched) = self.walk(tokens);
        let mut end = parent;
        if let Some(&first) = tokens.get(matched) {
            let (tokens, slots) = (tokens[matched..].to_vec(), slots[matched..].to_vec());
            end = self.add(Node { tokens, slots, parent, ..Node::default() });
            self.nodes[parent].children.insert(first, end);
        }
        self.touch(end);
        matched
    }

    fn match_prefix(&mut self, tokens: &[Token]) -> Vec<u32> {
        let (node, _) = self.walk(tokens);
        self.touch(node);
        self.path(node).into_iter().rev().flat_map(|node| &self.nodes[node].slots).copied().collect()
    }

    fn lock(&mut self, tokens: &[Token]) -> usize {
        let (node, matched) = self.walk(tokens);
        self.touch(node);
        self.path(node).into_iter().for_each(|node| self.nodes[node].locks += 1);
        matched
    }

    fn unlock(&mut self, tokens: &[Token]) {
        // A locked prefix ends at a node, so nothing is split here.
        let (node, _) = self.walk(tokens);
        self.path(node).into_iter().for_each(|node| self.nodes[node].locks -= 1);
    }

    fn evict(&mut self, tokens: usize) -> Vec<u32> {
        let entry = |tree: &Self, node: usize| Reverse((tree.nodes[node].used, node));
        let mut leaves: BinaryHeap<_> =
            (0..self.nodes.len()).filter(|&node| self.may_go(node)).map(|node| entry(self, node)).collect();
        let mut freed = Vec::new();
        while freed.len() < tokens
            && let Some(Reverse((_, leaf))) = leaves.pop()
        {
            let parent = self.nodes[leaf].parent;
            freed.extend(self.remove(leaf));
            if self.may_go(parent) {
                leaves.push(entry(self, parent));
            }
        }
        freed
    }

    fn cached(&self) -> usize {
        self.nodes.iter().map(|node| node.tokens.len()).sum()
    }

    fn evictable(&self) -> usize {
        self.nodes.iter().filter(|node| node.locks == 0).map(|node| node.tokens.len()).sum()
    }
}

/// An empty cache.
pub fn radix_cache() -> Box<dyn RadixCache> {
    Box::new(Tree { nodes: vec![Node::default()], vacant: Vec::new(), clock: 0 })
}
