"""torch.nn.functional.scaled_dot_product_attention, which no tile may change. A row that sees nothing is zeros."""
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from generate import tensor


def make():
    cases = []
    for tq, tk, dk, dv, tile, causal in [(3, 7, 4, 5, 2, False), (5, 5, 8, 3, 4, True), (2, 6, 4, 4, 3, True),
                                        (5, 3, 4, 2, 2, True)]:
        q, k, v = torch.randn(tq, dk) * 2, torch.randn(tk, dk), torch.randn(tk, dv)
        # Aligned at the bottom right: key j is hidden from query i when j > i + Tk - Tq.
        mask = torch.triu(torch.full((tq, tk), float("-inf")), 1 + tk - tq) if causal else torch.zeros(tq, tk)
        cases.append({"tile": tile, "causal": causal, "q": tensor(q), "k": tensor(k), "v": tensor(v),
                      "output": tensor(sdpa(q[None], k[None], v[None], attn_mask=mask)[0])})
    q, k = torch.eye(2), torch.tensor([[1.0, 0], [0, 1], [1, 1], [2, -1]])  # the example that can be done by hand
    cases.append({"tile": 3, "causal": False, "q": tensor(q), "k": tensor(k), "v": tensor(k),
                  "output": tensor(sdpa(q[None], k[None], k[None])[0])})
    return {"cases": cases}
