"""transformers' generate(num_beams=…) on table models and on the tiny GPT-2: every hypothesis that it returns, in order.

A table model's logits depend on the last two tokens alone (a missing one counts as token 0). Sets of hypotheses whose scores
nearly tie are left out, so that f32 there and f64 here must agree token for token.
"""
import torch
from transformers import GenerationConfig, GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

import tiny_gpt2
from generate import tensor

GAP = 1e-4
RAW = {"length_penalty": 0.0, "early_stopping": False}


class TableConfig(PretrainedConfig):
    model_type = "table"

    def __init__(self, vocab_size=4, **kwargs):
        self.vocab_size = vocab_size
        super().__init__(**kwargs)


class TableLM(PreTrainedModel, GenerationMixin):
    config_class = TableConfig

    def __init__(self, table):
        super().__init__(TableConfig(vocab_size=table.shape[0], is_encoder_decoder=False))
        self.table = torch.nn.Parameter(table)

    def forward(self, input_ids, attention_mask=None, return_dict=True, **kwargs):
        before = input_ids[:, -2] if input_ids.shape[1] > 1 else torch.zeros_like(input_ids[:, -1])
        return CausalLMOutput(logits=self.table[before, input_ids[:, -1]][:, None])


def search(model, prompt, beam, max_new_tokens, eos, **how):
    """Hypotheses best first, cut behind their EOS, with their scores; and the smallest gap between two scores."""
    ids = torch.tensor([prompt])
    config = GenerationConfig(num_beams=beam, num_return_sequences=beam, max_new_tokens=max_new_tokens, eos_token_id=eos,
                              pad_token_id=eos, do_sample=False, use_cache=False, return_dict_in_generate=True,
                              output_scores=True, **how)
    out = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=config)
    sequences = []
    for row in out.sequences.tolist():
        new = row[len(prompt):]
        sequences.append(prompt + (new[:new.index(eos) + 1] if eos in new else new))
    scores = out.sequences_scores
    gap = (scores[:-1] - scores[1:]).abs().min().item()
    entry = {"prompt": prompt, "beam": beam, "max_new_tokens": max_new_tokens, "eos": eos, "sequences": sequences,
             "scores": tensor(scores)}
    return entry, gap


def tables(count, **how):
    found = []
    while len(found) < count:
        vocab = int(torch.randint(3, 6, ()))
        table = (1.5 * torch.randn(vocab, vocab, vocab, dtype=torch.float64)).round(decimals=3)
        prompt = torch.randint(vocab, (int(torch.randint(1, 4, ())),)).tolist()
        beam, steps = int(torch.randint(2, 6, ())), int(torch.randint(1, 9, ()))
        if any(len(set(row)) < vocab for row in table.flatten(0, 1).tolist()):
            continue  # torch.topk promises no order among equals
        if vocab ** min(steps, 2) < 3 * beam:
            continue  # here transformers fills up with candidates that do not exist
        entry, gap = search(TableLM(table.float()).eval(), prompt, beam, steps, int(torch.randint(vocab, ())), **how)
        if gap > GAP and entry["scores"]["data"][-1] > -1e6:
            found.append({"table": tensor(table), **entry})
    return found


@torch.no_grad()
def make():
    gpt2 = []
    model = tiny_gpt2.load()
    for prompt, beam, steps, eos in [([27, 17, 33], 2, 12, 37), ([12, 5, 25, 1, 80], 4, 10, 86), ([11], 3, 8, 96),
                                     ([3, 82, 0, 55, 88], 5, 9, 32), ([40, 2, 71], 4, 12, 67), ([8, 93], 2, 14, 34)]:
        entry, gap = search(model, prompt, beam, steps, eos, **RAW)
        assert gap > GAP, gap
        gpt2.append(entry)
    return {"tables": tables(36, **RAW), "gpt2": gpt2,
            "length_normalised": tables(12, length_penalty=1.0, early_stopping=False),
            "early_stopping": tables(12, length_penalty=0.0, early_stopping=True)}
