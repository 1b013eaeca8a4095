//! What must not be rejected.

use super::{Attempt, Dfa, mistakes, problem, reference};
use std::collections::BTreeMap;

/// Names of the cases that this attempt does not pass.
fn failed(attempt: Attempt) -> Vec<String> {
    problem().failed_by(&attempt, 0)
}

/// A vocabulary as a tree of characters.
#[derive(Default)]
struct Trie {
    tokens: Vec<usize>,
    children: BTreeMap<char, Trie>,
}

impl Trie {
    fn mark(&self, dfa: &Dfa, state: usize, mask: &mut [bool]) {
        self.tokens.iter().for_each(|&id| mask[id] = true);
        for (&c, child) in &self.children {
            if let Some(next) = dfa.next(state, c) {
                child.mark(dfa, next, mask);
            }
        }
    }
}

/// One walk of the tree for each state: what cannot be read cuts off everything behind it.
fn by_trie(dfa: &Dfa, vocab: &[&str], eos: u32) -> Vec<Vec<bool>> {
    let mut root = Trie::default();
    for (id, text) in vocab.iter().enumerate().filter(|(id, text)| *id != eos as usize && !text.is_empty()) {
        text.chars().fold(&mut root, |node, c| node.children.entry(c).or_default()).tokens.push(id);
    }
    let mask = |state: usize| {
        let mut mask = vec![false; vocab.len()];
        root.mark(dfa, state, &mut mask);
        mask[eos as usize] = dfa.accepts(state);
        mask
    };
    (0..dfa.states()).map(mask).collect()
}

#[test]
fn a_trie_is_right() {
    let added = |logits: &[f32], allowed: &[bool]| {
        let bias = allowed.iter().map(|&allowed| if allowed { 0.0 } else { f32::NEG_INFINITY });
        logits.iter().zip(bias.chain(std::iter::repeat(f32::NEG_INFINITY))).map(|(logit, bias)| logit + bias).collect()
    };
    let attempt = Attempt { token_masks: by_trie, mask_logits: added, advance: reference::advance };
    assert_eq!(failed(attempt), [""; 0]);
}

/// Decoding alone, without the masks being looked at, tells right from wrong.
#[test]
fn decoded_texts_reject_the_classic_mistakes() {
    let texts = |attempt: Attempt| failed(attempt).into_iter().any(|name| name.ends_with(", decoded"));
    assert!(!texts(mistakes::RIGHT));
    for wrong in [mistakes::FIRST_CHARACTER, mistakes::EOS_EVERYWHERE, mistakes::UNMASKED, mistakes::ONE_CHARACTER] {
        assert!(texts(wrong));
    }
}
