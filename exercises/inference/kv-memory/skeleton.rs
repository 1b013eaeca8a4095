//! How large the KV cache is, and how many sequences fit beside the weights.

use logitlings::pack::inference::kv_memory::{Capacity, Gpu, Model};

/// Bytes of the cache of `batch` sequences with `tokens` tokens each.
pub fn kv_bytes(model: &Model, batch: u64, tokens: u64) -> u64 {
    let _ = (model, batch, tokens);
    todo!("keys and values, of every layer and token")
}

/// Blocks of `block_size` tokens that fit, and the sequences of `tokens` tokens that these hold.
pub fn capacity(model: &Model, gpu: &Gpu, block_size: u64, tokens: u64) -> Capacity {
    let _ = (model, gpu, block_size, tokens);
    todo!("the usable memory, minus weights and reserve, in whole blocks, in whole sequences")
}

logitlings::attempt!(inference::kv_memory, { kv_bytes, capacity });
