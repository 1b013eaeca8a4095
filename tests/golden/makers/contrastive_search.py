"""Su et al.'s equation 5 in two independent forms that must agree.

transformers took contrastive search out of its core (it is not in 4.57), so no library function is left to call. One form takes
torch's cosine_similarity pair by pair; the other normalises both matrices, multiplies them and masks, as SimCTG's ranking does.
"""
import torch

from generate import tensor


def by_pairs(logits, candidates, hidden, context, mask, alpha):
    scores = torch.zeros(candidates.shape, dtype=torch.float64)
    for b in range(len(logits)):
        p = torch.softmax(logits[b].double(), -1)
        for i, token in enumerate(candidates[b].tolist()):
            near = max(torch.nn.functional.cosine_similarity(hidden[b, i].double(), context[b, j].double(), dim=0).item()
                       for j in range(context.shape[1]) if mask[b, j])
            scores[b, i] = (1 - alpha) * p[token].item() - alpha * near
    return scores


def by_matrices(logits, candidates, hidden, context, mask, alpha):
    p = torch.softmax(logits.double(), -1).gather(1, candidates)
    unit = lambda x: torch.nn.functional.normalize(x.double(), dim=-1)
    cosines = torch.einsum("bkd,btd->bkt", unit(hidden), unit(context))
    cosines = cosines.masked_fill(mask[:, None] == 0, float("-inf"))
    return (1 - alpha) * p - alpha * cosines.amax(-1)


def case(logits, candidates, hidden, context, mask, alpha):
    scores = by_pairs(logits, candidates, hidden, context, mask, alpha)
    torch.testing.assert_close(scores, by_matrices(logits, candidates, hidden, context, mask, alpha), rtol=1e-9, atol=1e-9)
    top = scores.topk(min(2, scores.shape[1])).values
    assert scores.shape[1] == 1 or (top[:, 0] - top[:, 1]).min() > 1e-4
    chosen = candidates.gather(1, scores.argmax(-1, keepdim=True))[:, 0]
    return {"logits": tensor(logits), "candidates": tensor(candidates), "hidden": tensor(hidden), "context": tensor(context),
            "mask": tensor(mask), "alpha": alpha, "scores": tensor(scores), "chosen": chosen.tolist()}


def random(b, v, k, t, d, alpha):
    logits = torch.randn(b, v) * 2
    candidates = logits.topk(k).indices[:, torch.randperm(k)]
    mask = (torch.arange(t)[None] >= 2 * torch.arange(b)[:, None]).long()
    return case(logits, candidates, torch.randn(b, k, d) * 3, torch.randn(b, t, d) * 5, mask, alpha)


def make():
    torch.manual_seed(31)
    hand = (torch.tensor([[[2.0, 0.0], [0.0, 3.0], [1.0, 1.0]]]), torch.tensor([[[4.0, 0.0], [1.0, 1.0]]]))
    one = torch.ones(1, 2, dtype=torch.long)
    cases = [case(torch.tensor([[2.0, 1.0, 0.0]]), torch.tensor([[0, 1, 2]]), *hand, one, 0.6)]
    # All cosines negative but those of padding; a vector of zeros.
    cases.append(case(torch.tensor([[0.2, 0.1, -2.0, 0.4]]), torch.tensor([[1, 3]]), torch.tensor([[[0.0, -2.0], [1.0, -3.0]]]),
                      torch.tensor([[[1.0, -1.0], [0.0, 1.0], [-0.5, 2.0]]]), torch.tensor([[0, 1, 1]]), 0.5))
    cases.append(case(torch.tensor([[1.0, 0.0, 1.5]]), torch.tensor([[2, 0]]), torch.tensor([[[0.0, 0.0], [-1.0, -2.0]]]), hand[1],
                      one, 0.3))
    for shape in [(2, 11, 3, 5, 4, 0.4), (3, 20, 5, 7, 6, 0.6), (1, 9, 4, 3, 8, 0.0), (2, 9, 4, 4, 4, 1.0)]:
        cases.append(random(*shape))
    return {"cases": cases}
