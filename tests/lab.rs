//! The lab's lanes on a toy language model whose every logit is known.

use logitlings::lab::{Lane, Lanes, Source};
use logitlings::sampling::{Engine, Settings, Stage};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const VOCABULARY: usize = 23;

/// Logits are a fixed function of everything that was fed; `fed` counts tokens over all forks.
#[derive(Clone)]
struct Toy {
    tokens: Vec<u32>,
    fed: Arc<AtomicUsize>,
}

impl Source for Toy {
    fn vocabulary(&self) -> usize {
        VOCABULARY
    }
    fn context(&self) -> usize {
        16
    }
    fn len(&self) -> usize {
        self.tokens.len()
    }
    fn feed(&mut self, tokens: &[u32]) -> Result<Vec<f32>, String> {
        self.tokens.extend(tokens);
        self.fed.fetch_add(tokens.len(), Relaxed);
        let state = self.tokens.iter().fold(7u32, |h, &t| h.wrapping_mul(31).wrapping_add(t + 1));
        Ok((0..VOCABULARY as u32).map(|i| (state.wrapping_mul(2 * i + 1) >> 16) as f32 / 16384.0).collect())
    }
    fn truncate(&mut self, len: usize) {
        self.tokens.truncate(len);
    }
    fn fork(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }
}

fn settings(stages: &[Stage]) -> Settings {
    let stages = stages.iter().map(|stage| (*stage, true)).collect();
    Settings { stages, rules: Engine::Transformers.rules(), greedy: false }
}

fn lane(stages: &[Stage]) -> (Lane, Arc<AtomicUsize>) {
    let fed = Arc::new(AtomicUsize::new(0));
    let toy = Toy { tokens: Vec::new(), fed: fed.clone() };
    (Lane::new("one", settings(stages), Box::new(toy), &[3, 1, 4]), fed)
}

fn steps(lane: &mut Lane, count: usize) -> Vec<u32> {
    for _ in 0..count {
        lane.forward(42).expect("a step");
    }
    lane.generated()
}

#[test]
fn stepping_back_and_forward_computes_nothing_again() {
    let (mut lane, fed) = lane(&[Stage::Temperature(1.0)]);
    let ten = steps(&mut lane, 10);
    assert_eq!(fed.load(Relaxed), 3 + 9);
    lane.back(5);
    assert_eq!(lane.generated(), ten[..5]);
    assert_eq!(lane.ahead(), 5);
    assert_eq!(steps(&mut lane, 5), ten);
    assert_eq!(fed.load(Relaxed), 3 + 9);
}

#[test]
fn forcing_keeps_the_branch_and_feeds_one_token() {
    let (mut lane, fed) = lane(&[Stage::Temperature(1.0)]);
    let ten = steps(&mut lane, 10);
    lane.back(6);
    let other = (ten[3] + 1) % VOCABULARY as u32;
    lane.force(other).expect("a token of the vocabulary");
    let before = fed.load(Relaxed);
    let forced = steps(&mut lane, 1);
    assert_eq!(fed.load(Relaxed) - before, 1, "only the forced token is fed");
    assert_eq!((forced[..3].to_vec(), forced[3]), (ten[..3].to_vec(), other));
    assert_eq!(lane.branches().len(), 1);
    lane.enter(0);
    assert_eq!(lane.generated(), ten);
    assert_eq!(lane.branches().len(), 1, "the forced continuation is kept in its turn");
}

#[test]
fn a_forced_branch_equals_a_run_that_began_so() {
    let (mut lane, _) = lane(&[Stage::TopK(5)]);
    steps(&mut lane, 6);
    lane.back(3);
    lane.force(0).expect("a token");
    let forced = steps(&mut lane, 4);
    let toy = Toy { tokens: Vec::new(), fed: Arc::default() };
    let mut fresh = Lane::new("fresh", settings(&[Stage::TopK(5)]), Box::new(toy), &[3, 1, 4]);
    steps(&mut fresh, 3);
    fresh.force(0).expect("a token");
    assert_eq!(steps(&mut fresh, 4), forced);
}

#[test]
fn another_setting_is_seen_at_the_same_step() {
    let (mut lane, fed) = lane(&[Stage::Temperature(2.0)]);
    let five = steps(&mut lane, 5);
    let (before, uniform) = (fed.load(Relaxed), lane.current().expect("a step").draw.uniform);
    lane.set(settings(&[Stage::TopK(1)]), 42).expect("settings");
    assert_eq!(fed.load(Relaxed), before, "the logits are still there");
    assert_eq!(lane.steps().len(), 5);
    assert_eq!(lane.generated()[..4], five[..4]);
    let now = lane.current().expect("a step");
    assert_eq!((now.trace.kept.len(), now.draw.uniform), (1, uniform));
}

#[test]
fn refused_settings_change_nothing() {
    let (mut lane, _) = lane(&[Stage::Temperature(1.0)]);
    let three = steps(&mut lane, 3);
    let reason = lane.set(settings(&[Stage::Temperature(-1.0)]), 42).expect_err("refused");
    assert!(reason.contains("temperature"), "{reason}");
    assert_eq!((lane.generated(), lane.settings().clone()), (three, settings(&[Stage::Temperature(1.0)])));
}

#[test]
fn the_end_of_the_context_is_a_sentence() {
    let (mut lane, _) = lane(&[]);
    steps(&mut lane, 14);
    let reason = lane.forward(42).expect_err("17 tokens do not fit 16");
    assert!(reason.contains("context is full"), "{reason}");
    assert_eq!(lane.steps().len(), 14);
}

#[test]
fn equal_lanes_never_part() {
    let (first, _) = lane(&[Stage::Temperature(1.3), Stage::TopP(0.9)]);
    let mut lanes = Lanes::new(first, 42);
    lanes.copy(0, "two").expect("room");
    for _ in 0..12 {
        assert!(lanes.forward().iter().all(Result::is_ok));
    }
    assert_eq!(lanes.first_difference(), None);
    let uniforms = |i: usize| lanes.lanes()[i].steps().iter().map(|s| s.draw.uniform).collect::<Vec<_>>();
    assert_eq!(uniforms(0), uniforms(1));
}

#[test]
fn other_lanes_part_where_they_part() {
    let (first, _) = lane(&[Stage::Temperature(1.0)]);
    let mut lanes = Lanes::new(first, 42);
    lanes.copy(0, "greedy").expect("room");
    let greedy = settings(&[Stage::TopK(1)]);
    lanes.lane_mut(1).expect("a lane").set(greedy, 42).expect("settings");
    (0..8).for_each(|_| drop(lanes.forward()));
    let at = lanes.first_difference().expect("a hot lane leaves the greedy one");
    let tokens = |i: usize| lanes.lanes()[i].generated();
    assert_eq!(tokens(0)[..at], tokens(1)[..at]);
    assert_ne!(tokens(0)[at], tokens(1)[at]);
    assert!(lanes.copy(0, "three").is_ok() && lanes.copy(0, "four").is_ok());
    assert!(lanes.copy(0, "five").is_err());
}

#[test]
fn a_setting_before_the_first_step_keeps_what_was_known() {
    let (mut lane, fed) = lane(&[Stage::Temperature(1.0)]);
    let five = steps(&mut lane, 5);
    lane.back(5);
    lane.set(settings(&[Stage::TopK(1)]), 42).expect("settings");
    assert_eq!((lane.known().len(), lane.branches().len(), lane.branches()[0].at), (0, 1, 0));
    let before = fed.load(Relaxed);
    steps(&mut lane, 1);
    assert_eq!(fed.load(Relaxed), before, "the logits after the prompt are known");
    lane.enter(0);
    assert_eq!(lane.generated(), five);
    assert_eq!(lane.branches().len(), 1);
}

/// Lanes over the same prompt under the same seed.
fn pair(stages: &[Stage], other: &[Stage], seed: u64) -> Lanes {
    let make = |stages: &[Stage]| {
        let toy = Toy { tokens: Vec::new(), fed: Arc::default() };
        Lane::new("one", settings(stages), Box::new(toy), &[3, 1, 4])
    };
    let mut lanes = Lanes::of(vec![make(stages), make(other)], seed).expect("two lanes");
    (0..13).for_each(|_| assert!(lanes.forward().iter().all(Result::is_ok)));
    lanes
}

proptest! {
    #[test]
    fn lanes_with_equal_settings_never_part(t in 0.05f64..4.0, k in 1usize..30, p in 0.01f64..1.0, seed in any::<u64>()) {
        let stages = [Stage::Temperature(t), Stage::TopK(k), Stage::TopP(p)];
        let lanes = pair(&stages, &stages, seed);
        prop_assert_eq!(lanes.first_difference(), None);
        let again = pair(&stages, &stages, seed);
        prop_assert_eq!(lanes.lanes()[0].generated(), again.lanes()[1].generated(), "same seed, same run");
    }

    /// However a reader goes back and forth, a step is a function of what stands before it.
    #[test]
    fn going_back_and_forth_changes_nothing(moves in prop::collection::vec((any::<bool>(), 1usize..6), 1..12), seed in any::<u64>()) {
        let (mut lane, _) = lane(&[Stage::Temperature(1.5)]);
        for (forward, count) in moves {
            if forward { let _ = lane.reach((lane.steps().len() + count).min(13), seed); } else { lane.back(count); }
        }
        lane.reach(13, seed).expect("it fits");
        let straight = pair(&[Stage::Temperature(1.5)], &[], seed);
        prop_assert_eq!(lane.generated(), straight.lanes()[0].generated());
    }
}
