"""transformers' own logits processors: what each keeps, and with which probabilities."""
import torch
from transformers.generation import logits_process as lp

from generate import number, tensor

PROCESSORS = {
    "temperature": lambda v: lp.TemperatureLogitsWarper(v),
    "top_k": lambda v: lp.TopKLogitsWarper(int(v)),
    "top_p": lambda v: lp.TopPLogitsWarper(v),
    "min_p": lambda v: lp.MinPLogitsWarper(v),
    "typical": lambda v: lp.TypicalLogitsWarper(v),
    "repetition": lambda v: lp.RepetitionPenaltyLogitsProcessor(v),
}
CHAINS = [
    [("temperature", 0.7)], [("temperature", 2.0)], [("top_k", 1)], [("top_k", 7)], [("top_k", 500)],
    [("top_p", 0.05)], [("top_p", 0.5)], [("top_p", 0.95)], [("min_p", 0.02)], [("min_p", 0.3)], [("min_p", 1.0)],
    [("typical", 0.2)], [("typical", 0.9)], [("repetition", 1.3)], [("repetition", 0.8)],
    [("repetition", 1.2), ("temperature", 0.8), ("top_k", 20), ("top_p", 0.9)],
    [("temperature", 1.5), ("top_p", 0.8), ("min_p", 0.1)],
    [("temperature", 0.6), ("top_k", 40), ("top_p", 0.95), ("min_p", 0.05), ("typical", 0.8)],
]
RANGES = {"temperature": (0.3, 2.5), "top_k": (2, 60), "top_p": (0.1, 0.98), "min_p": (0.005, 0.4),
          "typical": (0.1, 0.95), "repetition": (0.7, 1.8)}


def random_chains(count):
    """Two to five processors in any order, each at most once."""
    chains = []
    for _ in range(count):
        names = [list(PROCESSORS)[i] for i in torch.randperm(len(PROCESSORS))[:torch.randint(2, 6, ()).item()]]
        drawn = [(name, RANGES[name][0] + (RANGES[name][1] - RANGES[name][0]) * torch.rand(()).item()) for name in names]
        chains.append([(name, int(v) if name == "top_k" else round(v, 3)) for name, v in drawn])
    return chains


def make():
    torch.manual_seed(11)
    inputs = [torch.randn(97) * 3, torch.randn(97) * 0.3, torch.tensor([3.0, 2.0, 1.0, 0.0, -1.0])]
    holes = torch.randn(97) * 2
    holes[torch.rand(97) < 0.4] = -torch.inf
    inputs += [holes, torch.tensor([0.7])]
    chains = CHAINS + random_chains(30)
    prompt = torch.tensor([[1, 4, 4, 0, 3]])
    cases = []
    for logits in inputs:
        for chain in chains:
            if len(logits) == 1 and any(name == "repetition" for name, _ in chain):
                continue  # the prompt's tokens are beyond a vocabulary of one
            scores = logits[None].clone()
            for name, value in chain:
                if name == "top_k" and value > scores.shape[-1]:
                    value = scores.shape[-1]
                scores = PROCESSORS[name](value)(prompt, scores)
            probabilities = torch.softmax(scores.double(), -1)[0]
            cases.append({"logits": [i for i, x in enumerate(inputs) if x is logits][0],
                          "chain": [[n, v] for n, v in chain],
                          "kept": [i for i, p in enumerate(probabilities.tolist()) if p > 0],
                          "probabilities": [number(p) for p in probabilities.tolist() if p > 0]})
    return {"inputs": [tensor(x) for x in inputs], "prompt": prompt[0].tolist(), "cases": cases}
