"""The plan token by token: list all tokens that could be fed, in the order of service, and take as many as the budget allows.
The masks are PyTorch's causal bias for fewer queries than keys, aligned at the lower right."""
import random

import torch
from torch.nn.attention.bias import causal_lower_right

from generate import tensor


def run(budget, rows):
    live, steps, step = [], [], 0  # [row, cached, made]
    while live or any(row[0] >= step for row in rows):
        live += [[i, row[2], 0] for i, row in enumerate(rows) if row[0] == step]
        prompt = lambda entry: rows[entry[0]][1]
        units = [(entry[0], entry[1]) for entry in live if entry[1] >= prompt(entry)]
        units += [(entry[0], at) for entry in live for at in range(entry[1], prompt(entry))]
        units = units[:budget]
        words = []
        for entry in live:
            mine = sorted(at for i, at in units if i == entry[0])
            if mine:
                sample = mine[-1] + 1 >= prompt(entry)
                words.append(f"{entry[0]}[{mine[0]}..{mine[-1] + 1}]{'+' if sample else ''}")
                entry[1] += len(mine)
                entry[2] += sample
        steps.append(f"step {step}: {len(units)} tokens: {' '.join(words) or 'nothing'}")
        live = [entry for entry in live if entry[2] < rows[entry[0]][3]]
        step += 1
    return {"budget": budget, "rows": rows, "steps": steps}


def mask(start, tokens):
    """Equal scores and one-hot values: a query's output tells which keys it looked at."""
    total = start + tokens
    q, k, v = torch.zeros(1, 1, tokens, 8), torch.zeros(1, 1, total, 8), torch.eye(total)[None, None]
    weights = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(tokens, total))
    return tensor((weights[0, 0] > 0).long())


def make():
    rng = random.Random(4)
    first = run(8, [[0, 1, 0, 9], [0, 1, 0, 9], [0, 1, 0, 9], [1, 10, 0, 3], [1, 4, 0, 2]])
    assert first["steps"][1:4] == ["step 1: 8 tokens: 0[1..2]+ 1[1..2]+ 2[1..2]+ 3[0..5]",
                                   "step 2: 8 tokens: 0[2..3]+ 1[2..3]+ 2[2..3]+ 3[5..10]+",
                                   "step 3: 8 tokens: 0[3..4]+ 1[3..4]+ 2[3..4]+ 3[10..11]+ 4[0..4]+"]
    runs = [first]
    for budget in [1, 4, 9, 16, 33]:
        prompts = sorted((rng.randrange(12), rng.randint(1, 45)) for _ in range(9))
        runs.append(run(budget, [[at, n, rng.randrange(n) // 3, rng.randint(1, 8)] for at, n in prompts]))
    sizes = [(3, 2), (0, 5), (7, 1), (4, 6), (20, 3)]
    masks = [{"sizes": [start, tokens], "mask": mask(start, tokens)} for start, tokens in sizes]
    return {"runs": runs, "masks": masks}
