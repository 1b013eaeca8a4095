"""torch.nn.functional.scaled_dot_product_attention, which no tile may change."""
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from generate import tensor


def make():
    cases = []
    for tq, tk, dk, dv, tile, causal in [(3, 7, 4, 5, 2, False), (5, 5, 8, 3, 4, True), (2, 6, 4, 4, 3, True)]:
        q, k, v = torch.randn(tq, dk) * 2, torch.randn(tk, dk), torch.randn(tk, dv)
        mask = torch.zeros(tq, tk)
        if causal:
            mask = torch.triu(torch.full((tk, tk), float("-inf")), 1)[tk - tq:]
        cases.append({"tile": tile, "causal": causal, "q": tensor(q), "k": tensor(k), "v": tensor(v),
                      "output": tensor(sdpa(q[None], k[None], v[None], attn_mask=mask)[0])})
    return {"cases": cases}
