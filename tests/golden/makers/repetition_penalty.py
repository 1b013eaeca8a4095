"""transformers' RepetitionPenaltyLogitsProcessor, row by row, since it wants contexts of equal length."""
import torch
from transformers.generation.logits_process import RepetitionPenaltyLogitsProcessor

from generate import tensor


def case(logits, context, penalty):
    processor = RepetitionPenaltyLogitsProcessor(penalty)
    rows = [processor(torch.tensor([ids], dtype=torch.long), row[None].clone()) for row, ids in zip(logits, context)]
    return {"logits": tensor(logits), "context": context, "penalty": penalty, "output": tensor(torch.cat(rows))}


def make():
    torch.manual_seed(11)
    cases = [
        case(torch.tensor([[2.0, -1.0, 0.5, 0.0, -3.0, 1.0]]), [[1, 4, 4, 0, 3]], 1.5),
        case(torch.tensor([[4.0, -2.0, 1.0]]), [[1, 0]], 0.5),
        case(torch.tensor([[float("-inf"), 1e4, -1e4, float("-inf"), 0.0]]), [[0, 1, 2, 4, 2]], 1.25),
        case(torch.randn(3, 7) * 3, [[6, 0, 2, 2], [5], [1, 3, 1, 4, 3, 1]], 1.3),
        case(torch.randn(2, 4), [[], [3, 3, 3]], 2.0),
    ]
    context = torch.randint(0, 50, (2, 80)).tolist()
    return {"cases": cases + [case(torch.randn(2, 50) * 2 - 1, context, penalty) for penalty in (1.0, 1.1, 0.8)]}
