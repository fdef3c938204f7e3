"""An optimizer as it is called: its parameters, its rates and weight decay in force, gradients that it gets, and what it changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measures import array, digest, norm, plain, sample, scalar, short
from ..rates import Rates
from .cells import CellOrigins, class_of

#: Of the training's time, what reading a rate that MindSpore must compute may cost.
SHARE = 0.1
#: Elements of a gradient that are added up, which are kept until the next update.
FEW = 1 << 10
#: How far two vectors that are one, but for their length, differ, as a share of their largest element.
NEAR = 1e-3
#: Tables of fewer rows may well use one of them; columns in which the rows that have a gradient are looked for.
ROWS, COLUMNS = 8, 16
Optimizer = Any  # a mindspore.nn.Optimizer, or one of mindspore.experimental.optim


class ObservedOptimizer:
    """One optimizer, by the order of its first call."""

    def __init__(self, number: int, optimizer: Optimizer, made: CellOrigins) -> None:
        self.number, self.optimizer = number, optimizer
        self.place, self.arguments = made.of(optimizer)
        self.parameters = list(optimizer.parameters)
        self.calls = 0
        self.rates = Rates(SHARE)
        self._before: list[Any] = []

    def facts(self) -> dict[str, Any]:
        """Before its first update."""
        return {
            "number": self.number,
            "class": class_of(self.optimizer),
            "place": self.place,
            "arguments": self.arguments,
            "parameters": [one.name for one in self.parameters],
            "ids": [id(one) for one in self.parameters],
            "decay": self.decay(),
            "digests": self.digests(),
            "loss_scale": _number(getattr(self.optimizer, "loss_scale", 1.0)),
        }

    def decay(self) -> list[Any] | None:
        """The weight decay in force of each parameter; None where it is a schedule, or is not told."""
        groups = getattr(self.optimizer, "param_groups", None)
        if groups is not None:
            decays = [_number(group.get("weight_decay", 0.0)) for group in groups for _ in group["params"]]
            return decays if len(decays) == len(self.parameters) else None
        flags, given = getattr(self.optimizer, "decay_flags", None), getattr(self.optimizer, "weight_decay", None)
        if flags is None or given is None or getattr(self.optimizer, "dynamic_weight_decay", False):
            return None
        each = list(given) if isinstance(given, (tuple, list)) else [given] * len(flags)
        return [_number(value) if flag else 0.0 for value, flag in zip(each, flags)]  # noqa: B905  # Python 3.9

    def rate(self) -> list[Any] | None:
        """Of each group, before the update."""
        found = self.rates.read(self.optimizer)
        return None if found is None else [plain(scalar(array(one).reshape(-1)[0])) for one in found]

    def gradients(self, given: Any) -> dict[str, Any]:
        """Of each parameter the norm of its gradient, the share of zeros of a sample, and whether a gradient is missing; `only`: of tables
        of which one row alone has a gradient, their place among the parameters, that row, and how many rows there are."""
        norms: list[Any] = []
        zeros: list[Any] = []
        only: list[list[int]] = []
        total = 0.0
        for number, gradient in enumerate(given if isinstance(given, (tuple, list)) else [given]):
            values = getattr(gradient, "values", gradient)
            if values is None or callable(values):
                norms.append(None)
                zeros.append(None)
                continue
            held = array(values)
            size = norm(held)
            total += size * size
            norms.append(short(size))
            zeros.append(short(float((sample(held) == 0).mean())) if held.size else None)
            if values is gradient and (row := one_row(held)) is not None:
                only.append([number, row, len(held)])
        told = {"only": only} if only else {}
        return {"norms": norms, "zeros": zeros, "norm": plain(float(np.sqrt(total))), **told}

    def keep(self) -> None:
        """Remember a sample of each parameter, to compare with after the update."""
        self._before = [sample(array(one)).copy() for one in self.parameters]

    def changes(self) -> list[Any]:
        """Of each parameter the mean size of its change against its own; 0 where no element of the sample moved."""
        found: list[Any] = []
        for before, one in zip(self._before, self.parameters):  # noqa: B905  # Python 3.9
            after = sample(array(one))
            if not before.size or before.dtype.kind != "f":
                found.append(None)
                continue
            old, new = before.astype(np.float64), after.astype(np.float64)
            size = float(np.abs(old).mean())
            found.append(short(float(np.abs(new - old).mean()) / size) if size else short(float(np.abs(new).mean())))
        self._before = []
        return found

    def digests(self) -> list[str]:
        """What tells whether a parameter has changed at all."""
        return [digest(array(one)) for one in self.parameters]


def one_row(gradient: Any) -> int | None:
    """The one row of a table that has a gradient, by some of its columns; None where more have, or none."""
    if gradient.ndim != 2 or len(gradient) < ROWS:
        return None
    by = max(1, gradient.shape[1] // COLUMNS)
    (rows,) = np.nonzero((gradient[:, ::by] != 0).any(axis=1))
    return int(rows[0]) if len(rows) == 1 else None


class GradientSums:
    """What the gradients of the passes since the last update add up to, in samples, against what the optimizer is given."""

    def __init__(self) -> None:
        self.passes = 0
        self.total: list[Any] = []
        #: Those of the last pass alone.
        self.last: list[Any] = []
        #: Of each optimizer: the step, and a sample of the gradients that it was given in it.
        self.given: dict[int, tuple[int, list[Any]]] = {}

    def add(self, gradients: list[Any]) -> None:
        """Those of one pass."""
        some = self.last = [_sampled(one) for one in gradients]
        alike = [one.size for one in self.total] == [one.size for one in some]
        self.passes += 1
        if self.passes > 1:
            some = [one + other for one, other in zip(self.total, some)] if alike else []  # noqa: B905  # Python 3.9
        self.total = some

    def clear(self) -> None:
        self.passes, self.total, self.last = 0, [], []

    def against(self, optimizer: int, step: int, given: list[Any]) -> dict[str, Any]:
        """`share`: how many times the sum is given, 1 / passes where it is averaged; `kept`: how many times, where what was given in the
        step before is still in it; `last`: how many times the gradients of the last of several passes are. None where it is neither."""
        told: dict[str, Any] = {"passes": self.passes}
        before, taken = self.given.pop(optimizer, (0, [])), [_sampled(one) for one in given]
        self.given[optimizer] = step, taken
        if [one.size for one in taken] != [one.size for one in self.total] or not taken:
            return told
        total, mine = np.concatenate(self.total), np.concatenate(taken)
        told["share"] = _multiple(total, mine)
        if self.passes > 1:
            told["last"] = _multiple(np.concatenate(self.last), mine)
        if before[0] == step - 1 and [one.size for one in before[1]] == [one.size for one in taken]:
            told["kept"] = _multiple(total, mine - np.concatenate(before[1]))
        return told


def _sampled(gradient: Any) -> Any:
    flat = array(gradient).reshape(-1)
    return flat[:: max(1, -(-flat.size // FEW))].astype(np.float64)


def _multiple(one: Any, other: Any) -> Any:
    """How many times one vector the other is; None where it is not."""
    size = float(one @ one)
    if not np.isfinite(size) or not size:
        return None
    found = float(one @ other) / size
    rest = float(np.abs(other - found * one).max())
    return short(found) if found and rest <= NEAR * float(np.abs(other).max()) else None


def _number(value: Any) -> Any:
    try:
        return plain(scalar(array(value).reshape(-1)[0]))
    except (TypeError, ValueError, IndexError, AttributeError):
        return None
