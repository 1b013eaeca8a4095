"""Starts in closed form. Nobody overtakes, so requests start in the order of service; each starts at the first step, not before
its arrival nor before the one in front of it, at which those in front that are still running leave it room. No queue, no loop
over steps: who is in a step follows from starts and ends."""
import random


def served(limits, rows):
    batch, size, blocks = limits
    need = lambda i: -(-(rows[i][1] + rows[i][2]) // size)
    order = sorted((i for i in range(len(rows)) if need(i) <= blocks), key=lambda i: (rows[i][0], i))
    start, end = {}, {}
    for place, i in enumerate(order):
        step = max([rows[i][0]] + [start[j] for j in order[:place]])
        while True:
            there = [j for j in order[:place] if start[j] <= step <= end[j]]
            if len(there) < batch and sum(map(need, there)) + need(i) <= blocks:
                break
            step += 1
        start[i], end[i] = step, step + min(rows[i][2], rows[i][3]) - 1
    steps = []
    for step in range(max(end.values(), default=-1) + 1):
        there = [i for i in range(len(rows)) if i in start and start[i] <= step <= end[i]]
        if there:
            steps.append(f"step {step}: " + " ".join(map(str, there)))
    return {"limits": limits, "rows": rows, "steps": steps, "last": [end.get(i, -1) for i in range(len(rows))]}


def make():
    rng = random.Random(8)
    first = served([2, 16, 100], [[0, 3, 9, 3], [0, 5, 9, 1], [0, 2, 9, 2], [2, 4, 9, 1]])
    assert first["steps"] == ["step 0: 0 1", "step 1: 0 2", "step 2: 0 2", "step 3: 3"] and first["last"] == [2, 0, 2, 3]
    second = served([4, 4, 5], [[0, 6, 4, 2], [0, 7, 2, 9], [0, 2, 2, 9]])
    assert second["steps"][:3] == ["step 0: 0", "step 1: 0", "step 2: 1 2"]
    cases = [first, second]
    for limits, latest in [([3, 4, 12], 20), ([5, 8, 9], 12), ([2, 1, 60], 30), ([8, 16, 7], 10), ([4, 3, 8], 90), ([1, 5, 7], 40)]:
        rows = []
        for _ in range(14):
            new = rng.randint(1, 12)
            rows.append([rng.randrange(latest), rng.randint(1, 22), new, rng.randint(1, new + 3)])
        cases.append(served(limits, rows))
    return {"cases": cases}
