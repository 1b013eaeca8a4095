"""transformers' warpers in generate's order, then the draw by inverse CDF in order of ids."""
import torch
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from generate import tensor

SWEEP = 60
SETTINGS = [(1.0, 0, 0.65), (0.5, 0, 1.0), (1.0, 3, 1.0), (1.0, 3, 0.6), (2.0, 0, 0.75), (0.8, 12, 0.9), (1.3, 5, 0.5)]


def ids(logits, temperature, top_k, top_p):
    scores = TemperatureLogitsWarper(temperature)(None, logits[None].clone()) if temperature != 1.0 else logits[None].clone()
    if top_k:
        scores = TopKLogitsWarper(min(top_k, logits.numel()))(None, scores)
    if top_p < 1.0:
        scores = TopPLogitsWarper(top_p)(None, scores)
    cumulative = torch.softmax(scores.double(), -1)[0].cumsum(0)
    return [int(torch.searchsorted(cumulative, (n + 0.5) / SWEEP, right=True)) for n in range(SWEEP)]


def make():
    torch.manual_seed(3)
    inputs = [torch.tensor([0.05, 0.40, 0.10, 0.30, 0.15]).log(), torch.randn(23) * 2, torch.randn(60) - 5]
    cases = []
    for logits in inputs:
        for temperature, top_k, top_p in SETTINGS:
            cases.append({"logits": tensor(logits), "temperature": temperature, "top_k": top_k, "top_p": top_p,
                          "ids": ids(logits, temperature, top_k, top_p)})
    return {"cases": cases}
