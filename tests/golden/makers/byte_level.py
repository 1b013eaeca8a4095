"""transformers.models.gpt2.tokenization_gpt2.bytes_to_unicode, and tokenizers' ByteLevel decoder where it parts from ours."""
from tokenizers import decoders
from transformers.models.gpt2.tokenization_gpt2 import bytes_to_unicode

TEXTS = ["Hello!", " world", "é", "\n", "日", "", "tabs\tand\u00adsoft", "naïve café — “quoted” 🙂", "\x00\x1f\x7f\u0080\u00a0", "~¬ÿ"]


def make():
    table = bytes_to_unicode()
    return {"table": [table[b] for b in range(256)],
            "texts": [[t, "".join(table[b] for b in t.encode("utf-8"))] for t in TEXTS],
            "foreign": [[t, decoders.ByteLevel().decode([t])] for t in ["a b", "a日Ġ", "Ã©日"]]}
