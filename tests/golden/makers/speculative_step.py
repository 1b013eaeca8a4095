"""transformers' _speculative_sampling, with its two sources of chance replaced by numbers that are stored."""
from unittest.mock import patch

import torch
from transformers.generation.utils import _speculative_sampling

from generate import tensor


def verify(draft, q, p, uniforms, last):
    """The tokens that transformers emits when its coins are `uniforms` and its final draw inverts the CDF at `last`."""

    def invert(weights, num_samples):
        return (weights[0].cumsum(0) > last).int().argmax().reshape(1, num_samples)

    with patch("torch.rand_like", lambda _: uniforms), patch("torch.multinomial", invert):
        tokens, matches = _speculative_sampling(draft[None], q.log()[None], len(draft), p.log()[None], False)
    return tokens[0].tolist(), int(matches)


def make():
    cases = []
    for index in range(24):
        k, size = 1 + index % 4, 4 + index % 3
        q = torch.softmax(torch.randn(k, size, dtype=torch.float64), -1)
        p = torch.softmax(0.5 * torch.randn(k + 1, size, dtype=torch.float64), -1)
        p[:k] = 0.4 * p[:k] + 0.6 * q  # near the draft, so that acceptances and rejections both occur
        draft = torch.multinomial(q, 1).squeeze(1)
        uniforms, last = torch.rand(k, dtype=torch.float64), float(torch.rand((), dtype=torch.float64))
        tokens, matches = verify(draft, q, p, uniforms, last)
        # One coin for each token that is tested, then one for the final draw.
        drawn = uniforms[:min(matches + 1, k)].tolist() + [last]
        cases.append({"draft": draft.tolist(), "q": tensor(q), "p": tensor(p), "uniforms": drawn, "tokens": tokens})
    return {"cases": cases}
