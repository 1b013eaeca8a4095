"""The ids that tokenizers gives to added tokens: dense, unique, a duplicate keeps its first one."""
import random

from tokenizers import Tokenizer, models


def case(tokens, unk, texts):
    tok = Tokenizer(models.WordLevel({}, unk_token=unk))
    tok.add_tokens(tokens)
    tok.add_tokens([unk])
    by_id = [tok.id_to_token(i) for i in range(tok.get_vocab_size())]
    assert tok.id_to_token(len(by_id)) is None
    known = [tok.token_to_id(t) for t in texts]
    ids = [tok.token_to_id(unk) if i is None else i for i in known]
    return {"tokens": tokens, "unk": unk, "texts": texts, "by_id": by_id, "ids": ids}


def make():
    cases = [case(["a", "b"], "<unk>", ["a", "c", "b"]), case(["<unk>", "x"], "<unk>", ["x", "y"]),
             case(["a", "a", "b"], "<unk>", ["a", "b", "zzz"]), case([], "[UNK]", ["x", "y"]),
             case(["x", "<unk>", "<unk>", "y", "x"], "<unk>", ["y", "x", "z", "<unk>"]),
             case([" a", "a", "A", "é", "日本"], "?", ["日本", " a", "a ", "A", "É"])]
    rng = random.Random(2)
    for size in [5, 20, 60]:
        names = [f"t{i}" for i in range(size)]
        for unk in ["<unk>", "t3"]:
            cases.append(case([rng.choice(names) for _ in range(size)], unk, [rng.choice(names) for _ in range(size)]))
    return {"cases": cases}
