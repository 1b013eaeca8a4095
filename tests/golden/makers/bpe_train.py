"""tokenizers' BpeTrainer where there are no ties, and the stated rule in plain Python where there are."""
import json
import random

from tokenizers import Tokenizer, models, trainers

END = "\ue000"  # one private character stands for </w>


def plain(words, count):
    """The rule as Sennrich et al. print it, safe at symbol boundaries; says whether a tie was met."""
    corpus = [(list(w) + ["</w>"], n) for w, n in words]
    merges, ties = [], False
    for _ in range(count):
        pairs = {}
        for symbols, n in corpus:
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + n
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        ties |= list(pairs.values()).count(pairs[best]) > 1
        merges.append(list(best))
        for at, (symbols, n) in enumerate(corpus):
            out, i = [], 0
            while i < len(symbols):
                if tuple(symbols[i:i + 2]) == best:
                    out.append(symbols[i] + symbols[i + 1])
                    i += 2
                else:
                    out.append(symbols[i])
                    i += 1
            corpus[at] = (out, n)
    return merges, ties


def library(words, count):
    tok = Tokenizer(models.BPE())
    text = [w + END for w, n in words for _ in range(n)]
    alphabet = len({c for w in text for c in w})
    tok.train_from_iterator(text, trainers.BpeTrainer(vocab_size=alphabet + count, min_frequency=1, show_progress=False))
    merges = json.loads(tok.to_str())["model"]["merges"]
    return [[part.replace(END, "</w>") for part in (m if isinstance(m, list) else m.split(" "))] for m in merges]


def make():
    cases = []
    fixed = [([("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)], 10), ([("xa", 10), ("ab", 6), ("xab", 3)], 10),
             ([("cd", 1), ("ab", 1)], 4), ([("aaaa", 3), ("aaaaaaa", 1)], 6)]
    for words, count in fixed:
        cases.append({"words": words, "count": count, "merges": plain(words, count)[0], "witness": "plain"})
    rng = random.Random(5)
    while sum(c["witness"] == "tokenizers" for c in cases) < 12:
        words = sorted({"".join(rng.choice("abcd") for _ in range(rng.randint(2, 6))) for _ in range(8)})
        words = [(w, rng.randint(1, 60)) for w in words]
        merges, ties = plain(words, 8)
        if not ties:
            theirs = library(words, 8)
            assert theirs == merges, (words, theirs, merges)
            cases.append({"words": words, "count": 8, "merges": theirs, "witness": "tokenizers"})
    ties = [{"words": w, "merges": library(w, 4)} for w in [[("cd", 1), ("ab", 1)]]]
    while len(ties) < 8:  # where the two tie rules part
        words = [("".join(rng.choice("abcd") for _ in range(rng.randint(2, 6))), rng.randint(1, 3)) for _ in range(6)]
        theirs = library(words, 10)
        ours = plain(words, 10)[0]
        if theirs != ours:
            ties.append({"words": words, "merges": theirs})
            cases.append({"words": words, "count": 10, "merges": ours, "witness": "plain"})
    return {"cases": cases, "ties": ties}
