"""torch.nn.Transformer.generate_square_subsequent_mask; with a cache, its last rows."""
from torch.nn import Transformer

from generate import tensor


def make():
    cases = []
    for tq, tk in [(1, 1), (3, 3), (6, 6), (2, 4), (1, 5), (3, 7)]:
        cases.append({"size": [tq, tk], "mask": tensor(Transformer.generate_square_subsequent_mask(tk)[tk - tq:])})
    return {"cases": cases}
