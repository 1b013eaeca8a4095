"""The embedded models in transformers: token ids, logits, attention, greedy generate alone and as a left-padded batch."""
import pathlib

import torch
from tokenizers import Tokenizer
from transformers import GPT2LMHeadModel

import tiny_gpt2
from generate import tensor

ASSETS = pathlib.Path(__file__).parents[3] / "assets"
TEXTS = [
    "It is a truth universally acknowledged, that", "Romeo, Romeo! wherefore art thou", " two  spaces\n\nand\tlines ",
    "naïve café — “quoted” … 日本語 🦀", "<|endoftext|>Chapter 1", "x", "don't I'll we've 1234 a_b", "e\u0301\u200b",
]
PROMPTS = ["It is a truth universally acknowledged, that", "What say you,", "Her sister,"]
IDS = [0, 1, 13, 200, 261, 777, 1500, 2047, 3333, 4095]
NEW = 40


def load(name):
    model = GPT2LMHeadModel.from_pretrained(ASSETS / name, dtype=torch.float32, attn_implementation="eager").eval()
    model.generation_config.eos_token_id = model.generation_config.pad_token_id = None
    return model


def clear(model, output, prompt):
    """Greedy choices must be clear of rounding: the smallest lead of the best logit over the second."""
    logits = model(output).logits[0, prompt - 1:-1]
    best = logits.topk(2).values
    return (best[:, 0] - best[:, 1]).min().item()


def greedy(model, ids):
    output = model.generate(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long),
                            max_new_tokens=NEW, do_sample=False, pad_token_id=0)
    assert clear(model, output, len(ids)) > 1e-3
    return output[0].tolist()


def batch(model, prompts, eos):
    ids, mask = tiny_gpt2.left_padded(prompts, 0)
    output = model.generate(torch.tensor(ids), attention_mask=torch.tensor(mask), max_new_tokens=NEW, do_sample=False,
                            pad_token_id=0, eos_token_id=eos)
    return {"eos": eos, "prompts": prompts, "output": output.tolist()}


def judged(model, ids):
    """Of every position: some logits, and what depends on all of them."""
    logits = model(torch.tensor([ids])).logits[0].double()
    return {"ids": ids, "logits": tensor(logits[:, IDS]), "sum": tensor(logits.sum(-1)),
            "log_sum": tensor(logits.logsumexp(-1)), "largest": tensor(logits.max(-1).values),
            "best": logits.argmax(-1).tolist()}


@torch.no_grad()
def make():
    tokenizer = Tokenizer.from_file(str(ASSETS / "model/tokenizer.json"))
    encode = lambda text: tokenizer.encode(text).ids
    model, draft = load("model"), load("draft")
    prompts = [encode(p) for p in PROMPTS]
    maps = model(torch.tensor([prompts[0]]), output_attentions=True).attentions
    ended = greedy(model, prompts[1])[len(prompts[1]) + 7]  # a token that ends one row early
    return {
        "texts": [{"text": t, "ids": encode(t), "decoded": tokenizer.decode(encode(t), skip_special_tokens=False)}
                  for t in TEXTS],
        "ids": IDS,
        "model": [judged(model, p) for p in prompts + [encode(" ".join(TEXTS))]],
        "draft": [judged(draft, p) for p in prompts],
        "attention": [tensor(m[0, :, -1]) for m in maps],  # of the last query: (H, T) a layer
        "new": NEW,
        "greedy": [greedy(model, p) for p in prompts],
        "draft_greedy": [greedy(draft, p) for p in prompts],
        "batches": [batch(model, prompts, eos) for eos in (None, ended)],
    }
