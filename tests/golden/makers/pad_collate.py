"""torch.nn.utils.rnn.pad_sequence, with the mask from the lengths; nn.MultiheadAttention says which way round it is."""
import random

import torch
from torch.nn.utils.rnn import pad_sequence

from generate import tensor


def collate(sequences, pad):
    ids = pad_sequence([torch.tensor(s, dtype=torch.int64) for s in sequences], batch_first=True, padding_value=pad)
    lengths = torch.tensor([len(s) for s in sequences])
    return ids, torch.arange(ids.shape[1])[None] >= lengths[:, None]


@torch.no_grad()
def padding_is_not_seen(ids, mask):
    """Attention over the padded batch gives each real token what its sequence alone gives it."""
    attention = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x = torch.nn.Embedding(256, 8)(ids % 256)
    padded = attention(x, x, x, key_padding_mask=mask)[0]
    for row, length in enumerate((~mask).sum(1).tolist()):
        alone = x[row:row + 1, :length]
        torch.testing.assert_close(padded[row:row + 1, :length], attention(alone, alone, alone)[0])


def make():
    rng = random.Random(3)
    batches = [([[1, 2, 3], [4, 5]], -1), ([[0, 7], [0], [5, 0, 0, 1]], 0), ([[], [3, 3], [4]], 3), ([[1, 2], [3, 4]], 9)]
    for _ in range(12):
        sequences = [[rng.randrange(6) for _ in range(rng.randint(0, 8))] for _ in range(rng.randint(1, 6))]
        batches.append((sequences, rng.choice([-100, 0, 2])))
    cases = []
    for sequences, pad in batches:
        ids, mask = collate(sequences, pad)
        if all(sequences):
            padding_is_not_seen(ids, mask)
        cases.append({"sequences": sequences, "pad": pad, "ids": tensor(ids), "mask": tensor(mask)})
    return {"cases": cases}
