"""torch.nn.functional.scaled_dot_product_attention."""
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

from generate import tensor


def make():
    cases = []
    for b, h, tq, tk, dk, dv, masked in [(2, 2, 3, 5, 4, 6, False), (1, 2, 4, 4, 8, 8, True), (1, 1, 3, 4, 2, 3, True)]:
        q, k, v = torch.randn(b, h, tq, dk), torch.randn(b, h, tk, dk), torch.randn(b, h, tk, dv)
        mask = None
        if masked:
            mask = torch.where(torch.rand(tq, tk) < 0.4, float("-inf"), 0.0)
            mask[0] = float("-inf")  # a row that sees nothing: zeros since PyTorch 2.5
        cases.append({"q": tensor(q), "k": tensor(k), "v": tensor(v), "mask": None if mask is None else tensor(mask),
                      "output": tensor(sdpa(q, k, v, attn_mask=mask))})
    return {"cases": cases}
