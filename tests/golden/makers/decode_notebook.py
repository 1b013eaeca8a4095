"""transformers' greedy generate() on the tiny GPT-2, and its logits warpers with an inverse CDF behind them."""
import torch
from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

import tiny_gpt2
from generate import number, tensor

PROMPTS = [[27, 17, 33], [12, 5, 25, 1, 80, 13, 64], [3, 82, 0, 55, 88], [11]]


def greedy(model, prompts, eos, pad, max_new_tokens=12):
    ids, mask = tiny_gpt2.left_padded(prompts, pad)
    out = model.generate(torch.tensor(ids), attention_mask=torch.tensor(mask), max_new_tokens=max_new_tokens,
                         eos_token_id=eos, pad_token_id=pad, do_sample=False)
    return {"input_ids": tensor(torch.tensor(ids)), "attention_mask": tensor(torch.tensor(mask)),
            "max_new_tokens": max_new_tokens, "eos": eos, "pad": pad, "output": tensor(out)}


def warped(temperature, top_k, top_p, rows=3, vocab=11):
    """Tie-free logits, uniforms, and the token in whose share of the warped distribution each uniform falls."""
    logits = torch.randn(rows, vocab) * 2
    scores = TemperatureLogitsWarper(temperature)(None, logits)
    if top_k:
        scores = TopKLogitsWarper(top_k)(None, scores)
    if top_p < 1:
        scores = TopPLogitsWarper(top_p)(None, scores)
    cdf = scores.double().softmax(-1).cumsum(-1)
    uniforms = torch.rand(8, rows, dtype=torch.float64)
    tokens = torch.stack([(cdf <= u[:, None]).sum(-1) for u in uniforms])
    return {"logits": tensor(logits), "temperature": temperature, "top_k": top_k, "top_p": top_p,
            "uniforms": [number(u) for u in uniforms.flatten().tolist()], "tokens": tensor(tokens)}


@torch.no_grad()
def make():
    model = tiny_gpt2.load()
    batches = [greedy(model, PROMPTS, eos, pad) for eos in [96, 86, 37, 67, 34, 32] for pad in [eos, 0]]
    single = [greedy(model, [PROMPTS[row]], eos, 0) for row, eos in [(0, 37), (1, 62), (3, 86)]]
    settings = [(1.0, 0, 1.0), (0.5, 0, 1.0), (2.0, 0, 0.9), (1.0, 4, 1.0), (1.0, 0, 0.7), (0.7, 5, 0.8), (1.5, 3, 0.6)]
    return {"greedy": batches + single, "sampler": [warped(*s) for s in settings]}
