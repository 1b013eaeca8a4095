//! What goes wrong at speed when the cache's memory is counted: one description, and the ways to deviate from it.

use super::{Attempt, Capacity, Gpu, Model};

const GIB: f64 = (1u64 << 30) as f64;

#[derive(Clone, Copy)]
struct Recipe {
    /// Bytes of a token.
    token: fn(&Model) -> u64,
    /// Bytes of a batch, from the bytes of a token, the sequences and the tokens of each.
    batch: fn(u64, u64, u64) -> u64,
    /// Bytes of a block, from the bytes of a token and the tokens of a block.
    block: fn(&Model, u64, u64) -> u64,
    /// Bytes for the cache.
    budget: fn(&Model, &Gpu) -> u64,
    /// Blocks, from the bytes for the cache and the bytes of a block.
    blocks: fn(u64, u64) -> u64,
    /// Sequences.
    sequences: fn(Room) -> u64,
}

/// What the number of sequences is taken from.
struct Room {
    budget: u64,
    token: u64,
    blocks: u64,
    block_size: u64,
    tokens: u64,
}

const RIGHT: Recipe = Recipe {
    token: |m| 2 * m.layers * m.kv_heads * m.head_dim * m.cache_bytes,
    batch: |token, batch, tokens| token * batch * tokens,
    block: |_, token, block_size| token * block_size,
    budget: |m, gpu| rest(gpu.memory_gib * GIB * gpu.utilization, weights(m) + gpu.reserved_gib * GIB),
    blocks: |budget, block| budget / block,
    sequences: |room| room.blocks / room.tokens.div_ceil(room.block_size),
};

fn weights(m: &Model) -> f64 {
    (m.parameters * m.weight_bytes) as f64
}

/// `as` turns what is negative into 0.
fn rest(usable: f64, taken: f64) -> u64 {
    (usable - taken) as u64
}

fn capacity(recipe: &Recipe, m: &Model, gpu: &Gpu, block_size: u64, tokens: u64) -> Capacity {
    let (token, budget) = ((recipe.token)(m), (recipe.budget)(m, gpu));
    let blocks = (recipe.blocks)(budget, (recipe.block)(m, token, block_size));
    let sequences = (recipe.sequences)(Room { budget, token, blocks, block_size, tokens });
    Capacity { blocks, sequences }
}

macro_rules! recipes {
    ($($name:ident: { $field:ident: $value:expr })+) => {
        $(pub fn $name() -> Attempt {
            const RECIPE: Recipe = Recipe { $field: $value, ..RIGHT };
            Attempt {
                kv_bytes: |m, batch, tokens| (RECIPE.batch)((RECIPE.token)(m), batch, tokens),
                capacity: |m, gpu, block_size, tokens| capacity(&RECIPE, m, gpu, block_size, tokens),
            }
        })+
    };
}

recipes! {
    no_factor_two: { token: |m| m.layers * m.kv_heads * m.head_dim * m.cache_bytes }
    query_heads: { token: |m| 2 * m.layers * m.heads * m.head_dim * m.cache_bytes }
    model_width: { token: |m| 2 * m.layers * m.width * m.cache_bytes }
    head_dim_from_width: { token: |m| 2 * m.layers * m.kv_heads * (m.width / m.heads) * m.cache_bytes }
    one_layer: { token: |m| 2 * m.kv_heads * m.head_dim * m.cache_bytes }
    block_of_one_layer: { block: |m, token, block_size| token / m.layers * block_size }
    weight_dtype: { token: |m| 2 * m.layers * m.kv_heads * m.head_dim * m.weight_bytes }
    cache_dtype: { budget: |m, gpu| {
        let weights = (m.parameters * m.cache_bytes) as f64;
        rest(gpu.memory_gib * GIB * gpu.utilization, weights + gpu.reserved_gib * GIB)
    } }
    batch_forgotten: { batch: |token, _, tokens| token * tokens }
    decimal_gigabytes: { budget: |m, gpu| {
        rest(gpu.memory_gib * 1e9 * gpu.utilization, weights(m) + gpu.reserved_gib * 1e9)
    } }
    weights_ignored: { budget: |_, gpu| rest(gpu.memory_gib * GIB * gpu.utilization, gpu.reserved_gib * GIB) }
    reserve_ignored: { budget: |m, gpu| rest(gpu.memory_gib * GIB * gpu.utilization, weights(m)) }
    utilization_ignored: { budget: |m, gpu| rest(gpu.memory_gib * GIB, weights(m) + gpu.reserved_gib * GIB) }
    underflow: { budget: |m, gpu| {
        let usable = (gpu.memory_gib * GIB * gpu.utilization) as u64;
        usable.wrapping_sub(m.parameters * m.weight_bytes).wrapping_sub((gpu.reserved_gib * GIB) as u64)
    } }
    block_rounded_up: { blocks: |budget, block| budget.div_ceil(block) }
    tokens_pooled: { sequences: |room| room.blocks * room.block_size / room.tokens }
    blocks_skipped: { sequences: |room| room.budget / (room.token * room.tokens) }
    partial_block_dropped: { sequences: |room| room.blocks / (room.tokens / room.block_size) }
    one_block_more: { sequences: |room| room.blocks / (room.tokens / room.block_size + 1) }
    sequence_rounded_up: { sequences: |room| room.blocks.div_ceil(room.tokens.div_ceil(room.block_size)) }
    share_of_the_free: { budget: |m, gpu| {
        let free = gpu.memory_gib * GIB - weights(m) - gpu.reserved_gib * GIB;
        (free * gpu.utilization) as u64
    } }
}
