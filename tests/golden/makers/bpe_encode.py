"""tokenizers' BPE model, with merges that its own trainer learned, and the merges of the statement."""
import json
import random

from tokenizers import Tokenizer, models, trainers

END = "\ue000"  # one private character stands for </w>


def encode(merges, words):
    """Every word's symbols. A vocabulary of all characters, so that none is unknown to the library."""
    pairs = [tuple(part.replace("</w>", END) for part in merge) for merge in merges]
    symbols = sorted({c for w in words for c in w + END} | {part for pair in pairs for part in pair})
    symbols += [a + b for a, b in pairs if a + b not in symbols]
    model = models.BPE({s: i for i, s in enumerate(symbols)}, pairs)
    return [[w, [token.value.replace(END, "</w>") for token in model.tokenize(w + END)]] for w in words]


def learned(rng, letters, count):
    words = ["".join(rng.choice(letters) for _ in range(rng.randint(1, 9))) + END for _ in range(60)]
    tok = Tokenizer(models.BPE())
    alphabet = len({c for w in words for c in w})
    tok.train_from_iterator(words, trainers.BpeTrainer(vocab_size=alphabet + count, min_frequency=1, show_progress=False))
    merges = [m if isinstance(m, list) else m.split(" ") for m in json.loads(tok.to_str())["model"]["merges"]]
    assert len({a + b for a, b in merges}) == len(merges), "the statement says that no text is made twice"
    return [[part.replace(END, "</w>") for part in merge] for merge in merges]


def make():
    stated = [["b", "c"], ["a", "b"], ["ab", "ab"], ["d", "</w>"], ["e", "s"], ["es", "t"], ["est", "</w>"]]
    cases = [{"merges": stated, "words": encode(stated, ["abc", "abab", "ababc", "newest", "aab", "dd", "", "zzz"])}]
    rng = random.Random(7)
    for letters in ["ab", "abc", "abcdé", "aæ日🙂"]:
        merges = learned(rng, letters, 40)
        words = ["".join(rng.choice(letters) for _ in range(n)) for n in range(40)]
        cases.append({"merges": merges, "words": encode(merges, words)})
    return {"cases": cases}
