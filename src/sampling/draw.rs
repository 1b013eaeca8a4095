//! The draw: inverse CDF over the kept candidates, from a generator that is the same everywhere.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// The candidates that are left, ids rising, with probabilities that sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    ids: Vec<u32>,
    probabilities: Vec<f32>,
}

/// Where a uniform fell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The uniform, in [0, 1).
    pub uniform: f64,
    /// The token.
    pub id: u32,
    /// Its probability in the distribution that was drawn from.
    pub probability: f64,
    /// The token's interval of the cumulative distribution: from here …
    pub from: f64,
    /// … to here.
    pub to: f64,
}

impl Kept {
    pub(super) fn new((ids, probabilities): (Vec<u32>, Vec<f32>)) -> Self {
        Self { ids, probabilities }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Never true of a trace's result.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Ids and probabilities, ids rising.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.ids.iter().zip(&self.probabilities).map(|(&id, &p)| (id, f64::from(p)))
    }

    /// A token's probability; 0 if it is not among the kept.
    pub fn probability(&self, id: u32) -> f64 {
        self.ids.binary_search(&id).map_or(0.0, |place| f64::from(self.probabilities[place]))
    }

    /// The first token, in order of id, whose cumulative probability exceeds `uniform`. What rounding leaves of the
    /// last stretch belongs to the last token with a probability.
    pub fn draw(&self, uniform: f64) -> Draw {
        let (mut from, mut last) = (0.0, None);
        for (id, p) in self.iter().filter(|(_, p)| *p > 0.0) {
            let to = from + p;
            last = Some(Draw { uniform, id, probability: p, from, to });
            if to > uniform {
                break;
            }
            from = to;
        }
        last.unwrap_or(Draw { uniform, id: 0, probability: 0.0, from: 0.0, to: 0.0 })
    }
}

/// The uniforms of a run: ChaCha with 8 rounds, keyed by the seed, one block of the stream for each step, so that the
/// uniform of step *t* is the same in every lane and whatever was drawn before. 53 bits, in [0, 1).
pub fn uniform(seed: u64, step: usize) -> f64 {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(step as u64);
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}
