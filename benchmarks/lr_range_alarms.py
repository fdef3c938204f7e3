"""How far the bounds of lr_range can be trusted: false ones on curves that do not rise, and their errors on curves that do.

    python benchmarks/lr_range_alarms.py [--curves 200]

Flat curves: accuracies of batches that only chance moves, losses with normal and heavy-tailed noise, running means of them, and
losses that diverge without having fallen. None may have bounds. Then curves of known bounds, with linear and exponential rates:
the errors of both bounds, in the unit of the schedule, and how many were missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from _measuring import Row, report, row

from accucheck.probes._rate_bounds import Array, bounds
from accucheck.probes.lr_range import Params

#: What the errors may be: half of the curves, and nine in ten, of the span of the rise (linear) or in decades (exponential).
HALF, NINE = 0.05, 0.20  # in decades twice as much: a rise goes over one or two of them


def rates(points: int, exponential: bool) -> Array:
    return np.geomspace(1e-7, 0.5, points) if exponential else np.linspace(0, 0.5, points)


def judged(rate: Array, values: Array, falling: bool):
    params = Params()
    return bounds(
        rate, values, falling=falling, least=params.least_rise, noises=params.noise, tolerance=params.tolerance
    ).bounds


def flat_curve(random: np.random.Generator, points: int) -> tuple[Array, bool]:
    """Values that depend on no rate, and whether they are losses."""
    kind = random.integers(0, 6)
    if kind < 2:
        batch = int(random.choice([1, 8, 16, 32, 64, 256]))
        return random.binomial(batch, random.choice([0.001, 0.1, 0.5, 0.9]), points) / batch, False
    noise = random.standard_normal(points) if kind < 4 else random.standard_t(3, points)
    loss = 2.3 * (1 + random.choice([0.01, 0.05, 0.2]) * noise)
    if kind == 3:  # what prints a running mean
        past = points // 20
        return np.array([loss[max(0, end - past) : end].mean() for end in range(1, points + 1)]), True
    if kind == 5:  # diverges, and never fell
        return loss * np.exp(np.linspace(-20, 3, points).clip(0)), True
    return loss, True


def rise(x: Array, low: float, high: float) -> Array:
    """0 below `low`, 1 from `high` to a third of the way beyond, then falling."""
    up = ((x - low) / (high - low)).clip(0, 1)
    return up * (1 - ((x - high - 0.3 * (high - low)) / (high - low)).clip(0, 0.9))


def risen_curve(
    random: np.random.Generator, rate: Array, exponential: bool, falling: bool
) -> tuple[Array, tuple[float, float]]:
    """A curve with known bounds, and those, on the scale of the schedule."""
    x = np.log10(np.maximum(rate, 1e-12)) if exponential else rate
    begin, end = (-7.0, -0.3) if exponential else (0.0, 0.5)
    low = begin + (end - begin) * random.uniform(0.1, 0.5)
    high = low + (end - begin) * random.uniform(0.15, 0.35)
    share = rise(x, low, high)
    if falling:
        values = 2.3 - 2.0 * share + 0.1 * random.standard_normal(len(x))
    else:
        values = random.binomial(64, 0.1 + 0.8 * share) / 64
    return values, (low, high)


def false_bounds(count: int, random: np.random.Generator) -> int:
    found = 0
    for number in range(count):
        points = int(random.choice([60, 200, 400, 1000, 2000]))
        values, falling = flat_curve(random, points)
        found += judged(rates(points, number % 2 == 1), values, falling) is not None
    return found


def errors(count: int, random: np.random.Generator, points: int, exponential: bool, falling: bool) -> list[Row]:
    """Print the errors of both bounds, and rows of them: none may be large, and no bound missed."""
    rate = rates(points, exponential)
    scale: Callable[[float], float] = np.log10 if exponential else float  # type: ignore[assignment]
    lower, upper, missed = [], [], 0
    for _ in range(count):
        values, (low, high) = risen_curve(random, rate, exponential, falling)
        found = judged(rate, values, falling)
        if found is None:
            missed += 1
            continue
        unit = 1.0 if exponential else high - low
        lower.append((scale(found.lower) - low) / unit)
        upper.append((scale(found.upper) - high) / unit)
    text, span = [], 2.0 if exponential else 1.0
    middles, ends = [], []
    for name, seen in (("lower", lower), ("upper", upper)):
        five, half, rest = np.percentile(seen, [5, 50, 95])
        text.append(f"{name} {half:+.3f} ({five:+.3f} to {rest:+.3f})")
        middles.append(abs(half))
        ends.append(max(-five, rest))
    what = f"{'exponential' if exponential else 'linear':<12}{'loss' if falling else 'accuracy':<9}{points:>6,} points"
    fine = missed == 0 and max(middles) <= HALF * span and max(ends) <= NINE * span
    print(f"{what}: {', '.join(text)}, missed {missed}{'' if fine else '   <- too far off'}")
    name, unit = " ".join(what.split()), "decades" if exponential else "of the span"
    return [
        row(f"{name}: median error of the worse bound", max(middles), unit, most=HALF * span, note=f"{count} curves"),
        row(f"{name}: error that 9 in 10 keep", max(ends), unit, most=NINE * span),
        row(f"{name}: curves without bounds", missed, "", most=0),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curves", type=int, default=200)
    options = parser.parse_args()
    random, started = np.random.default_rng(0), time.monotonic()
    found = false_bounds(options.curves, random)
    print(f"flat curves: false bounds on {found} of {options.curves}, none allowed")
    print("errors of the bounds, 5 to 95 %: linear, of the span of the rise; exponential, in decades")
    rows = [row("flat curves with bounds", found, "", most=0, note=f"{options.curves} curves")]
    for exponential in (False, True):
        for falling in (False, True):
            for points in (400, 2000):
                rows += errors(options.curves, random, points, exponential, falling)
    print(f"{time.monotonic() - started:.1f} s")
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
