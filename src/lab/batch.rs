//! A left-padded batch: prompts of different lengths that end in the same column and go on together.
//!
//! B rows · P tokens fed so far, padding included · V vocabulary

use crate::model::{Cache, CausalLm, Error};
use candle_core::{IndexOp, Tensor};

/// Rows that decode in step.
pub struct Batch<'a> {
    model: &'a dyn CausalLm,
    cache: Cache,
    rows: Vec<Row>,
    pad: u32,
    eos: Option<u32>,
}

/// One row of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Padding, prompt, generated tokens, and padding again once it is finished.
    pub tokens: Vec<u32>,
    /// How many of the first tokens are padding: the mask is 0 there and 1 everywhere else.
    pub padding: usize,
    /// Whether it has generated the token that ends a text.
    pub finished: bool,
}

impl Row {
    /// Position ids: the first real token stands at 0, padding before it at 0 too. The mask's running sum less one.
    pub fn positions(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.tokens.len()).map(|at| at.saturating_sub(self.padding) as u32)
    }

    /// 1 where a token may be looked at.
    pub fn mask(&self) -> impl Iterator<Item = u8> + '_ {
        (0..self.tokens.len()).map(|at| u8::from(at >= self.padding))
    }
}

impl<'a> Batch<'a> {
    /// Pads the prompts on the left with `pad`. A row is finished once it has generated `eos`. Fails where there is no
    /// prompt or an empty one: the padding alone says nothing.
    pub fn new(model: &'a dyn CausalLm, prompts: &[Vec<u32>], pad: u32, eos: Option<u32>) -> Result<Self, String> {
        let width = prompts.iter().map(Vec::len).max().ok_or("there is no prompt")?;
        if let Some(at) = prompts.iter().position(Vec::is_empty) {
            return Err(format!("prompt {at} is empty: the model needs at least one token"));
        }
        if width > model.context() {
            return Err(format!("the longest prompt has {width} tokens; {} fit", model.context()));
        }
        let row = |prompt: &Vec<u32>| {
            let padding = width - prompt.len();
            let tokens = std::iter::repeat_n(pad, padding).chain(prompt.iter().copied()).collect();
            Row { tokens, padding, finished: false }
        };
        Ok(Self { model, cache: model.new_cache(), rows: prompts.iter().map(row).collect(), pad, eos })
    }

    /// The rows as they are now.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether a step is left: some row is unfinished and the context has room for one more token.
    pub fn goes_on(&self) -> bool {
        let length = self.rows.first().map_or(0, |row| row.tokens.len());
        length < self.model.context() && self.rows.iter().any(|row| !row.finished)
    }

    /// One token more in every row: `pick` is given the row and its logits, (V), and is not asked for finished rows, which
    /// get padding. The first step feeds the prompts, the later ones one token a row.
    pub fn step(&mut self, pick: &mut dyn FnMut(usize, &[f32]) -> u32) -> Result<(), Error> {
        let (rows, device) = (self.rows.len(), self.model.device());
        let (held, length) = (self.cache.len(), self.rows.first().map_or(0, |row| row.tokens.len()));
        let fed = (rows, length - held);
        let ids: Vec<u32> = self.rows.iter().flat_map(|row| row.tokens[held..].iter().copied()).collect();
        let positions: Vec<u32> = self.rows.iter().flat_map(|row| row.positions().skip(held)).collect();
        let mask: Vec<u8> = self.rows.iter().flat_map(Row::mask).collect();
        let logits = self.model.forward(
            &Tensor::from_vec(ids, fed, device)?,
            &Tensor::from_vec(positions, fed, device)?,
            Some(&Tensor::from_vec(mask, (rows, length), device)?),
            &mut self.cache,
        )?;
        let last: Vec<Vec<f32>> = logits.i((.., fed.1 - 1))?.to_vec2()?;
        for (at, (row, logits)) in self.rows.iter_mut().zip(&last).enumerate() {
            let token = if row.finished { self.pad } else { pick(at, logits) };
            row.finished |= Some(token) == self.eos;
            row.tokens.push(token);
        }
        Ok(())
    }
}

/// The most probable token; of equals the lowest id.
pub fn greedy(logits: &[f32]) -> u32 {
    (1..logits.len()).fold(0, |best, id| if logits[id] > logits[best] { id } else { best }) as u32
}
