"""torch's log_softmax and a stable sort. A prompt of P tokens is shifted as in teacher forcing: logits[:-1] against ids[1:].

Every entry is written as the text that the judge compares, "rank r: [ids]", and all its numbers go into one list.
"""
import torch

from generate import tensor


def case(logits, prompt, top):
    lines, values = ["None"], []
    scores = torch.log_softmax(logits[:-1].double(), -1)
    for row, token in zip(scores, prompt[1:]):
        order = torch.sort(row, descending=True, stable=True).indices.tolist()
        rank = order.index(token) + 1
        ids = order[:top] + ([token] if rank > top else [])
        lines.append(f"rank {rank}: {ids}")
        values += [row[token].item()] + [row[i].item() for i in ids]
    return {"logits": tensor(logits), "prompt": prompt, "top": top, "lines": lines,
            "values": tensor(torch.tensor(values, dtype=torch.float64))}


def make():
    torch.manual_seed(23)
    unused = torch.zeros(1, 4)
    cases = [
        # Logits (2, 1, 0, -1), token 2, two alternatives.
        case(torch.cat([torch.tensor([[2.0, 1.0, 0.0, -1.0]]), unused]), [0, 2], 2),
        case(torch.tensor([[3.0, -197.0, 2.5, -60.0], [1.0, 4.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]), [3, 1, 2], 2),
        case(torch.tensor([[9999.0, -1e4, 1e4, 0.0], [float("-inf"), 1.0, 0.5, 0.0], [0.0] * 4]), [0, 3, 0], 4),
        case(torch.tensor([[0.0, 0.0], [5.0, 0.0]]), [1, 0], 1),
    ]
    for length, size, top in [(6, 11, 3), (4, 29, 0), (3, 40, 60)]:
        cases.append(case(torch.randn(length, size) * 2 - 1, torch.randint(0, size, (length,)).tolist(), top))
    return {"cases": cases}
