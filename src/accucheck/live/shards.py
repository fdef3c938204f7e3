"""Whether the parts that devices read are disjoint and complete, from the ids of their samples. Pure numpy."""

from __future__ import annotations

from collections.abc import Mapping

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


class Classes(msgspec.Struct, frozen=True):
    """How classes are dealt out, by the `samples` whose label was read. `distance`: the total variation between the classes of the
    rank that is furthest off and those of all, 0 to 1. `z`: how many standard deviations Pearson's chi-square of the table of ranks
    and classes lies above what chance gives. `names`: those of the columns of `table`."""

    samples: int
    classes: int
    rank: int
    distance: float
    z: float
    table: list[list[int]]
    names: list[str]


def classes(shards: list[Array], labels: Mapping[int, int | str], cells: int = 5) -> Classes | None:
    """`labels`: of rows by their number. None where there are fewer than `cells` samples for each cell of the table, the usual bound of
    the test, or one class only."""
    names = sorted(set(labels.values()), key=lambda name: (len(str(name)), str(name)))  # 9 before 10
    place = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(shards), len(names)), np.int64)
    for rank, shard in enumerate(shards):
        for row in shard.tolist():
            if row in labels:
                table[rank, place[labels[row]]] += 1
    total, degrees = int(table.sum()), (len(shards) - 1) * (len(names) - 1)
    if len(names) < 2 or total < cells * table.size or not table.sum(axis=1).all() or not table.sum(axis=0).all():
        return None
    by_rank, by_class = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    expected = by_rank * by_class / total
    chi = float(((table - expected) ** 2 / expected).sum())
    distances = np.abs(table / by_rank - by_class / total).sum(axis=1) / 2
    rank = int(distances.argmax())
    z = (chi - degrees) / float(np.sqrt(2 * degrees))
    return Classes(total, len(names), rank, float(distances[rank]), z, table.tolist(), [str(name) for name in names])


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
