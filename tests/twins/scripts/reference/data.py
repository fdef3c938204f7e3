"""The data: pixels of 0 to 16 as uint8 are normalized, tokens are left as they are."""

import numpy as np

MEAN, STD = 4.88, 6.02


def load(part):
    x, y = np.load(f"data/{part}_x.npy"), np.load(f"data/{part}_y.npy")
    if x.dtype == np.uint8:
        x = ((x - MEAN) / STD).astype(np.float32)
    return x, y
