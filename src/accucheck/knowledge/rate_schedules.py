"""The learning rates that MindSpore's schedules give: as lists (nn.cosine_decay_lr) and as functions of the step (nn.CosineDecayLR)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

#: A list of rates is no longer than this.
LONGEST = 100_000


def _cosine(at: float, low: float, high: float, length: float) -> float:
    return low + (high - low) / 2 * (1 + math.cos(math.pi * min(at, length) / length))


def _exponential(at: float, rate: float, factor: float, length: float, is_stair: bool = False) -> float:
    return float(rate * factor ** (at // length if is_stair else at / length))


def _inverse(at: float, rate: float, factor: float, length: float, is_stair: bool = False) -> float:
    return rate / (1 + factor * (at // length if is_stair else at / length))


def _natural(at: float, rate: float, factor: float, length: float, is_stair: bool = False) -> float:
    return rate * math.exp(-factor * (at // length * length if is_stair else at))


def _polynomial(at: float, rate: float, end: float, length: float, power: float, update: bool = False) -> float:
    if update:
        length *= max(math.ceil(at / length), 1)
    return float((rate - end) * (1 - min(at, length) / length) ** power + end)


def _warmup(at: float, rate: float, length: float) -> float:
    return rate * min(at, length) / length


def piecewise_constant_lr(milestone: list[int], learning_rates: list[float]) -> list[float]:
    lengths = [end - start for start, end in zip([0, *milestone], milestone, strict=False)]
    _check(sum(lengths))
    return [rate for rate, length in zip(learning_rates, lengths, strict=True) for _ in range(length)]


def _of_epochs(rate: Callable[..., float], *parameters: str) -> Callable[..., list[float]]:
    """A list of this kind, which gives a rate for each step, from its arguments in MindSpore's order."""

    def made(*args: Any, **keywords: Any) -> list[float]:
        given = dict(zip(parameters, args, strict=False)) | keywords
        count, steps = given.pop("total_step"), given.pop("step_per_epoch")
        _check(count)
        own = [given[name] for name in parameters if name in given]
        return [rate(step // steps, *own) for step in range(count)]

    return made


def _check(length: int) -> None:
    if length > LONGEST:
        raise ValueError("the list is too long")


def _of_steps(rate: Callable[..., float], *parameters: str) -> Callable[..., Callable[[float], float]]:
    """A schedule of this class, which gives a rate for each step, from its arguments in MindSpore's order."""

    def made(*args: Any, **keywords: Any) -> Callable[[float], float]:
        given = dict(zip(parameters, args, strict=False)) | keywords
        return partial(_at, rate, [given[name] for name in parameters if name in given])

    return made


def _at(rate: Callable[..., float], own: list[Any], step: float) -> float:
    return rate(step, *own)


_EPOCHS = ("total_step", "step_per_epoch", "decay_epoch")
_DECAYS = ("learning_rate", "decay_rate", "decay_steps", "is_stair")
_KNOWN: dict[str, Callable[..., Any]] = {
    "nn.cosine_decay_lr": _of_epochs(_cosine, "min_lr", "max_lr", *_EPOCHS),
    "nn.exponential_decay_lr": _of_epochs(_exponential, "learning_rate", "decay_rate", *_EPOCHS, "is_stair"),
    "nn.inverse_decay_lr": _of_epochs(_inverse, "learning_rate", "decay_rate", *_EPOCHS, "is_stair"),
    "nn.natural_exp_decay_lr": _of_epochs(_natural, "learning_rate", "decay_rate", *_EPOCHS, "is_stair"),
    "nn.piecewise_constant_lr": piecewise_constant_lr,
    "nn.polynomial_decay_lr": _of_epochs(
        _polynomial, "learning_rate", "end_learning_rate", *_EPOCHS, "power", "update_decay_epoch"
    ),
    "nn.warmup_lr": _of_epochs(_warmup, "learning_rate", "total_step", "step_per_epoch", "warmup_epoch"),
    "nn.CosineDecayLR": _of_steps(_cosine, "min_lr", "max_lr", "decay_steps"),
    "nn.ExponentialDecayLR": _of_steps(_exponential, *_DECAYS),
    "nn.InverseDecayLR": _of_steps(_inverse, *_DECAYS),
    "nn.NaturalExpDecayLR": _of_steps(_natural, *_DECAYS),
    "nn.PolynomialDecayLR": _of_steps(
        _polynomial, "learning_rate", "end_learning_rate", "decay_steps", "power", "update_decay_steps"
    ),
    "nn.WarmUpLR": _of_steps(_warmup, "learning_rate", "warmup_steps"),
}


def find(name: str) -> Callable[..., Any] | None:
    """A schedule by its name in MindSpore, `nn.cosine_decay_lr` or `nn.CosineDecayLR`: called with its arguments it gives the list of
    rates, or the function that gives the rate at a step, counted from 0."""
    return _KNOWN.get(name)
