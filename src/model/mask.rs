//! Which token sees which: causality and padding in one additive mask.

use candle_core::{DType, Device, Result, Tensor};

/// The mask (B, 1, T, P + T) that is added to the scores, 0 where a token sees and −inf where not; `None` when every
/// token sees everything.
///
/// Bottom-right alignment: query t stands in column P + t and sees the columns up to its own, as far as
/// `visible` (B rows of P + T) has a non-zero there. A padding token that would see nothing sees itself, or its softmax
/// would be 0/0 and the NaN would reach the real tokens as 0 · NaN in the next layer.
pub fn additive(
    visible: Option<&[i64]>,
    [b, t, p]: [usize; 3],
    dtype: DType,
    device: &Device,
) -> Result<Option<Tensor>> {
    let width = p + t;
    if t == 1 && visible.is_none_or(|visible| visible.iter().all(|&v| v != 0)) {
        return Ok(None);
    }
    let mut mask = vec![f32::NEG_INFINITY; b * t * width];
    for (index, row) in mask.chunks_exact_mut(width).enumerate() {
        let (batch, own) = (index / t, p + index % t);
        let mut blind = true;
        for column in 0..=own {
            if visible.is_none_or(|visible| visible[batch * width + column] != 0) {
                (row[column], blind) = (0.0, false);
            }
        }
        if blind {
            row[own] = 0.0;
        }
    }
    Tensor::from_vec(mask, (b, 1, t, width), device)?.to_dtype(dtype).map(Some)
}
