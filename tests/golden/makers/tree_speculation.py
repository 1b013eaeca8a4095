"""Trees of drafts verified by the tiny GPT-2 in transformers.

The answers come from one pass over each path alone, and must equal those of one pass over the whole tree with a 4-D mask and tree
positions; mask and positions are made as Medusa makes them, from paths of child indices. What is accepted must be the beginning
of the model's own greedy generate().
"""
import random

import torch

import tiny_gpt2


def grow(rng, size, truth):
    """Drafts: (token, parent). A child of a node on the true path carries the true token with probability .6."""
    tokens, parents, depth, true = [truth[0]], [-1], [0], [True]
    while len(tokens) < size:
        parent = len(tokens) - 1 - int(rng.random() ** 2 * len(tokens))
        known = true[parent] and depth[parent] + 1 < len(truth)
        right = known and rng.random() < 0.6
        token = truth[depth[parent] + 1] if right else rng.randrange(tiny_gpt2.VOCAB)
        if any(p == parent and t == token for t, p in zip(tokens, parents)):
            continue  # twins are tested elsewhere
        tokens.append(token)
        parents.append(parent)
        depth.append(depth[parent] + 1)
        true.append(known and token == truth[depth[parent] + 1])
    return tokens, parents


def buffers(parents, cached):
    """Positions and mask from the nodes' paths: a node sees those whose path is a beginning of its own."""
    paths = [()]
    for node in range(1, len(parents)):
        rank = sum(p == parents[node] for p in parents[:node])
        paths.append(paths[parents[node]] + (rank,))
    positions = [cached + len(path) for path in paths]
    mask = [[1] * cached + [int(a[:len(b)] == b) for b in paths] for a in paths]
    return positions, mask


@torch.no_grad()
def case(model, rng, prompt, size):
    ids = torch.tensor([prompt])
    truth = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=size + 1, do_sample=False, pad_token_id=0)
    truth = truth[0, len(prompt) - 1:].tolist()  # begins with the root, the newest token of the text
    cached = prompt[:-1]
    tokens, parents = grow(rng, size, truth)
    path = lambda node: [] if node < 0 else path(parents[node]) + [node]

    alone = [model(torch.tensor([cached + [tokens[n] for n in path(node)]])).logits[0, -1] for node in range(size)]
    positions, mask = buffers(parents, len(cached))
    rows = torch.ones(len(cached), len(cached)).tril().bool()
    rows = torch.cat([torch.cat([rows, torch.zeros(len(cached), size).bool()], 1), torch.tensor(mask).bool()], 0)
    bias = torch.zeros(1, 1, *rows.shape).masked_fill(~rows, torch.finfo(torch.float32).min)
    together = model(torch.tensor([cached + tokens]), attention_mask=bias,
                     position_ids=torch.tensor([list(range(len(cached))) + positions])).logits[0, len(cached):]
    torch.testing.assert_close(together, torch.stack(alone), rtol=1e-4, atol=1e-4)
    answers = [int(row.argmax()) for row in alone]

    node, accepted = 0, [0]
    while node is not None:
        node = next((c for c in range(size) if parents[c] == node and tokens[c] == answers[node]), None)
        accepted += [] if node is None else [node]
    result = [tokens[n] for n in accepted[1:]] + [answers[accepted[-1]]]
    assert result == truth[1:1 + len(result)], (result, truth)
    return {"cached": cached, "tokens": tokens, "parents": parents, "answers": answers, "positions": positions,
            "mask": sum(mask, []), "result": result, "cache": cached + [tokens[n] for n in accepted]}


def make():
    model, rng = tiny_gpt2.load(), random.Random(9)
    six = {"cached": [], "tokens": [7, 3, 5, 8, 9, 4], "parents": [-1, 0, 0, 1, 1, 2], "answers": [5, 1, 4, 2, 6, 0]}
    positions, mask = buffers(six["parents"], 0)
    six |= {"positions": positions, "mask": sum(mask, []), "result": [5, 4, 0], "cache": [7, 5, 4]}
    cases = [six]
    for index in range(24):
        prompt = [rng.randrange(tiny_gpt2.VOCAB) for _ in range(1 + index % 7)]
        cases.append(case(model, rng, prompt, 1 + (5 * index) % 17))
    return {"cases": cases}
