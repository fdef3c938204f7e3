"""What counts as overlapping, missing and unequal, for 2 to 64 shards, against shards made as MindSpore and people make them."""

import numpy as np
import pytest

from accucheck.live.shards import measure

COUNTS = range(2, 65)


def dealt(total: int, count: int, order: np.ndarray | None = None) -> list[np.ndarray]:
    """As DistributedSampler does: filled up to a multiple from the beginning, then dealt out in turn."""
    ids = np.arange(total) if order is None else order
    ids = np.resize(ids, -(-total // count) * count)
    return [ids[rank::count].astype(np.int64) for rank in range(count)]


@pytest.mark.parametrize("count", COUNTS)
def test_shards_as_they_should_be(count: int) -> None:
    random = np.random.default_rng(count)
    for total in (count * 9, count * 9 + 1, count * 10 - 1, 1009):
        whole = np.arange(total)
        found = measure(dealt(total, count, random.permutation(total)), whole)
        extra = -total % count
        assert found.missing == found.strange == 0 and found.repeated == extra and not found.unequal
        assert found.filled == bool(extra) and not found.evened and not found.identical


@pytest.mark.parametrize("count", COUNTS)
def test_one_sample_is_enough(count: int) -> None:
    """A sample that one shard takes from another, a sample left out, a shard of one less: each alone is seen."""
    total = count * 9
    whole, shards = np.arange(total), dealt(total, count)
    shards[0][3] = shards[-1][5]
    found = measure(shards, whole)
    assert (found.repeated, found.missing, found.filled, found.evened) == (1, 1, False, False)
    assert found.pairs == [(0, count - 1, 1)]
    shards = dealt(total, count)
    shards[-1] = shards[-1][1:]
    found = measure(shards, whole)
    assert (found.repeated, found.missing, found.unequal, found.evened) == (0, 1, True, False)
    # a repeat that fills nothing up
    shards = dealt(total, count)
    shards[1] = np.append(shards[1], shards[0][0])
    found = measure(shards, whole)
    assert (found.repeated, found.filled, found.unequal) == (1, False, True)


@pytest.mark.parametrize("count", COUNTS)
def test_the_usual_mistakes(count: int) -> None:
    total = count * 10 + 1
    whole = np.arange(total)
    assert measure([whole] * count, whole).identical
    each = total // count
    assert measure([whole[rank * each : (rank + 1) * each] for rank in range(count)], whole).evened
    found = measure([np.random.default_rng(rank).permutation(total)[rank::count] for rank in range(count)], whole)
    assert found.repeated > 0 and found.missing == found.repeated
    assert not found.filled
    # the same sample twice in the data is no repeat
    doubled = np.concatenate([whole, whole])
    found = measure(dealt(len(doubled), count, doubled), doubled)
    assert found.repeated == -len(doubled) % count and not found.missing


def test_without_the_whole_nothing_is_missing() -> None:
    found = measure([np.arange(5), np.arange(4, 9)], None)
    assert (found.total, found.missing, found.repeated, found.filled) == (None, None, 1, False)
