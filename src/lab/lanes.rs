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

    /// These lanes, of which there must be one to four.
    pub fn of(lanes: Vec<Lane>, seed: u64) -> Result<Self, String> {
        match lanes.len() {
            1..=MOST => Ok(Self { lanes, seed }),
            0 => Err("there is no lane".to_owned()),
            count => Err(format!("{count} lanes are too many: {MOST} fit beside each other")),
        }
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
        let copy = self.lanes.get(index).ok_or_else(|| format!("there is no lane {}", index + 1))?.copy(name);
        self.lanes.insert(index + 1, copy);
        Ok(index + 1)
    }

    /// Closes a lane; the last one stays.
    pub fn close(&mut self, index: usize) -> Result<(), String> {
        match self.lanes.len() {
            1 if index == 0 => Err("this is the only lane: it stays".to_owned()),
            count if index < count => {
                self.lanes.remove(index);
                Ok(())
            }
            _ => Err(format!("there is no lane {}", index + 1)),
        }
    }

    /// Where the foremost lane stands.
    pub fn cursor(&self) -> usize {
        self.lanes.iter().map(|lane| lane.steps().len()).max().unwrap_or(0)
    }

    /// One step forward in every lane; a lane that was left behind catches up. Answers one result a lane: a lane that
    /// cannot go on says why, the others go on.
    pub fn forward(&mut self) -> Vec<Result<(), String>> {
        let (seed, target) = (self.seed, self.cursor() + 1);
        self.lanes.iter_mut().map(|lane| lane.reach(target, seed)).collect()
    }

    /// `count` steps back from where the foremost lane stands, in every lane.
    pub fn back(&mut self, count: usize) {
        self.stand(self.cursor().saturating_sub(count));
    }

    /// No lane stands further than behind `at` steps. Lanes that know steps up to there stand there.
    pub fn stand(&mut self, at: usize) {
        self.lanes.iter_mut().for_each(|lane| lane.stand(at));
    }

    /// Every lane from its start, under another seed.
    pub fn restart(&mut self, seed: u64) {
        self.seed = seed;
        self.lanes.iter_mut().for_each(Lane::restart);
    }

    /// The first step at which a lane's token differs from the first lane's.
    pub fn first_difference(&self) -> Option<usize> {
        let (first, rest) = self.lanes.split_first()?;
        let parts = |lane: &Lane| first.steps().iter().zip(lane.steps()).position(|(a, b)| a.token() != b.token());
        rest.iter().filter_map(parts).min()
    }
}
