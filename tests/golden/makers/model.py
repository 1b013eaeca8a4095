"""Logits of every position and attention weights of GPT2LMHeadModel, for the model room."""
import torch

import tiny_gpt2
from generate import tensor


@torch.no_grad()
def make():
    model = tiny_gpt2.load()
    model.set_attn_implementation("eager")  # the one that returns attention weights
    runs = []
    for prompts in [[[27, 17, 33, 96, 4, 0]], [[5, 25, 1], [12, 80, 13, 64], [11]]]:
        ids, mask = (torch.tensor(rows) for rows in tiny_gpt2.left_padded(prompts, 96))
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        out = model(ids, attention_mask=mask, position_ids=positions, output_attentions=True)
        runs.append({"input_ids": tensor(ids), "attention_mask": tensor(mask), "position_ids": tensor(positions),
                     "logits": tensor(out.logits), "attention": [tensor(a) for a in out.attentions]})
    return {"runs": runs}
