//! The cases: trees with given answers, and a toy model that must be decoded as if greedily.

use super::target::{Answers, Entry, Recorder, toy};
use super::{Attempt, Target};
use crate::judge::{Case, Problem, Result, Value, golden};
use serde_json::Value as Json;

/// Parents of the six-node tree: two branches, one of which parts again.
const SIX: &[usize] = &[0, 0, 0, 1, 1, 2];

/// A tree: tokens, and parents, of which the root's does not count.
pub(super) struct Tree {
    pub tokens: Vec<u32>,
    pub parents: Vec<Option<usize>>,
}

impl Tree {
    fn new(tokens: &[u32], parents: &[usize]) -> Self {
        let parents = parents.iter().enumerate().map(|(node, &parent)| (node > 0).then_some(parent)).collect();
        Self { tokens: tokens.to_vec(), parents }
    }

    /// Grown by the case's generator: drafts are what the toy model says with this probability, and any token otherwise.
    fn grown(case: &mut Case, root: u32, size: usize, cache: &[Entry], vocab: u32, right: f64) -> Self {
        let mut tree = Self { tokens: vec![root], parents: vec![None] };
        for node in 1..size {
            // Mostly the newest nodes get children, so that the tree is deep enough to be worth while.
            let back = (case.uniform() * case.uniform() * node as f64) as usize;
            let parent = node - 1 - back.min(node - 1);
            let token = if case.uniform() < right {
                tree.answer(parent, cache, vocab)
            } else {
                case.int(0..i64::from(vocab)) as u32
            };
            tree.tokens.push(token);
            tree.parents.push(Some(parent));
        }
        tree
    }

    /// What the toy model says after a node.
    fn answer(&self, node: usize, cache: &[Entry], vocab: u32) -> u32 {
        let mut path: Vec<usize> = std::iter::successors(Some(node), |&node| self.parents[node]).collect();
        path.reverse();
        let drafts = path.iter().enumerate().map(|(depth, &node)| (cache.len() + depth, self.tokens[node]));
        toy(cache.iter().copied().chain(drafts), vocab)
    }
}

/// Runs one step and observes what was fed, what came out and what is in the cache, each under this prefix.
fn step(attempt: &Attempt, case: &mut Case, name: &str, target: &mut Recorder, tree: &Tree) -> Result<Vec<u32>> {
    target.passes.clear();
    let tokens = attempt(target, &tree.tokens, &tree.parents)?;
    let passes: Vec<String> =
        target.passes.iter().map(|pass| format!("a pass over {} tokens", pass.tokens.len())).collect();
    case.observe(&format!("{name}passes"), Value::calls(&passes));
    if let Some(pass) = target.passes.first() {
        case.observe(&format!("{name}tokens fed"), Value::ints(&pass.tokens));
        case.observe(&format!("{name}positions"), Value::ints(&pass.positions));
        let shape = vec![pass.visible.len(), pass.visible[0].len()];
        let data = pass.visible.iter().flatten().map(|&seen| i64::from(seen)).collect();
        case.observe(&format!("{name}mask, 1 = seen"), Value::Ints { shape, data });
    }
    case.observe(&format!("{name}result"), Value::ints(&tokens));
    let cache: Vec<u32> = target.cache.iter().map(|(_, token)| *token).collect();
    case.observe(&format!("{name}tokens in the cache"), Value::ints(&cache));
    Ok(tokens)
}

/// A step in which the target's answers are given.
fn given(attempt: &Attempt, case: &mut Case, cached: &[u32], tree: &Tree, answers: &[u32]) -> Result<()> {
    case.given("tokens in the cache", cached);
    case.given("tokens", &tree.tokens);
    case.given("parents", &tree.parents);
    case.given("what the target says after each node", answers);
    let mut target = Recorder::new(cached, Answers::Given(answers.to_vec()));
    step(attempt, case, "", &mut target, tree).map(drop)
}

pub(super) fn all(problem: Problem<Attempt>) -> Problem<Attempt> {
    golden_of(decoded(shapes(hand(problem))))
}

fn hand(problem: Problem<Attempt>) -> Problem<Attempt> {
    let six = || Tree::new(&[7, 3, 5, 8, 9, 4], SIX);
    problem
        .case("six nodes, nothing cached", move |attempt, case| given(attempt, case, &[], &six(), &[5, 1, 4, 2, 6, 0]))
        .case("six nodes behind three cached tokens", move |attempt, case| {
            given(attempt, case, &[1, 2, 6], &six(), &[5, 1, 4, 2, 6, 0])
        })
        .case("the other branch, a fork", move |attempt, case| given(attempt, case, &[2], &six(), &[3, 9, 4, 2, 6, 1]))
        .case("nothing is accepted", move |attempt, case| given(attempt, case, &[4, 4], &six(), &[6, 8, 4, 2, 5, 1]))
        .case("a draft fits below one that does not", move |attempt, case| {
            given(attempt, case, &[9], &six(), &[5, 8, 1, 2, 6, 3])
        })
}

fn shapes(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("the root alone", |attempt, case| given(attempt, case, &[5, 1], &Tree::new(&[8], &[0]), &[3]))
        .case("a chain, all accepted", |attempt, case| {
            given(attempt, case, &[1], &Tree::new(&[2, 3, 4, 5], &[0, 0, 1, 2]), &[3, 4, 5, 6])
        })
        .case("a chain, broken in the middle", |attempt, case| {
            given(attempt, case, &[], &Tree::new(&[2, 3, 4, 5], &[0, 0, 1, 2]), &[3, 9, 5, 6])
        })
        .case("five children, the fourth fits", |attempt, case| {
            given(attempt, case, &[6, 6], &Tree::new(&[1, 2, 3, 4, 5, 6], &[0; 6]), &[5, 7, 8, 9, 3, 2])
        })
        .case("branch after branch", |attempt, case| {
            let tree = Tree::new(&[1, 4, 2, 8, 5, 7, 3, 9], &[0, 0, 1, 2, 0, 4, 5, 4]);
            given(attempt, case, &[3], &tree, &[5, 2, 8, 1, 7, 3, 6, 4])
        })
        .case("twins: the second leads further", |attempt, case| {
            let tree = Tree::new(&[1, 4, 4, 2, 6], &[0, 0, 0, 1, 2]);
            given(attempt, case, &[3, 5], &tree, &[4, 6, 6, 0, 8])
        })
        .case("twins that lead equally far", |attempt, case| {
            let tree = Tree::new(&[1, 4, 4, 6, 2, 6], &[0, 0, 0, 2, 1, 1]);
            given(attempt, case, &[2], &tree, &[4, 6, 6, 9, 1, 9])
        })
}

/// With the toy model, whose answer depends on everything that a node sees.
fn decoded(problem: Problem<Attempt>) -> Problem<Attempt> {
    problem
        .case("twelve rounds are greedy decoding", |attempt, case| rounds(attempt, case, 12, 9, 11, 0.7))
        .case("many twins", |attempt, case| rounds(attempt, case, 12, 14, 3, 0.4))
        .case("drafts that are mostly wrong", |attempt, case| rounds(attempt, case, 10, 6, 40, 0.15))
        .cost("300 nodes behind 400 tokens", |attempt, case| {
            let text: Vec<u32> = (0..400).map(|_| case.int(0..50) as u32).collect();
            let mut target = Recorder::new(&text, Answers::Toy(50));
            let tree = Tree::grown(case, 7, 300, &target.cache, 50, 0.6);
            let tokens = attempt(&mut target, &tree.tokens, &tree.parents)?;
            case.observe("result", Value::ints(&tokens));
            Ok(())
        })
}

/// Steps with a fresh tree each; the text must be what greedy decoding gives, token by token.
fn rounds(attempt: &Attempt, case: &mut Case, count: usize, size: usize, vocab: u32, right: f64) -> Result<()> {
    case.given(
        "target",
        format!("a toy model of {vocab} tokens: its answer is a hash of the (position, token) pairs seen"),
    );
    let mut text: Vec<u32> = (0..4).map(|_| case.int(0..i64::from(vocab)) as u32).collect();
    let start = text.len();
    let mut target = Recorder::new(&text[..start - 1], Answers::Toy(vocab));
    for round in 0..count {
        // Trees are grown behind the true text, whatever the attempt has made of its cache.
        let truth: Vec<Entry> = greedy(&text[..start], text.len() - start, vocab).into_iter().enumerate().collect();
        let (&(_, root), cache) = truth.split_last().ok_or("an empty text")?;
        let tree = Tree::grown(case, root, size, cache, vocab, right);
        case.given(&format!("round {round}: tokens, parents"), (&tree.tokens, &tree.parents));
        text.extend(step(attempt, case, &format!("round {round}: "), &mut target, &tree)?);
    }
    let plain = greedy(&text[..start], text.len() - start, vocab);
    case.observe("the text is that of greedy decoding", Value::Flag(text == plain));
    Ok(())
}

/// The text continued by `count` tokens, one at a time.
fn greedy(text: &[u32], count: usize, vocab: u32) -> Vec<u32> {
    let mut text = text.to_vec();
    for _ in 0..count {
        text.push(toy(text.iter().copied().enumerate(), vocab));
    }
    text
}

fn golden_of(problem: Problem<Attempt>) -> Problem<Attempt> {
    let fixture = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/tree-speculation.json"));
    problem.golden(fixture, |attempt, fixture| {
        for entry in fixture.entries("cases")? {
            let ids =
                |json: &Json| -> Result<Vec<u32>> { Ok(golden::ints(json)?.into_iter().map(|id| id as u32).collect()) };
            let parents =
                golden::ints(&entry["parents"])?.into_iter().map(|parent| usize::try_from(parent).ok()).collect();
            let tree = Tree { tokens: ids(&entry["tokens"])?, parents };
            let mut target = Recorder::new(&ids(&entry["cached"])?, Answers::Given(ids(&entry["answers"])?));
            let tokens = attempt(&mut target, &tree.tokens, &tree.parents)?;
            let pass = target.passes.first().ok_or("no pass")?;
            let mask: Vec<i64> = pass.visible.iter().flatten().map(|&seen| i64::from(seen)).collect();
            let cache: Vec<u32> = target.cache.iter().map(|(_, token)| *token).collect();
            for (what, got) in [
                ("positions", Value::ints(&pass.positions)),
                ("mask", Value::ints(&mask)),
                ("result", Value::ints(&tokens)),
                ("cache", Value::ints(&cache)),
            ] {
                fixture.expect(what, Value::ints(&golden::ints(&entry[what])?), got);
            }
            fixture.expect("passes", Value::ints(&[1]), Value::ints(&[target.passes.len()]));
            fixture.expect("cached", Value::ints(&[cache.len()]), Value::ints(&[target.cached()]));
        }
        Ok(())
    })
}
