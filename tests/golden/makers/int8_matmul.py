"""torch.round on weights divided by their row's absmax / 127, and the product with the weights turned back, in f64."""
import torch

from generate import tensor


def case(weight, x):
    scale = weight.abs().amax(1) / 127
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    q = torch.round(weight / scale[:, None]).clamp(-127, 127)
    back = q.double() * scale.double()[:, None]
    assert ((back - weight).abs() <= scale[:, None].double() * 0.500001).all()
    return {"weight": tensor(weight), "scale": tensor(scale), "q": tensor(q.to(torch.int8)), "x": tensor(x),
            "y": tensor(x.double() @ back.T)}


def make():
    cases = [
        case(torch.tensor([[0.5, -1.0, 0.25], [2.0, 0.1, -0.3]]), torch.tensor([[1.0, 2.0, 3.0]])),
        case(torch.tensor([[-2.54, 1.0, 0.5], [0.3, 0.1, -0.2]]), torch.tensor([[1.0, 2.0, 3.0]])),
        case(torch.tensor([[127.0, 0.5, 1.5, 2.5, -0.5], [-63.5, 0.25, 0.75, -0.25, -0.75], [0.0] * 5]),
             torch.randn(4, 5)),
    ]
    for rows, columns, tokens in [(5, 7, 4), (9, 3, 2), (16, 33, 3)]:
        sizes = torch.logspace(-3, 2, rows)[torch.randperm(rows), None]
        cases.append(case(torch.randn(rows, columns) * sizes, torch.randn(tokens, columns)))
    return {"cases": cases}
