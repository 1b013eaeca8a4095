"""A radix cache without a tree: a dictionary of every cached prefix, token by token. A prefix has a slot, a lock count, and
the time of its last use; a set says at which prefixes a node ends. Children, leaves and edges are found by searching."""
import random


class Prefixes:
    def __init__(self):
        self.slot, self.locks, self.used, self.ends = {}, {}, {}, set()
        self.time, self.inserts, self.locked = 0, 0, []

    def longest(self, tokens):
        return max(n for n in range(len(tokens) + 1) if n == 0 or tuple(tokens[:n]) in self.slot)

    def prefixes(self, tokens, count):
        return [tuple(tokens[:n]) for n in range(1, count + 1)]

    def use(self, tokens, count):
        """A node ends where a walk ends; all tokens up to there are used now."""
        self.time += 1
        if count:
            self.ends.add(tuple(tokens[:count]))
        for prefix in self.prefixes(tokens, count):
            self.used[prefix] = self.time

    def insert(self, tokens):
        self.inserts += 1
        there = self.longest(tokens)
        if there:
            self.ends.add(tuple(tokens[:there]))
        for n in range(there, len(tokens)):
            prefix = tuple(tokens[:n + 1])
            self.slot[prefix], self.locks[prefix] = 100 * self.inserts + n, 0
        self.use(tokens, len(tokens))
        return f"insert {tokens}: {there} were there"

    def match(self, tokens):
        count = self.longest(tokens)
        self.use(tokens, count)
        return f"match {tokens}: slots {[self.slot[p] for p in self.prefixes(tokens, count)]}"

    def lock(self, tokens):
        count = self.longest(tokens)
        self.use(tokens, count)
        self.locked.append(tokens[:count])
        for prefix in self.prefixes(tokens, count):
            self.locks[prefix] += 1
        return f"lock {tokens}: {count} tokens"

    def unlock(self, index):
        tokens = self.locked[index]
        for prefix in self.prefixes(tokens, len(tokens)):
            self.locks[prefix] -= 1
        return f"unlock {tokens}"

    def evict(self, count):
        freed = []
        while len(freed) < count:
            leaves = [p for p in self.slot if not any(q[:-1] == p for q in self.slot) and self.locks[p] == 0]
            if not leaves:
                break
            leaf = min(leaves, key=self.used.get)
            assert sum(self.used[p] == self.used[leaf] for p in leaves) == 1
            while True:  # up to where the node above it ends
                freed.append(self.slot.pop(leaf))
                self.ends.discard(leaf)
                leaf = leaf[:-1]
                if not leaf or leaf in self.ends:
                    break
        return f"evict {count}: slots {sorted(freed)}"

    def state(self):
        return f"{len(self.slot)} cached, {sum(self.locks[p] == 0 for p in self.slot)} evictable"


def script(calls):
    cache, told = Prefixes(), []
    for call, what in calls:
        after = f"{getattr(cache, call)(what)}; {cache.state()}"
        told.append({"call": call, ("tokens" if isinstance(what, list) else "n"): what, "after": after})
    return told


def anything(rng, count, alphabet, longest):
    calls, held, locks = [], [], 0
    for _ in range(count):
        tokens = [rng.randrange(alphabet) for _ in range(rng.randint(0, longest))]
        kind = rng.choice(["insert"] * 4 + ["match"] * 3 + ["lock"] * 2 + ["unlock"] * 2 + ["evict"])
        if kind == "unlock" and held:
            calls.append((kind, held.pop(rng.randrange(len(held)))))
        elif kind in ("unlock", "evict"):
            calls.append(("evict", rng.randint(1, 4)))
        else:
            calls.append((kind, tokens))
            if kind == "lock":
                held.append(locks)
                locks += 1
    return calls


def make():
    rng = random.Random(21)
    first = script([("insert", [1, 2, 3, 4]), ("insert", [1, 2, 5]), ("match", [1, 2, 3, 9]), ("lock", [1, 2, 3]), ("evict", 1),
                    ("evict", 9), ("unlock", 0), ("evict", 1)])
    assert "2 were there" in first[1]["after"] and "slots [100, 101, 102]" in first[2]["after"]
    # root -> [1, 2] -> {[3, 4], [5]}: evicted whole, the older leaf first.
    nodes = script([("insert", [1, 2, 3, 4]), ("insert", [1, 2, 5]), ("evict", 1), ("evict", 1), ("evict", 1)])
    assert [call["after"].split("slots ")[1].split(";")[0] for call in nodes[2:]] == ["[102, 103]", "[202]", "[100, 101]"]
    return {"scripts": [first, nodes] + [script(anything(rng, 70, alphabet, longest))
                                         for alphabet, longest in [(2, 6), (2, 10), (3, 5), (3, 8), (1, 9)]]}
