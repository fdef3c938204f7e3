"""Suites that train by builders, trainers and configurations of their own: what these do, said in plain MindSpore.

PACKAGE.txt is a module in Python that stands for the whole package: its names are found whatever module of the package they are
imported from. PACKAGE.PART.txt stands for one part of it, which has other things under the same names. Both are read and never run.
They say what a setting stands for, by doing with it what the suite does: which optimizer is made with which rate, which data set is
shuffled and batched, in which order gradients are scaled and clipped. What a suite makes out of sight, such as its networks, stays a name
of the package that the text does not define. Written by hand from the public releases of the suites.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def parts() -> frozenset[str]:
    """The packages that are described, and the parts of packages, by their dotted names."""
    return frozenset(path.stem for path in Path(__file__).parent.glob("*.txt"))


@lru_cache(maxsize=1)
def packages() -> frozenset[str]:
    """The packages that are described."""
    return frozenset(part.partition(".")[0] for part in parts())


def part_of(module: str) -> str:
    """The description that stands for a module, that of the smallest part; "" where there is none."""
    while module and module not in parts():
        module = module.rpartition(".")[0]
    return module


def path(part: str) -> Path:
    """Where a package, or a part of one, is described."""
    return Path(__file__).with_name(f"{part}.txt")
