"""torch.nn.functional.rms_norm, and transformers' LlamaRMSNorm beside it."""
import torch
from torch.nn.functional import rms_norm
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from generate import tensor


def make():
    cases = []
    for shape, scale, eps, half in [((2, 3, 8), 1.0, 1e-6, False), ((5,), 1.0, 0.5, False), ((4, 6), 1e-3, 1e-6, False),
                                    ((2, 2, 4, 16), 300.0, 1e-5, True)]:
        dtype = torch.float16 if half else torch.float32
        x, weight = (scale * torch.randn(shape)).to(dtype), (1 + torch.randn(shape[-1])).to(dtype)
        llama = LlamaRMSNorm(shape[-1], eps).to(dtype)
        llama.weight.data = weight
        output = llama(x)
        tolerance = {"rtol": 2e-3, "atol": 2e-3} if half else {"rtol": 1e-6, "atol": 1e-6}
        # PyTorch's own CPU kernel squares f16 in f16, so it is asked in f32.
        torch.testing.assert_close(rms_norm(x.float(), shape[-1:], weight.float(), eps).to(dtype), output, **tolerance)
        cases.append({"x": tensor(x), "weight": tensor(weight), "eps": eps, "half": half, "output": tensor(output)})
    return {"cases": cases}
