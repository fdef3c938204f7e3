"""What seeds the generators of random numbers, what makes a generator, and what is drawn from those that NumPy and Python share.

What each seed reaches was run on MindSpore 2.10: mindspore.set_seed seeds numpy, Python's random, the data sets, initial weights
and operators, but not mint; dataset.config.set_seed seeds numpy and random too, and initial weights are drawn from numpy's generator,
also after mindspore.set_seed: the last seed that reaches that decides them. Names are canonical (names.canonical).
"""

from __future__ import annotations

import random

_ALL = frozenset(("weights", "numpy", "python", "operators", "data"))
#: Functions that seed -> what is drawn the same from then on.
SEEDS: dict[str, frozenset[str]] = {
    "set_seed": _ALL,
    "dataset.config.set_seed": _ALL - {"operators"},
    "dataset.set_seed": _ALL - {"operators"},
    "numpy.random.seed": frozenset(("numpy", "weights")),
    "random.seed": frozenset(("python",)),
    "manual_seed": frozenset(("mint",)),
    "mint.manual_seed": frozenset(("mint",)),
}
#: What makes a generator of one's own.
GENERATORS = frozenset(
    ("numpy.random.RandomState", "numpy.random.default_rng", "numpy.random.Generator", "random.Random")
)
#: Methods of a generator that draw nothing.
STATE_METHODS = frozenset((".seed", ".get_state", ".set_state", ".getstate", ".setstate"))
#: Methods of the distributions of scipy.stats that draw, from the generator of NumPy.
DRAWING_METHODS = frozenset((".rvs",))
#: Functions that shuffle what they are given.
IN_PLACE = frozenset(("random.shuffle", "numpy.random.shuffle"))
#: What gives each of its elements once, in an order of chance.
DRAWS_ONCE = frozenset(("random.sample", "numpy.random.permutation"))
#: What takes elements by chance, some perhaps several times.
DRAWS_AGAIN = frozenset(("numpy.random.choice", "random.choices"))
#: Distributions of numpy.random whose samples may be vectors.
OF_VECTORS = frozenset(("choice", "dirichlet", "multinomial", "multivariate_hypergeometric", "multivariate_normal"))

_NUMPY_STATES = frozenset(
    (
        *("seed", "get_state", "set_state", "get_bit_generator", "set_bit_generator"),
        *("RandomState", "default_rng", "Generator", "SeedSequence", "BitGenerator"),
        *("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"),
    )
)
_PYTHON_STATES = frozenset(("seed", "getstate", "setstate", "Random", "SystemRandom"))


def shared_generator(name: str) -> str:
    """The generator that a function draws from: "numpy" or "python" for those that all scripts of a process share, "" for what draws
    from none of them."""
    module, _, last = name.rpartition(".")
    if module == "numpy.random":
        return "" if last in _NUMPY_STATES else "numpy"
    draws = module == "random" and last in random.__all__ and last not in _PYTHON_STATES
    return "python" if draws else ""


def of_python_transforms(name: str) -> bool:
    """Whether a transform, by its name before it is made canonical, is of the modules that are written in Python: these draw with its
    generator."""
    return "py_transforms" in name.split(".")[:-1]


def sets_state(name: str) -> bool:
    """Whether a function of `random` or `numpy.random` makes, seeds or reads a generator, and draws nothing."""
    module, _, last = name.rpartition(".")
    return last in {"numpy.random": _NUMPY_STATES, "random": _PYTHON_STATES}.get(module, ())
