"""torch.nn.functional.scaled_dot_product_attention(enable_gqa=True) between linear projections."""
import torch
from torch.nn.functional import linear, scaled_dot_product_attention

from generate import tensor


def make():
    cases = []
    for b, t, d, h, g in [(1, 3, 8, 4, 2), (2, 4, 12, 6, 3), (2, 3, 8, 2, 1), (1, 4, 8, 4, 4)]:
        dk = d // h
        x = torch.randn(b, t, d)
        wq, wk, wv, wo = (torch.randn(n, d) / d**0.5 for n in (d, g * dk, g * dk, d))
        split = lambda y, n: y.view(b, t, n, dk).transpose(1, 2)
        out = scaled_dot_product_attention(split(linear(x, wq), h), split(linear(x, wk), g), split(linear(x, wv), g),
                                           enable_gqa=True)
        cases.append({"heads": [h, g], "x": tensor(x), "q": tensor(wq), "k": tensor(wk), "v": tensor(wv), "o": tensor(wo),
                      "output": tensor(linear(out.transpose(1, 2).reshape(b, t, d), wo))})
    return {"cases": cases}
