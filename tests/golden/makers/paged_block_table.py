"""Outcomes from lengths alone: a sequence of n tokens holds -(-n // B) blocks, and what no sequence holds is free."""
import random


def script(rng, size, pool, calls):
    lengths, told = {}, []
    blocks = lambda n: -(-n // size)
    used = lambda: sum(map(blocks, lengths.values()))
    for call, seq, tokens in calls(rng):
        before = dict(lengths)
        if call == "allocate":
            outcome = "AlreadyLive" if seq in lengths else "ok"
            if outcome == "ok":
                lengths[seq] = tokens
        elif seq not in lengths:
            outcome = "UnknownSequence"
        elif call == "append":
            outcome, lengths[seq] = "ok", lengths[seq] + tokens
        else:
            outcome = "ok"
            del lengths[seq]
        if used() > pool:
            outcome, lengths = "OutOfBlocks", before
        told.append({"call": call, "id": seq, "tokens": tokens,
                     "after": f"{outcome} {blocks(lengths.get(seq, 0))} {pool - used()}"})
    return {"block_size": size, "blocks": pool, "calls": told}


def known(_):
    return [("allocate", 1, 6), ("append", 1, 2), ("append", 1, 1), ("append", 1, 20), ("append", 1, 3), ("append", 1, 1)]


def anything(rng):
    calls = ["allocate"] * 3 + ["append"] * 6 + ["release"]
    return [(rng.choice(calls), rng.randrange(5), rng.choice([0, 1, 1, 1, 2, 5, 9, 14])) for _ in range(40)]


def make():
    rng = random.Random(11)
    first = script(rng, 4, 8, known)
    assert [call["after"] for call in first["calls"]] == ["ok 2 6", "ok 2 6", "ok 3 5", "ok 8 0", "ok 8 0", "OutOfBlocks 8 0"]
    table, size, position = [7, 3], 4, 5
    assert table[position // size] * size + position % size == 13
    return {"scripts": [first] + [script(rng, size, pool, anything) for size, pool in
                                  [(1, 20), (2, 13), (3, 9), (4, 6), (4, 30), (7, 5), (16, 2), (16, 3)]]}
