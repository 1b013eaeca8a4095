"""Python's UTF-8 decoder on any bytes; tokenizers' DecodeStream on whole texts.

DecodeStream has no end, so what it is given here ends in a complete character. It runs behind LLaMA's decoder (the tokenizer's
own space, single bytes) and behind GPT-2's (bytes of any cut, no space of its own).
"""
import codecs
import os
import random

from tokenizers import Tokenizer, decoders, models
from transformers.models.gpt2.tokenization_gpt2 import bytes_to_unicode

TEXTS = ["It's naïve — 日本語, नमस्ते!\n Ünï 🙂🎉", " twice  spaced ça 日 ", "🙂 first", "\n x", " ", "", "   three"]
TROUBLE = [0x20, 0x61, 0x80, 0xbf, 0xc0, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xed, 0xa0, 0xf0, 0x9f, 0x99, 0xf4, 0x90, 0xff]


def cut(rng, data, longest):
    tokens = []
    while data:
        size = rng.randint(1, longest)
        tokens.append(data[:size])
        data = data[size:]
    return tokens


def certain(data):
    """The text that stays the same whatever comes next."""
    seconds = (0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf)  # every beginning of a character can go on with one of these
    endings = [b""] + [bytes([second]) + b"\x80" * more for second in seconds for more in range(3)]
    return os.path.commonprefix([(data + ending).decode("utf-8", "replace") for ending in endings])


def python(tokens):
    """Every token's piece and the rest; one space less at the start of the whole."""
    data, texts = b"", [""]
    for token in tokens:
        data += token
        texts.append(certain(data))
    texts.append(data.decode("utf-8", "replace"))
    pieces = [after[len(before):] for before, after in zip(texts, texts[1:])]
    assert "".join(pieces) == texts[-1]
    # Python's incremental decoder says the same, but takes a surrogate or a code beyond the last for unfinished.
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    theirs = [decoder.decode(token) for token in tokens] + [decoder.decode(b"", final=True)]
    assert theirs == pieces or 0xed in data or 0xf4 in data
    first = next((at for at, piece in enumerate(pieces) if piece), None)
    if first is not None and pieces[first][0] == " ":
        pieces[first] = pieces[first][1:]
    return [[list(token) for token in tokens], pieces]


def stream(words, decoder):
    """The pieces of tokenizers' DecodeStream; nothing where it says nothing."""
    ids = {word: at for at, word in enumerate(dict.fromkeys(words))}
    tokenizer = Tokenizer(models.WordLevel({**ids, "<never>": len(ids)}, unk_token="<never>"))
    tokenizer.decoder = decoder
    steps = decoders.DecodeStream(skip_special_tokens=False)
    return [steps.step(tokenizer, ids[word]) or "" for word in words]


def llama(rng, text):
    """▁ for a space, some characters as single bytes, and Strip takes the first space away."""
    words, tokens = [], []
    for piece in cut(rng, text, 4):
        if rng.random() < 0.3:
            words += [f"<0x{byte:02X}>" for byte in piece.encode()]
            tokens += [[byte] for byte in piece.encode()]
        else:
            words.append(piece.replace(" ", "▁"))
            tokens.append(list(piece.encode()))
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    return [tokens, stream(words, decoders.Sequence(steps)) + [""]]


def byte_level(tokens):
    table = bytes_to_unicode()
    return stream(["".join(table[byte] for byte in token) for token in tokens], decoders.ByteLevel())


def make():
    rng = random.Random(11)
    any_bytes = [python(cut(rng, text.encode(), longest)) for text in TEXTS for longest in (1, 2, 5)]
    for _ in range(120):
        garbage = bytes(rng.choice(TROUBLE) for _ in range(rng.randint(1, 24)))
        any_bytes.append(python(cut(rng, garbage, 3)))
    behind_llama = [llama(rng, text) for text in TEXTS * 3 if text]
    cases = []
    for text in TEXTS:  # each character whole or byte by byte: then nothing complete waits for a neighbour
        if not text.startswith(" "):
            tokens = [part for c in text for part in ([c.encode()] if rng.random() < 0.5 else cut(rng, c.encode(), 1))]
            cases.append([[list(t) for t in tokens], byte_level(tokens) + [""]])
    waits = [[b"caf\xc3", b"\xa9!"], [b"\xff", b"a"], [b"x\xef\xbf\xbd", b"y"], [b"a\xe6", b"\x97", b"\xa5b\xf0", b"!"]]
    return {"python": any_bytes, "llama": behind_llama, "byte-level": cases,
            "waits": [[[list(t) for t in tokens], byte_level(tokens)] for tokens in waits]}
