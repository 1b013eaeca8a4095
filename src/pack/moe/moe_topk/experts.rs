//! Experts that remember who called them and with what.

use super::observe_output;
use crate::judge::{Case, Result, Value};
use candle_core::{DType, Tensor};

/// An expert's function: (e, (n, D)) → (n, D).
pub type Expert = Box<dyn Fn(usize, &Tensor) -> candle_core::Result<Tensor>>;

/// tanh(rows·W_e + b_e) with weights from the case's generator: neither linear nor zero at zero.
pub fn dense(case: &mut Case, experts: usize, width: usize, dtype: DType) -> Result<Expert> {
    let weights =
        case.randn_scaled("expert weights (N, D, D)", (experts, width, width), 0.0, (width as f64).powf(-0.5))?;
    let biases = case.randn("expert biases (N, 1, D)", (experts, 1, width))?;
    let (weights, biases) = (weights.to_dtype(dtype)?, biases.to_dtype(dtype)?);
    Ok(Box::new(move |e, rows| rows.matmul(&weights.get(e)?)?.broadcast_add(&biases.get(e)?)?.tanh()))
}

/// Experts with a log of their calls.
pub struct Experts {
    expert: Expert,
    tokens: Vec<Vec<f32>>,
    log: Vec<String>,
}

impl Experts {
    /// Experts for the tokens of x (B, T, D).
    pub fn new(x: &Tensor, expert: Expert) -> Result<Self> {
        Ok(Self { expert, tokens: rows(&x.flatten(0, 1)?)?, log: Vec::new() })
    }

    /// Runs expert `e` on `batch` (n, D).
    pub fn call(&mut self, e: usize, batch: &Tensor) -> candle_core::Result<Tensor> {
        if batch.rank() != 2 {
            candle_core::bail!("an expert takes tokens of shape (n, D), and got {:?}", batch.dims());
        }
        let mut seen: Vec<Option<usize>> =
            rows(batch)?.iter().map(|row| self.tokens.iter().position(|token| token == row)).collect();
        seen.sort_unstable();
        let names: Vec<String> = seen.iter().map(|i| i.map_or("?".to_owned(), |i| i.to_string())).collect();
        self.log.push(format!("expert {e:>2}: tokens {}", names.join(" ")));
        if batch.dim(0)? == 0 {
            return Ok(batch.clone());
        }
        (self.expert)(e, batch)
    }

    /// Observes the output and the calls; their order is free.
    pub fn observe(mut self, case: &mut Case, output: &Tensor) -> Result<()> {
        observe_output(case, output)?;
        self.log.sort_unstable();
        case.observe("calls", Value::calls(&self.log));
        Ok(())
    }
}

fn rows(batch: &Tensor) -> candle_core::Result<Vec<Vec<f32>>> {
    batch.to_dtype(DType::F32)?.to_vec2::<f32>()
}
