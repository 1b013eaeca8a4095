//! Top-k routing, "Outrageously Large Neural Networks" (Shazeer et al. 2017); the weights as in Mixtral (2024).

use candle_core::{DType, Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// x (B, T, D), gate (N, D), expert(e, (n, D)) → (n, D); returns (B, T, D): for every token the mixture of its k best
/// experts, weighted by the softmax of their k logits.
pub fn moe_topk(
    x: &Tensor,
    gate: &Tensor,
    k: usize,
    expert: &mut dyn FnMut(usize, &Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let (b, t, d) = x.dims3()?;
    let tokens = x.reshape((b * t, d))?; // (S, D)
    let logits = tokens.to_dtype(DType::F32)?.matmul(&gate.to_dtype(DType::F32)?.t()?)?; // (S, N)
    let chosen = logits.arg_sort_last_dim(false)?.narrow(1, 0, k)?.contiguous()?; // (S, k)
    let weights = softmax_last_dim(&logits.gather(&chosen, 1)?)?.flatten_all()?; // (S·k)
    let chosen = chosen.flatten_all()?.to_vec1::<u32>()?;

    let mut output = Tensor::zeros((b * t, d), DType::F32, x.device())?;
    for e in 0..gate.dim(0)? {
        let slots: Vec<u32> = (0..chosen.len() as u32).filter(|&slot| chosen[slot as usize] == e as u32).collect();
        if slots.is_empty() {
            continue;
        }
        let rows: Vec<u32> = slots.iter().map(|slot| slot / k as u32).collect(); // the tokens that chose e
        let (slots, rows) = (Tensor::new(slots, x.device())?, Tensor::new(rows, x.device())?);
        let answer = expert(e, &tokens.index_select(&rows, 0)?)?.to_dtype(DType::F32)?; // (n, D)
        let weight = weights.index_select(&slots, 0)?.unsqueeze(1)?; // (n, 1)
        output = output.index_add(&rows, &answer.broadcast_mul(&weight)?, 0)?;
    }
    output.reshape((b, t, d))?.to_dtype(x.dtype())
}
