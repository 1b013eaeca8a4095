"""A prefix cache as a set of prefixes: no blocks, no hashes, no free list. A prefix is cached, with who holds it and since
when nobody does; a sequence holds prefixes and some private blocks; what is empty follows from the sizes of the two."""
import random


class Prefixes:
    def __init__(self, size, pool):
        self.size, self.pool = size, pool
        self.cached = {}  # prefix -> time at which the last holder ended; holders are found in self.live
        self.live = {}  # sequence -> (tokens, prefixes held, number of private blocks)
        self.time = 0

    def holders(self, prefix):
        return [s for s, (_, held, _) in self.live.items() if prefix in held]

    def hit(self, tokens):
        count = 0
        while (count + 1) * self.size < len(tokens) and tuple(tokens[:(count + 1) * self.size]) in self.cached:
            count += 1
        return count

    def idle(self):
        return [p for p in self.cached if not self.holders(p)]

    def empty(self):
        return self.pool - len(self.cached) - sum(private for _, _, private in self.live.values())

    def free(self):
        return self.empty() + len(self.idle())

    def start(self, seq, tokens):
        size, count = self.size, self.hit(tokens)
        hits = [tuple(tokens[:(i + 1) * size]) for i in range(count)]
        new = -(-len(tokens) // size) - count
        if new > self.free() - sum(not self.holders(p) for p in hits):
            return f"start {seq} refused: {self.free()} free"
        held, private = list(hits), 0
        self.live[seq] = (tokens, held, private)
        for i in range(count, count + new):
            if self.empty() == 0:
                del self.cached[min(self.idle(), key=lambda p: (self.cached[p], -len(p)))]
            prefix = tuple(tokens[:(i + 1) * size])
            if len(prefix) == (i + 1) * size and prefix not in self.cached:
                self.cached[prefix] = None
                held.append(prefix)
            else:
                private += 1
            self.live[seq] = (tokens, held, private)
        others = [f"{len(set(held) & set(p))} with {s}" for s, (_, p, _) in sorted(self.live.items()) if s != seq]
        shared = ", ".join(others) or "none"
        return f"start {seq} hits {count * size} tokens, has {count + new} blocks, shares {shared}: {self.free()} free"

    def finish(self, seq):
        if seq not in self.live:
            return f"{seq} was refused and has nothing to finish"
        held = self.live.pop(seq)[1]
        self.time += 1
        for prefix in held:
            if not self.holders(prefix):
                self.cached[prefix] = self.time
        return f"finish {seq}: {self.free()} free"

    def lookup(self, tokens):
        return f"lookup of {len(tokens)} tokens: {self.hit(tokens) * self.size}"


def script(size, pool, calls):
    cache, told = Prefixes(size, pool), []
    for call, seq, tokens in calls:
        after = {"start": lambda: cache.start(seq, tokens), "finish": lambda: cache.finish(seq), "lookup": lambda: cache.lookup(tokens)}
        told.append({"call": call, "id": seq, "tokens": tokens, "after": after[call]()})
    return {"block_size": size, "blocks": pool, "calls": told}


def anything(rng, count, longest):
    calls, live = [], []
    for seq in range(count):
        tokens = [int(rng.random() < 0.3) for _ in range(rng.randint(1, longest))]
        kind = rng.random()
        if kind < 0.15:
            calls.append(("lookup", 0, tokens))
        elif kind < 0.5 and live:
            calls.append(("finish", live.pop(rng.randrange(len(live))), []))
        else:
            calls.append(("start", seq, tokens))
            live.append(seq)
    return calls


def make():
    rng = random.Random(3)
    r = lambda a, b: list(range(a, b))
    first = script(4, 12, [("start", 1, r(0, 10)), ("start", 2, r(0, 8) + [99]), ("lookup", 0, r(0, 8)), ("lookup", 0, r(0, 13))])
    assert [c["after"].split(":")[-1].strip() for c in first["calls"][2:]] == ["4", "8"]
    assert "hits 8" in first["calls"][1]["after"]
    second = script(4, 4, [("start", 1, r(1, 9)), ("finish", 1, []), ("start", 2, r(9, 13)), ("finish", 2, []), ("start", 3, r(20, 28)),
                           ("lookup", 0, r(1, 10))])
    assert second["calls"][-1]["after"].endswith(": 4")
    sizes = [(1, 9), (2, 6), (2, 11), (3, 5), (3, 9), (4, 7), (5, 4)]
    return {"scripts": [first, second] + [script(size, pool, anything(rng, 60, 4 * size + 3)) for size, pool in sizes]}
