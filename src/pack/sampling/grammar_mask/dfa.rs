//! The automaton that the functions are handed.

use std::collections::BTreeMap;

/// A deterministic automaton over characters. State 0 is the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    edges: Vec<BTreeMap<char, usize>>,
    accepting: Vec<bool>,
}

impl Dfa {
    /// An automaton of `states` states with edges (from, characters, to), one for each of the characters.
    pub fn new(states: usize, accepting: &[usize], edges: &[(usize, &str, usize)]) -> Self {
        let mut dfa = Self { edges: vec![BTreeMap::new(); states], accepting: vec![false; states] };
        accepting.iter().for_each(|&state| dfa.accepting[state] = true);
        for &(from, characters, to) in edges {
            characters.chars().for_each(|c| {
                dfa.edges[from].insert(c, to);
            });
        }
        dfa
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// Whether a text may end in this state.
    pub fn accepts(&self, state: usize) -> bool {
        self.accepting[state]
    }

    /// The state after reading `c`; `None` if no text of the grammar goes on like that.
    pub fn next(&self, state: usize, c: char) -> Option<usize> {
        self.edges[state].get(&c).copied()
    }
}
