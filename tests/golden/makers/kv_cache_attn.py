"""Causal multi-head attention over the whole sequence with torch.nn.functional.scaled_dot_product_attention.

A KV cache must give the same output however the sequence is cut into steps.
"""
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from generate import tensor


def make():
    cases = []
    for batch, heads, width, steps in [(2, 3, 12, [1] * 6), (2, 2, 8, [4, 1, 1, 1]), (1, 4, 8, [3, 1, 5, 2])]:
        x = torch.randn(batch, sum(steps), width)
        weights = {name: torch.randn(width, width) / width**0.5 for name in ["query", "key", "value", "output"]}
        split = lambda name: (x @ weights[name].T).unflatten(-1, (heads, -1)).transpose(1, 2)
        k, v = split("key"), split("value")
        mixed = sdpa(split("query"), k, v, is_causal=True)
        cases.append({"x": tensor(x), "heads": heads, "steps": steps, "k": tensor(k), "v": tensor(v),
                      "weights": {name: tensor(w) for name, w in weights.items()},
                      "output": tensor(mixed.transpose(1, 2).flatten(2) @ weights["output"].T)})
    return {"cases": cases}
