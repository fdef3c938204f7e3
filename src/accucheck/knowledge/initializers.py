"""How widely the initializers of MindSpore draw whose spread does not hang on the size of the layer. A test draws from each."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple


class Initializer(NamedTuple):
    """The standard deviation of what it draws is `factor` times its argument `of`, which is `default` where it is not given."""

    parameters: list[str]
    of: str
    default: float
    factor: float

    @property
    def spread(self) -> float:
        """The standard deviation of what it draws with no argument."""
        return self.factor * self.default


#: TruncatedNormal makes up for what it leaves out.
INITIALIZERS = {
    "initializer.Normal": Initializer(["sigma", "mean"], "sigma", 0.01, 1.0),
    "initializer.TruncatedNormal": Initializer(["sigma", "mean", "a", "b"], "sigma", 0.01, 1.0),
    "initializer.Uniform": Initializer(["scale"], "scale", 0.07, 1 / sqrt(3)),
}


def find(name: str) -> Initializer | None:
    """What the initializer of this canonical name draws."""
    return INITIALIZERS.get(name)


def by_alias(alias: str) -> Initializer | None:
    """The same of one that is named by a text, as in weight_init="normal"."""
    return next(
        (known for name, known in INITIALIZERS.items() if name.rpartition(".")[2].lower() == alias.lower()), None
    )
