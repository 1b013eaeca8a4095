"""transformers' warpers in generate's order, then the draw by inverse CDF in order of ids.

The uniforms lie in the middle of every kept token's interval of [0, 1) and just inside its two ends, so that together they
show exactly what is kept and how probable it is, to 1e-5.
"""
import torch
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from generate import tensor

INSIDE = 1e-5
SETTINGS = [(1.0, 0, 1.0), (1.0, 0, 0.65), (0.5, 0, 1.0), (1.0, 3, 1.0), (1.0, 3, 0.6), (2.0, 0, 0.75), (0.8, 12, 0.9),
            (1.3, 5, 0.5), (0.7, 100, 0.95), (1.5, 0, 0.01)]


def probabilities(logits, temperature, top_k, top_p):
    scores = logits[None].clone()
    if temperature != 1.0:
        scores = TemperatureLogitsWarper(temperature)(None, scores)
    if top_k:
        scores = TopKLogitsWarper(top_k)(None, scores)
    if top_p < 1.0:
        scores = TopPLogitsWarper(top_p)(None, scores)
    return torch.softmax(scores.double(), -1)[0]


def case(logits, temperature, top_k, top_p):
    p = probabilities(logits, temperature, top_k, top_p)
    ends = p.cumsum(0).tolist()
    uniforms, ids = [], []
    for token, (mass, end) in enumerate(zip(p.tolist(), ends)):
        if mass > 4 * INSIDE:
            uniforms += [end - mass + INSIDE, end - mass / 2, end - INSIDE]
            ids += [token] * 3
    return {"logits": tensor(logits), "temperature": temperature, "top_k": top_k, "top_p": top_p,
            "uniforms": tensor(torch.tensor(uniforms, dtype=torch.float64)), "ids": ids}


def make():
    torch.manual_seed(3)
    five = torch.tensor([0.05, 0.40, 0.10, 0.30, 0.15]).log()
    inputs = [five, torch.randn(23) * 2, torch.randn(60) - 5]
    cases = [case(logits, *setting) for logits in inputs for setting in SETTINGS]
    # Reached exactly; all tied at the k-th; a share of what top-k leaves; temperature before top-p.
    cases.append(case(torch.tensor([0.5, 0.25, 0.125, 0.125]).log(), 1.0, 0, 0.5))
    cases.append(case(torch.tensor([0.5, 2.0, 0.5, -1.0, 0.5, 3.0]), 1.0, 3, 1.0))
    cases.append(case(torch.tensor([0.2, 0.4, 0.1, 0.3]).log(), 1.0, 2, 0.5))
    cases.append(case(torch.tensor([3.0, 2.0, 1.0]), 0.5, 0, 0.8))
    return {"cases": cases}
