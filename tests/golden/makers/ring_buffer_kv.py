"""torch's scaled_dot_product_attention over the whole sequence, with a mask that lets position i see i − W + 1 … i and carries
the bias; the slots by writing positions into a list, one after the other."""
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from generate import tensor


def slots(seen, window):
    held = [-1] * window
    for position in range(seen):
        held[position % window] = position
    return held


def case(batch, heads, window, dk, dv, steps, slopes):
    total = sum(steps)
    q, k = torch.randn(batch, heads, total, dk), torch.randn(batch, heads, total, dk)
    v = torch.randn(batch, heads, total, dv)
    age = torch.arange(total)[:, None] - torch.arange(total)
    bias = -torch.tensor(slopes)[:, None, None] * age
    mask = torch.where((age >= 0) & (age < window), bias, torch.tensor(float("-inf")))
    return {"q": tensor(q), "k": tensor(k), "v": tensor(v), "slopes": slopes, "window": window, "steps": steps,
            "output": tensor(sdpa(q.double(), k.double(), v.double(), attn_mask=mask.double()))}


def make():
    return {
        "cases": [
            case(1, 1, 3, 4, 4, [1] * 8, [0.0]),
            case(2, 3, 4, 2, 5, [1] * 11, [0.5, 0.25, 0.0]),
            case(1, 2, 5, 4, 3, [3, 4, 1, 6, 2], [0.3, 0.7]),
            case(2, 2, 4, 3, 2, [11, 1, 1], [0.0, 1.0]),
            case(1, 2, 16, 4, 4, [7, 1, 1], [0.0, 0.1]),
        ],
        "slots": [{"seen": seen, "window": window, "held": slots(seen, window)}
                  for seen, window in [(0, 3), (1, 3), (2, 3), (3, 3), (5, 3), (6, 3), (4, 1), (1000, 7), (13, 16), (33, 16)]],
    }
