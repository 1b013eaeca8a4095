"""transformers' temperature and min-p warpers in generate's order, then softmax."""
import torch
from transformers.generation.logits_process import MinPLogitsWarper, TemperatureLogitsWarper

from generate import tensor


def case(logits, temperature, min_p):
    scores = logits.clone()
    if temperature != 1.0:
        scores = TemperatureLogitsWarper(temperature)(None, scores)
    scores = MinPLogitsWarper(min_p)(None, scores)
    return {"logits": tensor(logits), "temperature": temperature, "min_p": min_p,
            "probabilities": tensor(torch.softmax(scores.double(), -1).float())}


def make():
    torch.manual_seed(5)
    five = torch.tensor([[0.05, 0.40, 0.10, 0.30, 0.15]]).log()
    cases = [case(five, 1.0, min_p) for min_p in (0.2, 0.3, 0.5, 1.0)]
    # Temperature first keeps all five, min-p first keeps three.
    cases.append(case(torch.tensor([[3.0, 2.0, 1.0, 0.0, -1.0]]), 3.0, 0.1))
    # The tie at the top, an impossible token, large logits.
    cases.append(case(torch.tensor([[0.5, 2.0, -1.0, 2.0, 1.75, 2.0]]), 1.5, 1.0))
    cases.append(case(torch.tensor([[float("-inf"), 1.0, 0.5, 2.0]]), 2.0, 0.5))
    cases.append(case(torch.tensor([[-1e4, 9999.0, 1e4, 0.0, 9997.0]]), 1.0, 0.1))
    for temperature, min_p in [(1.0, 0.05), (0.7, 0.1), (1.5, 0.2), (2.5, 0.02), (1.0, 0.0)]:
        cases.append(case(torch.randn(3, 23) * 2 - 1, temperature, min_p))
    return {"cases": cases}
