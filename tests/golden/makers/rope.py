"""transformers' GPT-J rotation (base 10000) and multiplication by complex numbers (any base)."""
import torch
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb, create_sinusoidal_positions

from generate import tensor


def by_complex_numbers(x, base, offset):
    """x (B, H, T, D): each pair of neighbours is a complex number and is multiplied by exp(i·angle)."""
    t, d = x.shape[-2:]
    positions = torch.arange(offset, offset + t, dtype=torch.float64)
    angles = torch.outer(positions, float(base) ** (-torch.arange(0, d, 2, dtype=torch.float64) / d))
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], d // 2, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2).float()


def by_gptj(x, offset):
    t, d = x.shape[-2:]
    sin, cos = create_sinusoidal_positions(offset + t, d)[None, offset:].chunk(2, dim=-1)
    return apply_rotary_pos_emb(x.transpose(1, 2), sin, cos).transpose(1, 2)  # GPT-J's layout is (B, T, H, D)


def make():
    cases = []
    for shape, base, offset in [((2, 3, 5, 8), 10000, 0), ((1, 2, 4, 6), 10000, 37), ((2, 1, 3, 4), 500000, 12)]:
        x = torch.randn(shape)
        output = by_complex_numbers(x, base, offset)
        if base == 10000:
            gptj = by_gptj(x, offset)
            torch.testing.assert_close(gptj, output, rtol=1e-5, atol=1e-5)
            output = gptj
        cases.append({"x": tensor(x), "base": base, "offset": offset, "output": tensor(output)})
    return {"cases": cases}
