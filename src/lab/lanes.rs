//! Lanes in lockstep: the same prompt, the same uniforms, other settings.

use super::lane::Lane;

/// As many as fit beside each other.
pub const MOST: usize = 4;

/// Two to four lanes (or one) that step together.
pub struct Lanes {
    lanes: Vec<Lane>,
    seed: u64,
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
        let parts = |lane: &Lane| first.steps().iter().zip(lane.steps()).position(|(a, b)| a.token() != b.token());
        rest.iter().filter_map(parts).min()
    }
}
