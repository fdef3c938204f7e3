"""The judgement of an order: no false alarms on shuffled data, and the known faults found, by numpy alone."""

import math

import numpy as np
import pytest

from accucheck.live import order as orders
from accucheck.model import Finding, Level
from accucheck.probes import shuffle_order

pytestmark = pytest.mark.part(40)


def judged(first, second=None, labels=None, complete=True, rows=None, **more):
    """The findings above info for two epochs of indices (and labels by index)."""
    codes = [-1] * len(first) if labels is None else [int(labels[i]) for i in first]
    epochs = {1: {"ids": [int(i) for i in first], "labels": codes, "complete": complete}}
    if second is not None:
        second_codes = [-1] * len(second) if labels is None else [int(labels[i]) for i in second]
        epochs[2] = {"ids": [int(i) for i in second], "labels": second_codes, "complete": complete}
    seen = shuffle_order._ChildResult(epochs=epochs, rows=rows, **more)
    found = list(shuffle_order.judge(seen, shuffle_order.Params()))
    assert all(isinstance(finding, Finding) for finding in found)
    return [(finding.code, finding.level) for finding in found if finding.level is not Level.INFO], found


def buffered(n, size, rng):
    """The order that a shuffle buffer gives."""
    held, out = list(range(min(size, n))), []
    for following in range(size, n + size):
        place = int(rng.integers(len(held)))
        out.append(held[place])
        if following < n:
            held[place] = following
        else:
            held.pop(place)
        if not held:
            break
    return np.array(out)


@pytest.mark.parametrize(
    ("n", "times"), [(8, 2000), (12, 2000), (29, 1500), (30, 1500), (64, 1500), (300, 800), (3000, 150)]
)
def test_shuffled_data_raise_no_alarm(n, times):
    rng = np.random.default_rng(n)
    labels = np.sort(rng.integers(0, 5, n))
    alarms = 0
    for _ in range(times):
        found, _ = judged(rng.permutation(n), rng.permutation(n), labels)
        alarms += bool(found)
    assert alarms == 0, f"{alarms} of {times}"


def test_labels_of_shuffled_data_are_not_clustered():
    rng = np.random.default_rng(5)
    for classes in (2, 3, 10, 100):
        labels = np.repeat(np.arange(classes), 1000 // classes)
        scores = [orders.runs(rng.permutation(labels)) for _ in range(1000)]
        assert all(score is not None and not score.clustered for score in scores)
        z = np.array([score.z for score in scores])
        assert abs(z.mean()) < 0.15 and 0.9 < z.std() < 1.1  # the exact moments


def test_join_count_of_sorted_labels_by_hand():
    runs = orders.runs(np.repeat([0, 1], 20))
    assert (runs.observed, runs.expected, runs.classes) == (38, 19.0, 2) and runs.clustered


def test_chance_of_a_buffer_is_exact():
    # of 4 samples, orders in which none comes more than one place early: 2 * 2 * 2 * 1 of 24
    positions = np.array([1, 2, 3, 0])
    size, chance = orders.buffer(positions, np.arange(4), 4)
    assert size == 2 and math.isclose(chance, 8 / 24)


@pytest.mark.parametrize("size", [16, 200, 900])
def test_the_buffer_is_told_from_the_order(size):
    rng = np.random.default_rng(size)
    order = orders.measure(buffered(2000, size, rng), None, 2000, buffered(2000, size, rng))
    assert size - 5 <= order.buffer <= size


def test_levels_of_a_buffer_depend_on_its_share_and_on_the_labels():
    rng = np.random.default_rng(1)
    n, by_class, mixed = 2000, np.arange(2000) // 200, np.random.default_rng(2).integers(0, 10, 2000)

    def found(size, labels):
        return judged(buffered(n, size, rng), buffered(n, size, rng), labels)[0]

    assert found(100, by_class) == [("small-buffer", Level.PROBLEM)]
    assert found(100, mixed) == [("small-buffer", Level.SUSPECT)]
    assert found(100, None) == [("small-buffer", Level.SUSPECT)]
    assert found(600, by_class) == [("small-buffer", Level.SUSPECT)]
    assert not [code for code, _ in found(1900, mixed)]


def test_orders_that_are_always_the_same():
    rng = np.random.default_rng(3)
    once = rng.permutation(500)
    assert judged(np.arange(500), np.arange(500))[0] == [("source-order", Level.PROBLEM)]
    assert judged(np.arange(1, 2000, 4), np.arange(1, 2000, 4))[0] == [("source-order", Level.PROBLEM)]  # a shard
    assert judged(once, once)[0] == [("fixed-order", Level.PROBLEM)]
    nodes = [{"node": "ShuffleDataset", "depth": 0, "reshuffle_each_epoch": False}]
    assert judged(once, once, nodes=nodes)[0] == [("reshuffle-off", Level.PROBLEM)]


def test_whole_batches_shuffled():
    rng = np.random.default_rng(4)
    by_class = np.arange(960) // 96

    def blocks():
        return np.concatenate([np.arange(start, start + 32) for start in 32 * rng.permutation(30)])

    assert judged(blocks(), blocks(), by_class)[0] == [("blocks", Level.PROBLEM)]
    assert judged(blocks(), blocks())[0] == [("blocks", Level.SUSPECT)]


def test_eight_samples_in_order_are_a_problem_and_seven_say_nothing():
    assert judged(np.arange(8), np.arange(8))[0] == [("source-order", Level.PROBLEM)]
    found, all_findings = judged(np.arange(7), np.arange(7))
    assert not found and [f.code for f in all_findings] == ["too-few"] and all_findings[0].incomplete


def test_one_epoch_alone_is_not_called_shuffled():
    rng = np.random.default_rng(6)
    _, found = judged(rng.permutation(400))
    assert [finding.code for finding in found] == ["second-missing"] and found[0].incomplete


def test_a_truncated_run_says_so():
    rng = np.random.default_rng(7)
    one, two = rng.permutation(100_000)[:1000], rng.permutation(100_000)[:1000]
    _, found = judged(one, two, complete=False, rows=100_000)
    assert [finding.code for finding in found] == ["sampled", "shuffled"]
    assert found[0].data["samples"] == 1000 and found[0].data["total"] == 100_000


def test_a_truncated_run_does_not_claim_a_large_buffer():
    # by content, with the storage known only so far: the buffer has a lower bound, which is far below half of the data
    rng = np.random.default_rng(8)
    reference = {"ids": list(range(2000)), "labels": [], "complete": False}
    one, two = rng.permutation(100_000)[:1000], rng.permutation(100_000)[:1000]
    above, found = judged(one, two, complete=False, rows=100_000, identity="content", reference=reference)
    assert not above and [finding.code for finding in found] == ["not-bounded"] and found[0].incomplete
