//! What a step is handed: the layer with its projections, and the cache.

use crate::judge::{Case, Result};
use candle_core::{DType, Tensor};
use std::cell::Cell;

/// What a layer remembers of the tokens so far. Both are (B, H, T, d_k) in temporal order, and `None` before the first
/// step.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    /// Keys.
    pub k: Option<Tensor>,
    /// Values.
    pub v: Option<Tensor>,
}

/// The weights of one attention layer: H heads of width d_k = D/H, and four projections from D to D without bias.
///
/// A layer counts the tokens that each projection is given.
pub struct Layer {
    heads: usize,
    query: Projection,
    key: Projection,
    value: Projection,
    output: Projection,
}

/// y = x·Wᵀ.
struct Projection {
    weight: Tensor,
    rows: Cell<usize>,
}

impl Projection {
    fn apply(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        let (width_out, width) = self.weight.dims2()?;
        let rows = x.elem_count() / width;
        self.rows.set(self.rows.get() + rows);
        let mut shape = x.dims().to_vec();
        if shape.pop() != Some(width) {
            candle_core::bail!("a projection takes (…, {width}), and got {:?}", x.dims());
        }
        shape.push(width_out);
        x.reshape((rows, width))?.matmul(&self.weight.t()?)?.reshape(shape)
    }
}

impl Layer {
    /// A layer of `heads` heads with the weights (D, D) of query, key, value and output.
    pub fn new(heads: usize, [query, key, value, output]: [Tensor; 4]) -> Self {
        let projection = |weight| Projection { weight, rows: Cell::new(0) };
        Self {
            heads,
            query: projection(query),
            key: projection(key),
            value: projection(value),
            output: projection(output),
        }
    }

    /// A layer with weights from the case's generator.
    pub(super) fn random(case: &mut Case, heads: usize, width: usize, dtype: DType) -> Result<Self> {
        let mut weight = |name: &str| -> Result<Tensor> {
            Ok(case.randn_scaled(name, (width, width), 0.0, (width as f64).powf(-0.5))?.to_dtype(dtype)?)
        };
        Ok(Self::new(heads, [weight("W query")?, weight("W key")?, weight("W value")?, weight("W output")?]))
    }

    /// Number of heads, H.
    pub fn heads(&self) -> usize {
        self.heads
    }

    /// Query projection, (…, D) → (…, D).
    pub fn query(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        self.query.apply(x)
    }

    /// Key projection, (…, D) → (…, D).
    pub fn key(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        self.key.apply(x)
    }

    /// Value projection, (…, D) → (…, D).
    pub fn value(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        self.value.apply(x)
    }

    /// Output projection of the heads side by side, (…, D) → (…, D).
    pub fn output(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        self.output.apply(x)
    }

    /// Tokens that each projection was given since the last time this was asked, for a batch of `batch` rows.
    pub(super) fn fed(&self, batch: usize) -> String {
        let list = [("query", &self.query), ("key", &self.key), ("value", &self.value), ("output", &self.output)];
        let counts = list.map(|(name, projection)| format!("{name} {}", projection.rows.take() / batch));
        counts.join(", ")
    }
}
