"""After which token generation ends: transformers' StopStringCriteria, over streams of a small byte-level BPE tokenizer.

What may be sent after each token is found by brute force: a character must be held back exactly if some continuation of the text
would make it part of the first stop string. Here the continuations are spelled out, so no rule about suffixes is used.
"""
import random

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast
from transformers.generation.stopping_criteria import StopStringCriteria

CORPUS = ["hello world, how low can the world go?", "User: tell me more\nAssistant: no more\n\nUser: please stop",
          "if x == y:\n    return x\n\n\ndef f(y):\n    pass", "aaab aab ab abab ababab bababa"]


def tokenizer():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tok.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=len(alphabet) + 60, initial_alphabet=alphabet,
                                                        show_progress=False))
    return PreTrainedTokenizerFast(tokenizer_object=tok)


def cut(text, stops):
    """Where the first stop string begins, and which it is; of two that begin together the one that is listed first."""
    found = [(text.index(s), i) for i, s in enumerate(stops) if s in text]
    return min(found) if found else None


def sendable(text, stops):
    """The longest beginning of `text` that stays sent whatever follows."""
    safe = len(text)
    for stop in stops:
        for shared in range(1, len(stop)):
            first = cut(text + stop[shared:], stops)  # a continuation that would complete this stop
            if first:
                safe = min(safe, first[0])
    return text[:safe]


def stream(tok, ids, stops, prompt=""):
    criteria = StopStringCriteria(tok, stops)
    pieces, text, sent, lines = [], "", 0, []
    for n, token in enumerate(ids, 1):
        pieces.append(tok.decode([token], clean_up_tokenization_spaces=False))
        text += pieces[-1]
        stopped = bool(criteria(torch.tensor([ids[:n]]), None)[0])
        found = cut(text, stops)
        assert stopped == (found is not None), (text, stops, stopped)
        ready = text[:found[0]] if found else sendable(text, stops)
        lines.append(ready[sent:])
        sent = len(ready)
        if stopped:
            return {"prompt": prompt, "pieces": pieces, "stops": stops, "sent": lines, "stop": found[1], "tokens": n}
    return {"prompt": prompt, "pieces": pieces, "stops": stops, "sent": lines + [text[sent:]], "stop": -1, "tokens": len(ids)}


def make():
    tok, rng = tokenizer(), random.Random(3)
    encode = lambda text: tok(text)["input_ids"]
    cases = [stream(tok, encode("hello world"), stops) for stops in [["low"], ["lo w"], ["orld"], ["o", "ell"]]]
    cases.append(stream(tok, encode("no more\n\nUser: tell"), ["\n\nUser:", "\nUser"], prompt="say no\n\nUser:"))
    cases.append(stream(tok, encode("return x\n\n\ndef f(y)"), ["\ndef", "\nclass", "\n\n\n\n"]))
    letters = [i for i, t in sorted((i, t) for t, i in tok.get_vocab().items()) if set(tok.decode([i])) <= set("ab ")]
    while len(cases) < 60:
        ids = [rng.choice(letters) for _ in range(rng.randint(4, 14))]
        text = tok.decode(ids, clean_up_tokenization_spaces=False)
        start = rng.randrange(len(text) + 4)
        stops = [text[start:start + rng.randint(1, 6)] or "abba", "".join(rng.choice("ab") for _ in range(rng.randint(2, 5)))]
        made = stream(tok, ids, stops)
        endless = sum(case["stop"] < 0 for case in cases)
        if len(set(stops)) == 2 and made["tokens"] >= 3 and (made["stop"] >= 0 or endless < 15):
            cases.append(made)
    return {"cases": cases}
