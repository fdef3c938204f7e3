"""How far loss_comparison can be trusted: false alarms on pairs of healthy trainings, and how many forks it finds at their step.

    python benchmarks/loss_comparison_alarms.py [--pairs 2000]

Losses of 2 to 2,000 steps are drawn: a decay with the ups and downs of batches. Healthy pairs: float32 rounding, logged in full, to 3, 4 or
5 decimals; two devices that differ by 1e-6 to 5e-4 at every step; rounding that grows by 0.5 to 20 % a step, unevenly, until the batches
drown it; trainings whose randomness is not fixed, with a second run of the benchmark. A problem on any is a false alarm; at most
1 in 100 of each kind may be one. Faulty pairs: a difference of 0.3 to 30 % from a step on, on top of rounding, or of two devices (then
from step 7 on at the earliest: before, a fault that grows looks the same); at least 95 of 100 must be found at that very step, 90 of 100 in
logs of 4 decimals and on two devices.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
from _measuring import report, row

from accucheck.model import Finding, Level
from accucheck.probes import _curve_pairs, _curves, loss_comparison
from accucheck.readers.curve_comparison import Limits

Array = np.ndarray
MOST_ALARMS, LEAST_FOUND, LEAST_FOUND_COARSE = 0.01, 0.95, 0.9


def trained(random: np.random.Generator, count: int) -> tuple[Array, Array]:
    """The trend of a loss, and the ups and downs of its batches."""
    at = np.arange(count) / count
    trend = np.exp(random.uniform(np.log(0.05), np.log(2.0))) + 2 * np.exp(-at / random.uniform(0.1, 1.0))
    return trend, trend * np.exp(random.uniform(np.log(0.02), np.log(0.3))) * random.normal(size=count) / 3


def length(random: np.random.Generator, least: int = 2) -> int:
    return int(np.exp(random.uniform(np.log(least), np.log(2000))))


def rounding(random: np.random.Generator) -> tuple[Array, Array, Array | None]:
    count = length(random)
    trend, batches = trained(random, count)
    theirs = trend + batches
    ours = theirs * (1 + random.uniform(0.5e-7, 2e-7) * random.normal(size=count))
    decimals = random.choice([3, 4, 5, 12])
    return np.round(ours, decimals), np.round(theirs, decimals), None


def devices(random: np.random.Generator) -> tuple[Array, Array, Array | None]:
    count = length(random)
    trend, batches = trained(random, count)
    theirs = trend + batches
    size = np.exp(random.uniform(np.log(1e-6), np.log(5e-4)))
    return theirs * (1 + np.clip(size * random.normal(size=count), -9.9e-4, 9.9e-4)), theirs, None


def growing(random: np.random.Generator) -> tuple[Array, Array, Array | None]:
    count = length(random, 50)
    trend, batches = trained(random, count)
    theirs = trend + batches
    pace = np.exp(random.uniform(np.log(0.005), np.log(0.2)))
    grown = np.minimum(np.log(1e-7) + np.cumsum(pace * random.uniform(0, 2, count)), np.log(0.3))
    ours = trend + batches * (1 + np.exp(grown) * random.normal(size=count))
    return ours, theirs, None


def unfixed(random: np.random.Generator) -> tuple[Array, Array, Array | None]:
    count = length(random, 5)
    trend, batches = trained(random, count)
    runs = [trend + random.permutation(batches) for _ in range(3)]
    return runs[0], runs[1], runs[2]


def faulty(random: np.random.Generator, ground: str) -> tuple[Array, Array, int]:
    first = 6 if ground == "devices" else 0
    count = length(random, first + 3)
    trend, batches = trained(random, count)
    theirs = trend + batches
    start = int(random.integers(first, count - 1))
    size = 5e-5 if ground == "devices" else 1e-7
    ours = theirs * (1 + size * random.normal(size=count))
    smallest = 0.02 if ground == "decimals" else 0.003
    change = np.exp(random.uniform(np.log(smallest), np.log(0.3))) * random.choice([-1, 1])
    ours[start:] *= 1 + change * random.uniform(0.7, 1.3, count - start)
    return (np.round(ours, 4), np.round(theirs, 4), start) if ground == "decimals" else (ours, theirs, start)


def series(values: Array, name: str) -> _curves.Series:
    steps = np.arange(1, len(values) + 1)
    return _curves.Series(name, name, "loss", "step", steps.astype(float), steps, steps * 0 - 1, values)


def judged(ours: Array, theirs: Array, rerun: Array | None = None) -> list[Finding]:
    """What the probe says of two losses, without anything else in the logs."""
    pair = _curve_pairs.pair(series(ours, "ours"), series(theirs, "theirs"))
    if nothing := _curve_pairs.nothing(pair):
        return [nothing]
    reruns = [] if rerun is None else [_curve_pairs.pair(pair.theirs, series(rerun, "rerun"))]
    return list(
        loss_comparison._LossPair(loss_comparison.Params(), Limits(), pair, reruns, _NoLogs(), _NoLogs()).findings()
    )


class _NoLogs(_curves.Logs):
    """Nothing but the loss was logged."""

    def __init__(self) -> None:
        self._runs, self._problems, self._told = [], [], {}


def alarms(kind: Callable[..., tuple[Array, Array, Array | None]], pairs: int, seed: int) -> Counter[str]:
    """What healthy pairs come out as; a problem is marked."""
    random = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for _ in range(pairs):
        told = judged(*kind(random))
        found[next((f"{one.code}!" for one in told if one.level is Level.PROBLEM), told[0].code)] += 1
    return found


def located(ground: str, pairs: int, seed: int) -> Counter[str]:
    """Where forks are found: at their step, at another, or not at all."""
    random = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for _ in range(pairs):
        ours, theirs, start = faulty(random, ground)
        (main, *_) = judged(ours, theirs)
        is_there = main.data.get("step") == start + 1 and main.code in ("forward", "forward-slight", "backward", "fork")
        found["there" if is_there else main.code] += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2000)
    pairs = parser.parse_args().pairs
    rows = []
    for kind in (rounding, devices, growing, unfixed):
        found = alarms(kind, pairs, 0)
        share = sum(count for code, count in found.items() if code.endswith("!")) / pairs
        rows.append(row(f"false alarms: {kind.__name__}", share, "%", most=MOST_ALARMS, note=f"{pairs:,} pairs"))
        print(f"healthy, {kind.__name__}: {share:.2%} false alarms {dict(found)}")
    for ground, least in (("full", LEAST_FOUND), ("decimals", LEAST_FOUND_COARSE), ("devices", LEAST_FOUND_COARSE)):
        found = located(ground, pairs, 0)
        there = found["there"] / pairs
        rows.append(row(f"forks found at their step: {ground}", there, "%", least=least, note=f"{pairs:,} pairs"))
        print(f"faulty, {ground}: {found['there'] / pairs:.1%} at their step {dict(found)}")
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
