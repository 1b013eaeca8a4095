"""The bytes of caches that transformers' models really fill, and of tensors without storage for models that are too large;
blocks with exact fractions, and sequences by handing out blocks until there are none."""
from fractions import Fraction
from math import floor

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

DTYPES = {1: torch.float8_e4m3fn, 2: torch.bfloat16, 4: torch.float32}
FIELDS = ["layers", "width", "heads", "kv_heads", "head_dim", "parameters", "weight_bytes", "cache_bytes"]


def filled(kind, config, batch, tokens):
    """What one forward pass of a model with random weights leaves in its cache."""
    settings = dict(vocab_size=11, intermediate_size=8, num_hidden_layers=config["layers"], hidden_size=config["width"],
                    num_attention_heads=config["heads"], num_key_value_heads=config["kv_heads"], head_dim=config["head_dim"])
    model = {"llama": LlamaForCausalLM, "qwen3": Qwen3ForCausalLM}[kind](
        {"llama": LlamaConfig, "qwen3": Qwen3Config}[kind](**settings)).to(DTYPES[config["cache_bytes"]]).eval()
    with torch.no_grad():
        cache = model(torch.zeros(batch, tokens, dtype=torch.long), use_cache=True).past_key_values
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)


def laid_out(config, batch, tokens):
    shape = (config["layers"], 2, batch, config["kv_heads"], tokens, config["head_dim"])
    return torch.empty(shape, dtype=DTYPES[config["cache_bytes"]], device="meta").nbytes


def handed_out(blocks, block_size, tokens):
    """Sequences are given block after block, as their tokens come, until a sequence gets stuck."""
    sequences = 0
    while True:
        for _ in range(0, tokens, block_size):
            if blocks == 0:
                return sequences
            blocks -= 1
        sequences += 1


def case(fields, batch, tokens, kind=None, gpu=None, block_size=16):
    config = dict(zip(FIELDS, fields))
    bytes_ = filled(kind, config, batch, tokens) if kind else laid_out(config, batch, tokens)
    made = config | {"batch": batch, "tokens": tokens, "bytes": bytes_}
    if gpu:
        memory, utilization, reserved = map(Fraction, gpu)
        weights = config["parameters"] * config["weight_bytes"]
        budget = (memory * utilization - reserved) * 2**30 - weights
        exact = budget / laid_out(config, 1, block_size)
        blocks = max(floor(exact), 0)
        made |= {"gpu": {"data": [float(v) for v in (memory, utilization, reserved)]}, "block_size": block_size,
                 "blocks": blocks, "sequences": handed_out(blocks, block_size, tokens)}
    return made


LLAMA = [32, 4096, 32, 8, 128, 8_030_261_248, 2, 2]
LLAMA_70B = [80, 8192, 64, 8, 128, 70_553_706_496, 1, 2]
QWEN = [28, 1024, 16, 8, 128, 596_049_920, 2, 2]


def make():
    return {"cases": [
        case([3, 24, 6, 2, 4, 0, 4, 4], 2, 5, "llama"),
        case([2, 24, 3, 1, 8, 0, 2, 2], 3, 7, "llama"),
        case([4, 20, 4, 4, 6, 0, 4, 4], 1, 9, "qwen3"),
        case([2, 16, 6, 3, 10, 0, 2, 2], 2, 3, "qwen3"),
        case(LLAMA, 1, 8192, gpu=("24", "0.9", "1")),
        case(LLAMA, 4, 100_000, gpu=("80", "0.9", "1.5")),
        case([32, 4096, 32, 32, 128, 8_030_261_248, 2, 2], 1, 8192, gpu=("24", "0.9", "1")),
        case([32, 4096, 32, 1, 128, 8_030_261_248, 2, 1], 7, 100_001, gpu=("24", "0.9", "1"), block_size=64),
        case(LLAMA_70B, 3, 2_000, gpu=("80", "0.95", "2.5"), block_size=32),
        case(QWEN, 5, 4_100, gpu=("8", "0.8", "0.75")),
        case(LLAMA, 1, 2048, gpu=("12", "1", "0.5")),
        case([2, 128, 4, 1, 64, 1 << 28, 1, 4], 5, 32, gpu=("1", "0.5", str(Fraction(256 * 1024 - 160, 1 << 20)))),
    ]}
