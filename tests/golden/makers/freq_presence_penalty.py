"""OpenAI's formula, mu[j] -= c[j]*alpha_f + (c[j] > 0)*alpha_p, in two independent forms that must agree.

One counts with a matrix product of one-hot rows, the way vLLM's bin counts are used; the other goes through the tokens one by one.
"""
import torch

from generate import tensor


def by_matrix(logits, generated, frequency, presence):
    rows = []
    for row, ids in zip(logits.double(), generated):
        counts = torch.nn.functional.one_hot(torch.tensor(ids, dtype=torch.long), row.numel()).sum(0).double()
        rows.append(row - frequency * counts - presence * (counts > 0).double())
    return torch.stack(rows)


def by_token(logits, generated, frequency, presence):
    rows = [[float(value) for value in row] for row in logits]
    for row, ids in zip(rows, generated):
        seen = set()
        for token in ids:
            row[token] -= frequency if token in seen else frequency + presence
            seen.add(token)
    return torch.tensor(rows, dtype=torch.float64)


def case(logits, prompts, generated, frequency, presence):
    output = by_matrix(logits, generated, frequency, presence)
    torch.testing.assert_close(output, by_token(logits, generated, frequency, presence), rtol=1e-12, atol=1e-12)
    return {"logits": tensor(logits), "ids": [prompt + rest for prompt, rest in zip(prompts, generated)],
            "prompt_lengths": [len(prompt) for prompt in prompts], "frequency": frequency, "presence": presence,
            "output": tensor(output)}


def make():
    torch.manual_seed(17)
    cases = [
        case(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), [[0, 0]], [[2, 2, 3]], 0.5, 0.3),
        case(torch.tensor([[-1.0, 0.0, 2.0]]), [[]], [[1, 1, 1]], -0.25, 1.0),
        case(torch.tensor([[float("-inf"), 1e4, -1e4, 0.0]]), [[3]], [[0, 1, 2, 2, 0]], 2.0, -2.0),
        case(torch.randn(3, 7) * 2, [[6, 6], [3], []], [[0, 2, 2, 6], [5], [1, 3, 1, 4, 3, 1]], 0.7, 0.4),
    ]
    drawn = [torch.randint(0, 40, (n,)).tolist() for n in (30, 5, 90, 12)]
    for frequency, presence in [(0.1, 0.6), (0.0, 1.5), (1.1, 0.0), (-0.4, -0.3)]:
        cases.append(case(torch.randn(2, 40) * 3 - 1, drawn[:2], drawn[2:], frequency, presence))
    return {"cases": cases}
