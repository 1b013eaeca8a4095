"""tokenizers' BertPreTokenizer behind Lowercase, its Whitespace for the other convention, and Unicode's category P."""
import json
import pathlib
import random
import unicodedata

from tokenizers import normalizers, pre_tokenizers

TEXTS = ["Hello, World!", "snake_case x2", "Don't!!", "Café NAÏVE", "日本語、中国。", "İstanbul", "5€+3$", "«Ça»—va…", "", " \t\n",
         "Cafe\u0301 nai\u0308ve", "10\u00a0km\u3000x", "a\u200bb\u0007c", "¿Qué? “quoted” ‘it’s’ §5 ¶2", "a|b~c^d`e<f>g ©🙂 x²",
         "".join(f"a{chr(c)}b " for c in range(33, 127))]


def tokens(pre, text):
    return [t for t, _ in pre.pre_tokenize_str(normalizers.Lowercase().normalize_str(text))]


def punctuation():
    """In turn where a stretch of category P begins and ends, for Unicode 14 (Python 3.11); with another Python it stays as it is."""
    if unicodedata.unidata_version != "14.0.0":
        return json.loads((pathlib.Path(__file__).parents[1] / "pretok.json").read_text())["punctuation"]
    is_p = [unicodedata.category(chr(c)).startswith("P") for c in range(0x110000)]
    return [c for c in range(1, 0x110000) if is_p[c] != is_p[c - 1]]


def make():
    rng = random.Random(9)
    alphabet = "abcXYZ019éÏñ日本語жЩ_'’.,!?—«»$€+ \t\n\u00a0\u0301🙂"
    texts = TEXTS + ["".join(rng.choice(alphabet) for _ in range(rng.randint(3, 40))) for _ in range(60)]
    whitespace = [t for t in texts if "\u200b" not in t and "\u0007" not in t]
    return {"texts": [[t, tokens(pre_tokenizers.BertPreTokenizer(), t)] for t in texts], "punctuation": punctuation(),
            "whitespace": [[t, tokens(pre_tokenizers.Whitespace(), t)] for t in whitespace]}
