"""transformers' generate(do_sample=False) on the tiny GPT-2, one prompt at a time."""
import torch

import tiny_gpt2

PROMPTS = [[27, 17, 33], [12, 5, 25, 1, 80, 13, 64], [3, 82, 0, 55, 88], [11], [86, 37, 86], [0, 96]]


def greedy(model, prompt, limit, eos):
    out = model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
                         max_new_tokens=limit, eos_token_id=eos, pad_token_id=0, do_sample=False)
    return {"prompt": prompt, "max_new_tokens": limit, "eos": eos, "output": out[0].tolist()}


@torch.no_grad()
def make():
    model = tiny_gpt2.load()
    free = [greedy(model, prompt, 14, None) for prompt in PROMPTS]
    cases = free + [greedy(model, prompt, 1, None) for prompt in PROMPTS[:2]]
    for case in free:  # each with an EOS that comes, with one that stands in the prompt, and with both
        said = case["output"][len(case["prompt"]):]
        for eos in sorted({said[5], case["prompt"][0], case["prompt"][-1]}):
            cases.append(greedy(model, case["prompt"], 14, eos))
    return {"cases": cases}
