//! The wrong decode loops: one loop over plain vectors with a flaw switched on.

use super::super::{Decoder, GenerationConfig, SampleNextToken};
use candle_core::{Device, Result, Tensor};

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    None,
    PositionsByColumn,
    PositionsFromOne,
    PositionsMinusOne,
    PositionFrozen,
    PositionLags,
    ColumnWhileDecoding,
    NoMask,
    MaskFromIds,
    MaskNotExtended,
    MaskExtendedByZeros,
    LogitsOfFirstColumn,
    LogitsAtLength,
    EosInPromptFinishes,
    PadInPromptFinishes,
    FinishedRowsGoOn,
    EosOverwritten,
    StopAtFirstFinished,
    LastEosLost,
    OneTokenTooMany,
    NoEarlyStop,
    LastTokenFed,
    NewestWithoutCache,
    WholeSequenceFed,
    ContextIgnored,
    PromptLeftOut,
    FinishedRowsDoNotDraw,
}

type Rows = Vec<Vec<u32>>;

/// The loop with this flaw, over `prompt`: ids and mask (B, T).
pub fn run(
    flaw: Flaw,
    sample: SampleNextToken,
    model: &mut dyn Decoder,
    prompt: (&Tensor, &Tensor),
    config: &GenerationConfig,
    uniform: &mut dyn FnMut() -> f64,
) -> Result<Tensor> {
    let (b, t) = prompt.0.dims2()?;
    let device = prompt.0.device();
    let mut draw = |logits: &Tensor| sample(logits, config.temperature, config.top_k, config.top_p, uniform);
    let mut state = State::new(flaw, prompt, config)?;
    for _ in 0..state.steps(model.context(), t, config) {
        let logits = state.feed(model, device)?;
        let last = state.newest(&logits)?; // (B, V)
        let next = if flaw == Flaw::FinishedRowsDoNotDraw { state.live_only(&last, &mut draw)? } else { draw(&last)? };
        if state.append(next, config) {
            break;
        }
        state.advance(model);
    }
    if flaw == Flaw::LastTokenFed && !state.finished.iter().all(|&finished| finished) {
        state.feed(model, device)?;
    }
    let skip = if flaw == Flaw::PromptLeftOut { t } else { 0 };
    let width = state.rows[0].len() - skip;
    Tensor::from_vec(state.rows.iter().flat_map(|row| row[skip..].to_vec()).collect::<Vec<u32>>(), (b, width), device)
}

struct State {
    flaw: Flaw,
    rows: Rows,
    mask: Rows,
    lengths: Vec<usize>,
    finished: Vec<bool>,
    fed: Rows,
    positions: Vec<Vec<i64>>,
    decoding: bool,
}

impl State {
    fn new(flaw: Flaw, (ids, mask): (&Tensor, &Tensor), config: &GenerationConfig) -> Result<Self> {
        let rows = ids.to_vec2::<u32>()?;
        let given = mask.to_vec2::<u32>()?;
        let mask: Rows = match flaw {
            Flaw::NoMask => given.iter().map(|row| vec![1; row.len()]).collect(),
            Flaw::MaskFromIds => {
                rows.iter().map(|row| row.iter().map(|&id| u32::from(id != config.pad)).collect()).collect()
            }
            _ => given.clone(),
        };
        let counted = if flaw == Flaw::NoMask { &given } else { &mask };
        let finished = rows.iter().map(|row| match flaw {
            Flaw::EosInPromptFinishes => row.contains(&config.eos),
            Flaw::PadInPromptFinishes => row.contains(&config.pad),
            _ => false,
        });
        Ok(Self {
            finished: finished.collect(),
            positions: counted.iter().map(|row| positions(flaw, row)).collect(),
            lengths: given.iter().map(|row| row.iter().sum::<u32>() as usize).collect(),
            fed: rows.clone(),
            decoding: false,
            flaw,
            rows,
            mask,
        })
    }

    fn steps(&self, context: usize, t: usize, config: &GenerationConfig) -> usize {
        let room = context.saturating_sub(t);
        match self.flaw {
            Flaw::ContextIgnored => config.max_new_tokens,
            Flaw::OneTokenTooMany => (config.max_new_tokens + 1).min(room),
            _ => config.max_new_tokens.min(room),
        }
    }

    fn feed(&self, model: &mut dyn Decoder, device: &Device) -> Result<Tensor> {
        let rows = |rows: &Rows| Tensor::from_vec(rows.concat(), (rows.len(), rows[0].len()), device);
        let positions = Tensor::from_vec(self.positions.concat(), (self.fed.len(), self.fed[0].len()), device)?;
        model.feed(&rows(&self.fed)?, &positions, &rows(&self.mask)?)
    }

    /// The logits (B, V) that decide, out of (B, N, V).
    fn newest(&self, logits: &Tensor) -> Result<Tensor> {
        let last = logits.dim(1)? - 1;
        let column = |row: usize| match self.flaw {
            Flaw::LogitsOfFirstColumn => 0,
            Flaw::LogitsAtLength if !self.decoding => self.lengths[row] - 1,
            _ => last,
        };
        let picked: Vec<Tensor> =
            (0..self.rows.len()).map(|row| logits.get(row)?.get(column(row))).collect::<Result<_>>()?;
        Tensor::stack(&picked, 0)
    }

    fn live_only(&self, last: &Tensor, draw: &mut dyn FnMut(&Tensor) -> Result<Vec<u32>>) -> Result<Vec<u32>> {
        let live: Vec<u32> = (0..self.rows.len()).filter(|&row| !self.finished[row]).map(|row| row as u32).collect();
        let drawn = draw(&last.index_select(&Tensor::new(live.as_slice(), last.device())?, 0)?)?;
        let mut next = vec![0; self.rows.len()];
        live.iter().zip(drawn).for_each(|(&row, token)| next[row as usize] = token);
        Ok(next)
    }

    /// Puts the new column behind the rows; true when this was the last one.
    fn append(&mut self, mut next: Vec<u32>, config: &GenerationConfig) -> bool {
        for (token, finished) in next.iter_mut().zip(&mut self.finished) {
            if *finished && self.flaw != Flaw::FinishedRowsGoOn {
                *token = config.pad;
            } else if *token == config.eos {
                *finished = true;
                *token = if self.flaw == Flaw::EosOverwritten { config.pad } else { config.eos };
            }
        }
        let all = self.finished.iter().all(|&finished| finished);
        let stop = match self.flaw {
            Flaw::StopAtFirstFinished => self.finished.contains(&true),
            Flaw::NoEarlyStop => false,
            _ => all,
        };
        if !(all && self.flaw == Flaw::LastEosLost) {
            self.rows.iter_mut().zip(&next).for_each(|(row, &token)| row.push(token));
        }
        self.fed = next.into_iter().map(|token| vec![token]).collect();
        stop
    }

    /// Positions and mask of the newest column.
    fn advance(&mut self, model: &mut dyn Decoder) {
        let extension = match self.flaw {
            Flaw::MaskNotExtended => None,
            Flaw::MaskExtendedByZeros => Some(0),
            _ => Some(1),
        };
        self.mask.iter_mut().for_each(|row| row.extend(extension));
        let stays = self.flaw == Flaw::PositionFrozen || (self.flaw == Flaw::PositionLags && !self.decoding);
        let column = self.rows[0].len() as i64 - 1;
        for row in &mut self.positions {
            let last = row.last().copied().unwrap_or(0);
            *row = match self.flaw {
                Flaw::ColumnWhileDecoding => vec![column],
                _ if stays => vec![last],
                _ => vec![last + 1],
            };
        }
        match self.flaw {
            Flaw::NewestWithoutCache => {
                model.reset();
                self.mask = vec![vec![1]; self.rows.len()];
            }
            Flaw::WholeSequenceFed => {
                model.reset();
                self.fed = self.rows.clone();
                self.positions = self.mask.iter().map(|row| positions(self.flaw, row)).collect();
            }
            _ => {}
        }
        self.decoding = true;
    }
}

fn positions(flaw: Flaw, mask: &[u32]) -> Vec<i64> {
    let mut count = 0;
    let mut place = |(column, &seen): (usize, &u32)| {
        count += i64::from(seen);
        match flaw {
            Flaw::PositionsByColumn => column as i64,
            Flaw::PositionsFromOne => count,
            Flaw::PositionsMinusOne => count - 1,
            _ => (count - 1).max(0),
        }
    };
    mask.iter().enumerate().map(&mut place).collect()
}
