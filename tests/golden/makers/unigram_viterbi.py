"""tokenizers' Unigram model. Its <unk> has the score 0, so the lowest score is that of the rarest piece.

The scores are multiples of 1/64: the same pieces in another order are a tie, and no rounding may decide it."""
import random

from tokenizers import models


def segmented(pieces, texts):
    model = models.Unigram([("<unk>", 0.0), *pieces.items()], 0, False)
    return {"pieces": pieces, "texts": [[t, [token.value for token in model.tokenize(t)]] for t in texts]}


def make():
    hugs = {"h": -4.0, "u": -4.0, "g": -4.0, "hu": -2.0, "ug": -2.5, "hug": -5.0, "s": -2.0, "ugs": -2.2, "gs": -1.0}
    abc = {"a": -1.0, "ab": -1.5, "abc": -3.0, "b": -2.0, "c": -2.0, "bc": -3.0}
    even = {"a": -1.0, "b": -1.0, "ab": -2.0, "ba": -2.0, "bab": -3.0}
    cases = [segmented(hugs, ["hugs", "hughugs"]), segmented(abc, ["abc", "abcab", "azb", "azzb", "zz", ""]),
             segmented(even, ["ab", "aba", "babab", "abbaab"]), segmented({"zb": -9.0, "bc": -1.0}, ["zbc", "zzb"]),
             segmented({"日本": -2.0, "語": -3.0, "本語": -2.5}, ["日本語", "日本語人人🙂"])]
    rng = random.Random(3)
    for letters in ["ab", "abc", "abcdé"]:
        for _ in range(4):
            drawn = ["".join(rng.choice(letters) for _ in range(rng.randint(1, 5))) for _ in range(40)]
            pieces = {p: -round(rng.uniform(0.5, 3.0) * len(p) * 64) / 64 for p in drawn}
            cases.append(segmented(pieces, ["".join(rng.choice(letters + "a?") for _ in range(n)) for n in range(3, 30, 3)]))
    return {"cases": cases}
