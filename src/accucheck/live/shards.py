"""Whether the parts that devices read are disjoint and complete, from the ids of their samples. Pure numpy."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]


class Shards(msgspec.Struct, frozen=True):
    """What was measured. `total` samples of the whole, None where that was not read to its end.

    `repeated` counts how many readings there are beyond those of the whole, `missing` the samples that no shard has, `strange`
    those that only the shards have. `pairs` are (rank, rank, shared samples), the most first.
    """

    sizes: list[int]
    total: int | None
    repeated: int
    missing: int | None
    strange: int
    identical: bool
    filled: bool
    evened: bool
    pairs: list[tuple[int, int, int]]

    @property
    def unequal(self) -> bool:
        return len(set(self.sizes)) > 1


def measure(shards: list[Array], whole: Array | None, most: int = 20) -> Shards:
    """`whole` holds the ids of all samples, as often as an epoch has them; None when it was not read to its end.

    `filled`: the shards were made of one size by as many repeats as that takes, at most one less than there are shards.
    `evened`: they were made of one size by leaving out as many.
    """
    count = len(shards)
    sizes = [len(shard) for shard in shards]
    ids, times = np.unique(np.concatenate([*shards, np.zeros(0, np.int64)]), return_counts=True)
    usual = np.ones(len(ids), np.int64)
    missing = None
    strange = 0
    if whole is not None and len(whole):
        known, often = np.unique(whole, return_counts=True)
        place = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        inside: NDArray[np.bool_] = known[place] == ids
        usual = np.where(inside, often[place], 1)
        strange = int(np.count_nonzero(~inside))
        found = np.zeros(len(known), np.int64)
        found[place[inside]] = times[inside]
        missing = int(np.maximum(0, often - found).sum())
    repeated = int(np.maximum(0, times - usual).sum())
    total = None if whole is None else len(whole)
    even = len(set(sizes)) == 1
    each = sizes[0] if sizes else 0
    filled = bool(total and even and repeated and not missing and repeated == count * each - total and repeated < count)
    evened = bool(total and even and missing and not repeated and missing == total - count * each and missing < count)
    first = np.sort(shards[0]) if shards else np.zeros(0, np.int64)
    identical = count > 1 and each > 0 and all(np.array_equal(np.sort(shard), first) for shard in shards)
    return Shards(sizes, total, repeated, missing, strange, identical, filled, evened, shared(shards, ids, times, most))


def shared(shards: list[Array], ids: Array, times: Array, most: int) -> list[tuple[int, int, int]]:
    """The pairs of shards that have samples in common, the most first."""
    often = ids[times > 1]
    if not len(often):
        return []
    within = np.zeros((len(shards), len(often)), np.float32)
    for rank, shard in enumerate(shards):
        within[rank] = np.isin(often, shard)
    common = (within @ within.T).astype(np.int64)
    pairs = [
        (one, other, int(common[one, other]))
        for one in range(len(shards))
        for other in range(one + 1, len(shards))
        if common[one, other]
    ]
    return sorted(pairs, key=lambda pair: -pair[2])[:most]
