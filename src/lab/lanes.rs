//! Lanes in lockstep: the same prompt, the same uniforms, other settings.

use super::lane::{Lane, Step};

/// As many as fit beside each other.
pub const MOST: usize = 4;

/// Two to four lanes (or one) that step together.
pub struct Lanes {
    lanes: Vec<Lane>,
    seed: u64,
}

/// A lane at the present step, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Entropy of the model's own distribution, in nats.
    pub raw_entropy: f64,
    /// Entropy of what is drawn from, in nats.
    pub entropy: f64,
    /// Candidates that are left.
    pub kept: usize,
    /// The model's mass on them.
    pub kept_mass: f64,
    /// KL from the model's distribution to what is drawn from, in nats.
    pub divergence: f64,
}

impl Lanes {
    /// One lane to begin with.
    pub fn new(first: Lane, seed: u64) -> Self {
        Self { lanes: vec![first], seed }
    }

    /// The seed of the uniforms.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The lanes.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// One lane, to change.
    pub fn lane_mut(&mut self, index: usize) -> Option<&mut Lane> {
        self.lanes.get_mut(index)
    }

    /// Copies a lane to its right. Fails when there are four.
    pub fn copy(&mut self, index: usize, name: &str) -> Result<usize, String> {
        if self.lanes.len() >= MOST {
            return Err(format!("there are {MOST} lanes already: close one first"));
        }
        let copy = self.lanes.get(index).ok_or("there is no such lane")?.copy(name);
        self.lanes.insert(index + 1, copy);
        Ok(index + 1)
    }

    /// Closes a lane; the last one stays.
    pub fn close(&mut self, index: usize) {
        if self.lanes.len() > 1 && index < self.lanes.len() {
            self.lanes.remove(index);
        }
    }

    /// One step forward in every lane. Answers one result a lane: a lane that cannot go on says why, the others go on.
    pub fn forward(&mut self) -> Vec<Result<(), String>> {
        let seed = self.seed;
        self.lanes.iter_mut().map(|lane| lane.forward(seed).map(|_| ())).collect()
    }

    /// `count` steps back in every lane.
    pub fn back(&mut self, count: usize) {
        self.lanes.iter_mut().for_each(|lane| lane.back(count));
    }

    /// The first step at which a lane's token differs from the first lane's.
    pub fn first_difference(&self) -> Option<usize> {
        let (first, rest) = self.lanes.split_first()?;
        let parts = |lane: &Lane| {
            first.steps().iter().zip(lane.steps()).position(|(a, b): (&Step, &Step)| a.token() != b.token())
        };
        rest.iter().filter_map(parts).min()
    }
}

impl Step {
    /// The step in numbers.
    pub fn standing(&self) -> Standing {
        let (raw, last) = (&self.trace.stages[0], &self.trace.stages[self.trace.stages.len() - 1]);
        Standing {
            raw_entropy: raw.entropy,
            entropy: last.entropy,
            kept: self.trace.kept.len(),
            kept_mass: self.trace.stages.iter().map(|stage| stage.kept_mass).product(),
            divergence: self.trace.divergence,
        }
    }
}
