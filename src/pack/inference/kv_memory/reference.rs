//! Memory of a paged KV cache. The rules of vLLM: a share of the whole memory, minus weights and activations, in blocks.

use super::{Capacity, Gpu, Model};

const GIB: f64 = (1u64 << 30) as f64;

/// Bytes of the cache of `batch` sequences with `tokens` tokens each: keys and values, of every layer.
pub fn kv_bytes(model: &Model, batch: u64, tokens: u64) -> u64 {
    2 * model.layers * model.kv_heads * model.head_dim * model.cache_bytes * batch * tokens
}

/// Whole blocks of `block_size` tokens beside the weights, and how many sequences of `tokens` tokens they hold.
pub fn capacity(model: &Model, gpu: &Gpu, block_size: u64, tokens: u64) -> Capacity {
    let usable = (gpu.memory_gib * GIB * gpu.utilization) as u64;
    let taken = model.parameters * model.weight_bytes + (gpu.reserved_gib * GIB) as u64;
    let budget = usable.saturating_sub(taken);

    let blocks = budget / kv_bytes(model, 1, block_size);
    // A block belongs to one sequence, so the last one of each may stay partly empty.
    Capacity { blocks, sequences: blocks / tokens.div_ceil(block_size) }
}
