"""How thoroughly an order of samples is shuffled: effect sizes first, and chance only to rule out a false alarm.

Pure numpy; knows nothing of MindSpore or of how the order was read.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]

#: Fewer samples than this say nothing: even two equal orders of 7 come by chance once in 5,040.
FEWEST = 8
#: From here on blocks, buffers and labels are judged too, not only equal orders and the source's own.
ENOUGH = 30
#: A finding needs a chance below this under full shuffling; with four tests the whole stays far below 1 in 1,000.
CHANCE = 1e-5
#: Share of the positions (or of the neighbours) that must agree for "the same order" (or "in source order").
AGREE = 0.9
#: Share of neighbours at a constant distance from which an order counts as made of blocks.
BLOCKS = 0.5
#: A neighbour is looked for up to this many places on: files read in turn by several workers interleave.
LAGS = 16
#: Labels count as clustered when neighbours agree so many standard deviations, and so many times, more often than mixed.
CLUSTER_Z, CLUSTER_TIMES = 5.0, 1.5


class Order(msgspec.Struct, frozen=True):
    """What was measured. Shares are of 1; `buffer` is in samples; None stands for what could not be measured."""

    samples: int
    total: int | None
    same: float | None = None
    same_chance: float | None = None
    sequential: float | None = None
    buffer: int | None = None
    buffer_share: float | None = None
    buffer_chance: float | None = None
    known: float | None = None

    @property
    def repeats(self) -> bool:
        """Whether both epochs have the same order, and not by chance."""
        return self.same is not None and self.same >= AGREE and (self.same_chance or 0.0) < CHANCE * 10

    @property
    def as_stored(self) -> bool:
        """Whether samples come in the order of storage."""
        return self.sequential is not None and self.sequential >= AGREE

    @property
    def in_blocks(self) -> bool:
        """Whether enough samples follow their neighbour in storage for whole blocks of them to have been shuffled."""
        return self.samples >= ENOUGH and self.sequential is not None and self.sequential >= BLOCKS


class Runs(msgspec.Struct, frozen=True):
    """Equal labels in a row: neighbours that agree, how many are expected when mixed, and the z score of the difference."""

    samples: int
    classes: int
    observed: int
    expected: float
    z: float

    @property
    def clustered(self) -> bool:
        return self.z > CLUSTER_Z and self.observed > CLUSTER_TIMES * self.expected


def agreement(first: Array, second: Array) -> tuple[float, float]:
    """The share of positions that hold the same value in both epochs, and the chance that all of them would.

    The chance is that of two independent shuffles: 1/n! with all values different, less sharp with repeated ones.
    """
    n = min(len(first), len(second))
    if n == 0:
        return 0.0, 1.0
    same = float(np.mean(first[:n] == second[:n]))
    _, counts = np.unique(first[:n], return_counts=True)
    # Orders that a multiset has: n! / prod(c!); each is equally likely.
    log_chance = sum(math.lgamma(count + 1) for count in counts.tolist()) - math.lgamma(n + 1)
    return same, math.exp(max(log_chance, -700.0))


def sequential(positions: Array) -> float:
    """The largest share of samples whose follower, at one lag up to LAGS, stands at one constant distance in the source.

    1 for the source's own order, also when it is sharded or read from several files in turn; near 0 when shuffled.
    """
    best = 0.0
    for lag in range(1, (LAGS if len(positions) >= ENOUGH else 1) + 1):
        steps = positions[lag:] - positions[:-lag]
        steps = steps[steps > 0]  # a constant step back is no order of reading
        if len(steps):
            _, counts = np.unique(steps, return_counts=True)
            best = max(best, float(counts.max()) / (len(positions) - lag))
    return best


def buffer(positions: Array, places: Array, total: int) -> tuple[int, float]:
    """The smallest buffer that explains the order, and the chance that full shuffling of `total` samples looks like it.

    `positions[k]` is the place in the source of the sample that came out at place `places[k]`. With a buffer of B no sample
    comes more than B-1 places early, so B = max(position - place) + 1. Under full shuffling the places are filled one by
    one, each from what is left; the chance that all of them stay within B is the product of min(B, left) / left.
    """
    size = min(total, max(1, int((positions - places).max()) + 1))
    left = total - places.astype(np.float64)
    log_chance = float(np.sum(np.log(np.minimum(size, left) / left)))
    return size, math.exp(max(log_chance, -700.0))


def measure(
    first: Array, second: Array | None, total: int | None, positions: Array | None = None, beyond: int | None = None
) -> Order:
    """Everything that ids say about the order.

    `first` and `second` are the ids of two epochs as read, `total` the rows of one epoch where known. `positions` holds, for
    each sample of the first epoch, its place in the source, or -1 where that is unknown; samples at `beyond` lie there or
    further on. `buffer` is then a lower bound.
    """
    same = same_chance = order = size = share = chance = None
    if second is not None and len(second):
        same, same_chance = agreement(first, second)
    known = np.zeros(0, np.int64) if positions is None else np.flatnonzero(positions >= 0)
    if positions is not None and len(known) >= max(FEWEST, len(first) / 2):
        exact = positions[known] if beyond is None else positions[known][positions[known] != beyond]
        order = sequential(exact) if len(exact) >= FEWEST else 0.0
        reach = max(total or 0, int(known.max()) + 1)
        size, chance = buffer(positions[known], known, reach)
        share = size / reach
    return Order(
        samples=len(first),
        total=total,
        same=same,
        same_chance=same_chance,
        sequential=order,
        buffer=size,
        buffer_share=share,
        buffer_chance=chance,
        known=None if positions is None else len(known) / max(1, len(first)),
    )


def runs(labels: Array) -> Runs | None:
    """Join count of a sequence of labels against all its rearrangements; None when the labels are no classes.

    Mean and variance are exact permutation moments: with c_k of each class, s2 = sum c(c-1), s3 = sum c(c-1)(c-2),
    E[J] = s2/n, and E[J^2] sums pairs of neighbour positions that are equal, adjacent or apart.
    """
    labels = labels[labels >= 0]
    n = len(labels)
    if n < ENOUGH:
        return None
    _, counts = np.unique(labels, return_counts=True)
    if len(counts) < 2 or len(counts) > n / 4:
        return None  # one class, or values rather than classes
    c = counts.astype(np.float64)
    s2 = float((c * (c - 1)).sum())
    s3 = float((c * (c - 1) * (c - 2)).sum())
    s4 = float((c * (c - 1) * (c - 2) * (c - 3)).sum())
    cross = s2 * s2 - float(((c * (c - 1)) ** 2).sum())
    mean = s2 / n
    adjacent = 2 * (n - 2) * s3 / (n * (n - 1) * (n - 2))
    apart = (n - 2) * (n - 3) * (s4 + cross) / (n * (n - 1) * (n - 2) * (n - 3))
    variance = mean + adjacent + apart - mean * mean
    observed = int(np.count_nonzero(labels[1:] == labels[:-1]))
    if variance <= 0:
        return None
    return Runs(n, len(counts), observed, mean, (observed - mean) / math.sqrt(variance))


def facts(order: Order) -> dict[str, Any]:
    """The measured values as plain data."""
    return {key: value for key, value in msgspec.to_builtins(order).items() if value is not None}
