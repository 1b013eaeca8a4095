"""GPTQ's quantiser (find_params and quantize, sym=False, 4 bits) on each group, and nibbles through text: hexadecimal digits,
of which a byte shows the high one first."""
import torch

from generate import tensor


def find_params(x, levels=15):
    """One row a group."""
    low, high = x.amin(1).clamp(max=0), x.amax(1).clamp(min=0)
    scale = (high - low) / levels
    return scale[:, None], torch.round(-low / scale)[:, None]


def case(weight, group):
    rows, columns = weight.shape
    numbers, back, scales, zeros = [], [], [], []
    for part in weight.split(group, dim=1):
        scale, zero = find_params(part)
        q = torch.clamp(torch.round(part / scale) + zero, 0, 15)
        numbers.append(q)
        back.append(scale * (q - zero))
        scales.append(scale)
        zeros.append(zero)
    q, back = torch.cat(numbers, 1).int().tolist(), torch.cat(back, 1)
    packed = []
    for row in q:
        digits = "".join(f"{number:x}" for number in row) + "0" * (columns % 2)
        packed += [int(digits[i + 1] + digits[i], 16) for i in range(0, len(digits), 2)]
    return {"weight": tensor(weight), "group": group, "packed": packed,
            "scale": tensor(torch.cat(scales, 1)), "zero": torch.cat(zeros, 1).int().flatten().tolist(),
            "dequantised": tensor(back)}


def make():
    cases = [case(torch.tensor([[-4.0, -1, 0, 1, 2, 3, 6, 7]]), 8),
             case(torch.tensor([[3.0, 4.1, 7.0, 5.2], [-3.0, -7.0, -6.1, -0.2]]), 4),
             case(torch.tensor([[-5.5, 9.5, 0.5, 1.5, 2.5, -0.5], [-4.5, 10.5, 2.5, 0.5, -3.5, 9.5]]), 6)]
    for rows, columns, group in [(3, 8, 4), (5, 11, 3), (4, 7, 7), (2, 64, 32)]:
        cases.append(case(torch.randn(rows, columns) * torch.logspace(-2, 1, rows)[:, None], group))
    return {"cases": cases}
