"""How far epoch_curve can be trusted: false alarms on curves of healthy trainings, and how many faulty ones it finds.

    python benchmarks/epoch_curve_alarms.py [--curves 4000]

Validation losses of 5 to 300 epochs are drawn. Healthy: an exponential decay that has come to its plateau, one with steps of the
learning rate, and one along a cosine to zero; with independent noise of 0.1 to 10 % of the plateau, and with noise of which neighbours go
together (AR(1), 0.5). A problem on any of them is a false alarm; at most 1 in 100 of each kind may be one. Faulty: stopped in the middle
of the decay, and risen after the best, each by more than four times the noise and 10 %; at least 80 of 100 must be found.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
from _measuring import report, row

from accucheck.case import Case
from accucheck.model import Level
from accucheck.probes import _curves, epoch_curve

Array = np.ndarray
MOST_ALARMS, LEAST_FOUND = 0.01, 0.8


def decayed(epochs: int, random: np.random.Generator) -> Array:
    at = np.arange(epochs) / epochs
    return np.exp(-at / random.uniform(0.03, 0.18))


def stepped(epochs: int, random: np.random.Generator) -> Array:
    at = np.arange(epochs) / epochs
    first, second = random.uniform(0.3, 0.5), random.uniform(0.6, 0.75)
    fall = 0.7 * np.exp(-at / random.uniform(0.03, 0.1))
    return fall + 0.2 * (at < first) + 0.1 * (at < second)


def cosine(epochs: int, random: np.random.Generator) -> Array:
    """Falls as fast as the sum of the learning rates passed so far grows."""
    at = (np.arange(epochs) + 1) / epochs
    passed = at + np.sin(np.pi * at) / np.pi
    return np.exp(-passed / random.uniform(0.03, 0.2))


def stopped(epochs: int, random: np.random.Generator) -> Array:
    return np.exp(-np.arange(epochs) / epochs / random.uniform(0.4, 1.0))


def overfitted(epochs: int, random: np.random.Generator) -> Array:
    at = np.arange(epochs) / epochs
    best = random.uniform(0.15, 0.5)
    return np.exp(-at / (best / 5)) + random.uniform(0.2, 0.8) * np.maximum(at - best, 0)


def white(count: int, random: np.random.Generator) -> Array:
    return random.normal(size=count)


def neighbours(count: int, random: np.random.Generator) -> Array:
    noise = random.normal(size=count)
    for index in range(1, count):
        noise[index] = 0.5 * noise[index - 1] + np.sqrt(0.75) * noise[index]
    return noise


def judged(values: Array) -> str:
    """The codes above info."""
    count = len(values)
    numbers = np.arange(1, count + 1)
    curve = _curves.Series(
        "eval.csv", "eval.csv", "loss", "epoch", numbers.astype(float), numbers * 0 - 1, numbers, values
    )
    seen = epoch_curve._seen(curve, "loss", None)
    found = epoch_curve._verdict(Case(root="."), epoch_curve.Params(), seen, None, _NoLogs())
    return ",".join(finding.code for finding in found if finding.level is Level.PROBLEM)


class _NoLogs(_curves.Logs):
    """No learning rate was recorded."""

    def __init__(self) -> None:
        self._runs, self._problems, self._told = [], [], {}


def alarms(
    shape: Callable[..., Array], noise: Callable[..., Array], curves: int, seed: int, faulty: bool
) -> Counter[str]:
    random = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for _ in range(curves):
        epochs = int(np.exp(random.uniform(np.log(12 if faulty else 5), np.log(300))))
        plateau = np.exp(random.uniform(np.log(0.05), np.log(3.0)))
        spread = plateau * np.exp(random.uniform(np.log(0.001), np.log(0.02 if faulty else 0.1)))
        found[judged(plateau + shape(epochs, random) + spread * noise(epochs, random))] += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curves", type=int, default=4000)
    curves = parser.parse_args().curves
    rows = []
    for shape in (decayed, stepped, cosine):
        for noise in (white, neighbours):
            found = alarms(shape, noise, curves, 0, False)
            share = 1 - found[""] / curves
            name = f"false alarms: {shape.__name__}, {noise.__name__} noise"
            rows.append(row(name, share, "%", most=MOST_ALARMS, note=f"{curves:,} curves"))
            print(f"healthy, {shape.__name__}, {noise.__name__}: {share:.2%} false alarms {dict(found)}")
    for shape, code in ((stopped, "too-few"), (overfitted, "too-many")):
        found = alarms(shape, white, curves, 0, True)
        found_in = found[code] / curves
        rows.append(row(f"found: {shape.__name__}", found_in, "%", least=LEAST_FOUND, note=f"{curves:,} curves"))
        print(f"faulty, {shape.__name__}: {found[code] / curves:.1%} found {dict(found)}")
    return report(rows)


if __name__ == "__main__":
    sys.exit(main())
