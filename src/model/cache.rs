//! The KV cache: keys and values of everything that was fed.

use super::error::{Error, Result};
use candle_core::Tensor;

/// Keys and values of one layer, each (B, H, P, d).
pub(super) type KeyValue = (Tensor, Tensor);

/// Keys and values of every layer for the P tokens that a row holds.
///
/// Appending concatenates into new storage and never writes into what exists, so a clone costs nothing, and two
/// branches that share their past cannot disturb each other.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    /// One entry a layer; empty as long as nothing has been fed.
    layers: Vec<KeyValue>,
}

impl Cache {
    /// A cache that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// P: how many tokens of each row it holds, padding included.
    pub fn len(&self) -> usize {
        self.layers.first().map_or(0, |(keys, _)| keys.dims()[2])
    }

    /// Whether nothing has been fed yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// B: rows of the batch; none as long as nothing has been fed.
    pub fn rows(&self) -> Option<usize> {
        self.layers.first().map(|(keys, _)| keys.dims()[0])
    }

    /// Bytes of the keys and values.
    pub fn bytes(&self) -> usize {
        let size = |tensor: &Tensor| tensor.elem_count() * tensor.dtype().size_in_bytes();
        self.layers.iter().map(|(keys, values)| size(keys) + size(values)).sum()
    }

    /// Forgets all but the first `len` tokens; a cache that is not longer stays as it is.
    pub fn truncate(&mut self, len: usize) -> Result<()> {
        if len == 0 {
            self.layers.clear();
        }
        if len < self.len() {
            let cut = |(keys, values): &KeyValue| Ok((keys.narrow(2, 0, len)?, values.narrow(2, 0, len)?));
            self.layers = self.layers.iter().map(cut).collect::<candle_core::Result<_>>()?;
        }
        Ok(())
    }

    /// Whether `rows` more rows of a model with `layers` layers can be appended.
    pub(super) fn check(&self, rows: usize, layers: usize) -> Result<()> {
        match self.rows() {
            Some(held) if held != rows => Err(Error::Cache(format!("it holds {held} rows and {rows} are fed"))),
            Some(_) if self.layers.len() != layers => {
                Err(Error::Cache(format!("it has {} layers and the model {layers}", self.layers.len())))
            }
            _ => Ok(()),
        }
    }

    /// The past of layer `index` with `new` behind it.
    pub(super) fn appended(&self, index: usize, new: KeyValue) -> candle_core::Result<KeyValue> {
        match self.layers.get(index) {
            Some((keys, values)) => Ok((Tensor::cat(&[keys, &new.0], 2)?, Tensor::cat(&[values, &new.1], 2)?)),
            None => Ok(new),
        }
    }

    /// Takes over what [`Cache::appended`] returned for every layer.
    pub(super) fn replace(&mut self, layers: Vec<KeyValue>) {
        self.layers = layers;
    }
}
