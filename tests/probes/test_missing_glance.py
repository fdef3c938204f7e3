"""The columns that one query settles: told just as counting batch by batch tells them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from accucheck.probes import _missing_counts as counting
from accucheck.probes._missing_counts import Field, Table, glance, sentinels


def table(seed: int, rows: int) -> pl.DataFrame:
    """Integers, floats, texts and truth values; some with gaps, words and sentinels, at random places."""
    random = np.random.default_rng(seed)

    def some(values: list, hole: object, share: float) -> list:
        return [hole if gap else value for value, gap in zip(values, random.random(rows) < share, strict=True)]

    numbers = random.normal(size=rows).round(3).tolist()
    counts = random.integers(0, 50, rows).tolist()
    texts = random.choice(["red", "green", "Shanghai"], rows).tolist()
    return pl.DataFrame(
        {
            "plain": numbers,
            "count": counts,
            "binary": random.integers(0, 2, rows).tolist(),
            "whole": some(numbers, None, 0.1),
            "broken": some(numbers, math.nan, 0.01),
            "endless": some(numbers, -math.inf, 0.01),
            "sentinel": some(counts, -999, 0.02),
            "far": some(numbers, 1e6, 0.02),
            "text": texts,
            "odd": some(texts, " N/A", 0.02),
            "blank": some(texts, "", 0.02),
            "absent": some(texts, None, 0.02),
            "truth": some((random.random(rows) < 0.5).tolist(), None, 0.01),
            "day": pl.Series([0] * rows).cast(pl.Date),
            "list": [[1.0, 2.0]] * rows,
            "price": pl.Series(counts).cast(pl.Decimal(10, 2)),
            "nothing": [None] * rows,
        },
        strict=False,
    )


def told(known: Field) -> tuple:
    kinds = {kind: count for kind, count in known.counts.items() if count}
    return known.name, known.cells, bool(known.numeric), known.text, kinds, known.first


@pytest.mark.parametrize(("seed", "rows"), [(seed, rows) for seed in range(4) for rows in (30, 1000, 30_000)])
def test_a_glance_says_what_counting_says(seed, rows, monkeypatch):
    monkeypatch.setattr(counting, "_GLANCED_ROWS", 7000)
    monkeypatch.setattr(counting, "_GLANCED_CELLS", 1)
    frame = table(seed, rows)
    settled: dict[str, Field] = {}
    assert list(glance(frame.lazy(), ["count"], settled))[-1] == rows
    counted = Table({}, False, rows)
    for start in range(0, rows, 5000):
        counted.add(frame.slice(start, 5000))
    for name, candidates in counted.sentinels().items():
        assert candidates and name not in settled
    for name, known in settled.items():
        assert told(known) == told(counted.fields[name])
    left = {"count", "endless", "sentinel", "far", "odd", "blank", "list", "nothing", "price"}
    if rows >= 1000:
        assert set(frame.columns) - set(settled) == left


@pytest.mark.parametrize("seed", range(300))
def test_no_column_with_a_sentinel_is_settled(seed):
    random = np.random.default_rng(seed)
    width = random.choice([1.0, 10.0, 1000.0])
    values = random.choice([random.normal(size=400), random.integers(0, random.integers(2, 60), 400)]) * width
    ends = random.choice([-1.0, -99.0, -999.0, 9999.0, 5 * width, -3 * width, 30 * width], 2)
    for end in ends[: random.integers(0, 3)]:
        values[random.random(400) < random.choice([0.02, 0.1, 0.6])] = end
    if sentinels(values):
        head = values[: random.integers(0, 400)]
        assert counting._may_be_apart(head, float(values.min()), float(values.max()))


def test_an_ordinary_column_needs_no_second_look():
    random = np.random.default_rng(0)
    for values in (
        random.normal(size=5000),
        random.integers(0, 10, 5000),
        random.integers(2015, 2025, 5000),
        np.ones(9),
    ):
        assert not counting._may_be_apart(values[:500].astype(float), float(values.min()), float(values.max()))
