"""tokenizers' ByteLevel pre-tokenizer, and the expression itself with Python's `regex`, which must agree."""
import random
import unicodedata

import regex
from tokenizers import pre_tokenizers

PATTERN = regex.compile(r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""")
TEXTS = ["Hello  world", "I'll say 42%!", " a\n\n b", "don't DON'T it''s 'sup rock 'n' roll", "x2 v2_final 1,234.50 ½ x²",
         "नमस्ते दुनिया", "Café naïve 日本語 テスト", "🙂🙂 a—b “c” …", "a\u00a0b 全\u3000角", "def f(x):\n    return  x\n", "", "  ", "\t"]
ALPHABET = "     \n\n\t\u00a0'''stlledS" + "éनि日12²Ⅷ_!—🙂"


def library(text):
    pieces = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    return [text[start:end] for _, (start, end) in pieces]


def letters(rng):
    """Two strings: characters that tokenizers takes for letters, and characters that it does not, most of them alphabetic."""
    known = [chr(c) for c in range(0x80, 0x20000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    signs = [c for c in known if regex.match(r"[\p{M}\p{N}\p{S}]", c)]
    sample = sorted(set(rng.sample(known, 900) + rng.sample(signs, 900)))
    found = {c: len(library("a" + c)) == 1 for c in sample}
    assert all(found[c] == bool(regex.match(r"\p{L}", c)) for c in sample)
    return ["".join(c for c in sample if found[c] == wanted) for wanted in (True, False)]


def make():
    rng = random.Random(7)
    texts = TEXTS + ["".join(rng.choice(ALPHABET) for _ in range(rng.randint(1, 20))) for _ in range(150)]
    cases = []
    for text in texts:
        pieces = library(text)
        assert pieces == PATTERN.findall(text) and "".join(pieces) == text, text
        cases.append([text, pieces])
    return {"texts": cases, "letters": letters(rng)}
