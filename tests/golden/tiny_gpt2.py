"""The tiny GPT-2 whose random weights lie beside this file (97 tokens, context 128, 2 layers of 4 heads, width 32)."""
import pathlib

from safetensors.torch import load_file
from transformers import GPT2Config, GPT2LMHeadModel

VOCAB = 97


def load():
    model = GPT2LMHeadModel(GPT2Config(vocab_size=VOCAB, n_positions=128, n_embd=32, n_layer=2, n_head=4,
                                       bos_token_id=None, eos_token_id=None)).eval()
    weights = load_file(pathlib.Path(__file__).parent / "tiny_gpt2.safetensors")
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert missing == ["lm_head.weight"] and not unexpected  # the head is tied to wte
    model.tie_weights()
    return model


def left_padded(prompts, pad):
    """Ids and mask of a batch whose rows end in the same column."""
    width = max(map(len, prompts))
    ids = [[pad] * (width - len(p)) + p for p in prompts]
    mask = [[0] * (width - len(p)) + [1] * len(p) for p in prompts]
    return ids, mask
