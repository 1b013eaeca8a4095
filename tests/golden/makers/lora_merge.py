"""Two formulations in f64 that must agree: torch's linear layers one after the other, and the sum over the ranks of outer
products. PEFT 0.21.2 gives the same merged weights and outputs."""
import torch
from torch.nn.functional import linear

from generate import tensor


def case(weight, a, b, alpha, x):
    weight, a, b, x = (t.float().double() for t in (weight, a, b, x))
    rank = a.shape[0]
    output = linear(x, weight) + linear(linear(x, a), b) * (alpha / rank)
    merged = weight + sum(torch.outer(b[:, i], a[i]) for i in range(rank)) * (alpha / rank)
    torch.testing.assert_close(x @ merged.T, output, rtol=1e-12, atol=1e-9)
    return {"weight": tensor(weight), "a": tensor(a), "b": tensor(b), "alpha": alpha, "x": tensor(x),
            "merged": tensor(merged), "output": tensor(output)}


def make():
    cases = [case(torch.eye(2), torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5], [1.0]]), 4.0, torch.ones(1, 2))]
    for out, width, rank, tokens, alpha in [(7, 5, 3, 4, 6.0), (6, 6, 2, 3, 16.0), (3, 8, 4, 5, 1.0), (1, 9, 1, 2, 0.5),
                                            (12, 10, 16, 2, 32.0)]:
        cases.append(case(torch.randn(out, width), torch.randn(rank, width), torch.randn(out, rank), alpha,
                          torch.randn(tokens, width)))
    return {"cases": cases}
