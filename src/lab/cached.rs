//! A [`Source`] over a causal language model: one row, fed token by token behind what its cache holds.

use super::source::Source;
use crate::model::{Cache, CausalLm, Error};
use candle_core::{IndexOp, Tensor};
use std::sync::Arc;

/// A model in the middle of one sequence.
#[derive(Clone)]
pub struct Cached {
    model: Arc<dyn CausalLm>,
    cache: Cache,
}

impl Cached {
    /// A sequence that has not begun.
    pub fn new(model: Arc<dyn CausalLm>) -> Self {
        let cache = model.new_cache();
        Self { model, cache }
    }
}

/// Ids and positions `from`, `from` + 1, … of one row, (1, T) each.
fn row(model: &dyn CausalLm, tokens: &[u32], from: usize) -> candle_core::Result<(Tensor, Tensor)> {
    let positions: Vec<u32> = (from as u32..(from + tokens.len()) as u32).collect();
    let shape = (1, tokens.len());
    let ids = Tensor::from_slice(tokens, shape, model.device())?;
    Ok((ids, Tensor::from_vec(positions, shape, model.device())?))
}

/// Logits (T, V) of all positions of a text, computed at once.
pub fn all_logits(model: &dyn CausalLm, tokens: &[u32]) -> Result<Vec<Vec<f32>>, Error> {
    let (ids, positions) = row(model, tokens, 0)?;
    let logits = model.forward(&ids, &positions, None, &mut model.new_cache())?;
    Ok(logits.i(0)?.to_vec2()?)
}

/// Attention weights of a text, computed at once: for each layer and head the (T, T) rows of its queries, each summing
/// to 1 and 0 beyond its own position.
pub fn attention(model: &dyn CausalLm, tokens: &[u32]) -> Result<Vec<Vec<Vec<Vec<f32>>>>, Error> {
    let (ids, positions) = row(model, tokens, 0)?;
    let (_, maps) = model.forward_with_attention(&ids, &positions, None, &mut model.new_cache())?;
    Ok(maps.iter().map(|map| map.i(0)?.to_vec3()).collect::<candle_core::Result<_>>()?)
}

impl Source for Cached {
    fn vocabulary(&self) -> usize {
        self.model.vocab()
    }

    fn context(&self) -> usize {
        self.model.context()
    }

    fn len(&self) -> usize {
        self.cache.len()
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<Vec<f32>, String> {
        let mut run = || -> Result<Vec<f32>, Error> {
            let (ids, positions) = row(&*self.model, tokens, self.cache.len())?;
            let logits = self.model.forward(&ids, &positions, None, &mut self.cache)?;
            Ok(logits.i((0, tokens.len() - 1))?.to_vec1()?)
        };
        if tokens.is_empty() {
            return Err("there is no token to feed".to_owned());
        }
        run().map_err(|error| error.to_string())
    }

    fn truncate(&mut self, len: usize) {
        if self.cache.truncate(len).is_err() {
            // What cannot be cut is forgotten: it is computed again.
            self.cache = self.model.new_cache();
        }
    }

    fn fork(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }
}
