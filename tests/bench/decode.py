"""Tokens a second of transformers' greedy generate() on the embedded model: called by decode.rs with a prompt and a count."""
import pathlib, sys, time

import torch
from tokenizers import Tokenizer
from transformers import GPT2LMHeadModel

prompt, count = sys.argv[1], int(sys.argv[2])
folder = pathlib.Path(__file__).parents[2] / "assets" / "model"
model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()
model.generation_config.eos_token_id = None
ids = torch.tensor([Tokenizer.from_file(str(folder / "tokenizer.json")).encode(prompt).ids])


def run():
    start = time.perf_counter()
    with torch.inference_mode():
        out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=count, do_sample=False, pad_token_id=0)
    assert out.shape[1] == ids.shape[1] + count
    return count / (time.perf_counter() - start)


run()
print(sorted(run() for _ in range(3))[1])
