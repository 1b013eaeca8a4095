"""Scores that transformers' BeamHypotheses.add gives, by generated length, with Python's own arithmetic in f64."""
import torch
from transformers.generation.beam_search import BeamHypotheses

from generate import tensor


def scored(log_probs, lengths, prompt_len, alpha):
    pool = BeamHypotheses(num_beams=len(log_probs), length_penalty=alpha, early_stopping=False)
    for log_prob, length in zip(log_probs, lengths):
        pool.add(torch.zeros(length, dtype=torch.long), log_prob, generated_len=length - prompt_len)
    scores = torch.tensor([score for score, _, _ in pool.beams], dtype=torch.float64)
    return {"log_probs": tensor(torch.tensor(log_probs, dtype=torch.float64)), "lengths": lengths,
            "prompt_len": prompt_len, "alpha": alpha, "scores": tensor(scores)}


def make():
    cases = [scored([-10.0], [5], 0, 0.6), scored([-8.0], [16], 0, 1.0), scored([-10.0], [12], 7, 0.6)]
    for index, alpha in enumerate([0.0, 0.2, 0.5, 0.6, 0.65, 0.9, 1.0, 1.3, 2.0, -0.5, -1.0, 0.75]):
        count, prompt_len = 3 + index, 5 * index % 23
        new = torch.randint(1, 200, (count,))
        log_probs = (-new * (0.2 + 2 * torch.rand(count))).double().round(decimals=3)
        cases.append(scored(log_probs.tolist(), (new + prompt_len).tolist(), prompt_len, alpha))
    return {"cases": cases}
