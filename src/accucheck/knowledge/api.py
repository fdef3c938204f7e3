"""What MindSpore's APIs take and mean, and where they differ from PyTorch's: api.json, by canonical name (names.py).

Signatures, defaults, weights and behaviour are MindSpore 2.10.0's own (tests repeat that, and for PyTorch as well). What
earlier versions had instead is in `older`; an API with `gone` is missing from that version on, if not earlier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

#: The label that losses leave out unless they are told otherwise, and the argument that tells them.
IGNORED, IGNORING = -100, "ignore_index"


class Signature(msgspec.Struct, frozen=True):
    """`parameters` in their order, as Python writes them: "*" before the keyword-only ones, "*args", "**kwargs"."""

    parameters: list[str]
    defaults: dict[str, Any] = {}

    @property
    def positional(self) -> tuple[str, ...]:
        starred = (place for place, name in enumerate(self.parameters) if name.startswith("*"))
        return tuple(self.parameters[: next(starred, len(self.parameters))])

    def bind(self, args: Sequence[T], keywords: Mapping[str, T]) -> dict[str, T] | None:
        """The arguments of a call by parameter, those for *args left out; None when they do not fit."""
        names = self.positional
        if len(args) > len(names) and not any(
            name[0] == "*" and name[1:2] not in ("", "*") for name in self.parameters
        ):
            return None
        bound = dict(zip(names, args, strict=False))
        known = {*self.parameters} if not any(name.startswith("**") for name in self.parameters) else {*keywords}
        if any(name in bound or name not in known for name in keywords):
            return None
        return {**bound, **keywords}


class OlderSignature(Signature, frozen=True):
    """What it was up to and including version `until`."""

    until: str = ""


class Api(Signature, frozen=True):
    """An API. Of a class, `parameters` are those of its constructor and `inputs` (of losses) those of calling the object.

    kind        convolution, dense, embedding, dropout, normalization, recurrent, attention, pooling, activation, padding,
                layer, container, cell (methods of one), loss, optimizer, schedule, scaler, scaling (methods of a scaler),
                step (cells around a network), model, checkpoint, gradient, clip, precision, overflow, statistics, seed,
                context, parameter, initializer, callback, communication, compile
    modes       set_train changes what it does (perhaps only with some arguments: dropout of an LSTM)
    weights     its parameters -> the argument that initializes each, None when there is none
    expects     of a loss, its prediction: logits, probabilities, log-probabilities, raw
    labels      of a loss: classes, one-hot, same-shape, "by sparse", ...
    reduction   of a loss when not given: mean, sum, none
    length      of a schedule, the parameter that says after how many updates its rate has reached its end, or its rates do
    dynamic     of a loss scaler: changes its scale by itself; `scale` is the parameter with the (first) scale
    further     all that its **kwargs take, where anything else is refused
    """

    kind: str = ""
    inputs: list[str] = []
    modes: bool = False
    weights: dict[str, str | None] = {}
    expects: str | None = None
    labels: str | None = None
    reduction: str | None = None
    length: str | None = None
    dynamic: bool | None = None
    scale: str | None = None
    gone: str | None = None
    older: list[OlderSignature] = []
    further: list[str] = []

    def at(self, version: str) -> Signature:
        """The signature in a version of MindSpore, with what **kwargs take by its names where they are known."""
        old = next((old for old in self.older if number(version)[:2] <= number(old.until)), None)
        if old is not None or not self.further:
            return old or self
        return Signature([*(name for name in self.parameters if name[:2] != "**"), "*", *self.further], self.defaults)

    def bind_any(self, args: Sequence[T], keywords: Mapping[str, T]) -> dict[str, T] | None:
        """As bind, by the first signature that fits, today's before older ones."""
        bounds = (signature.bind(args, keywords) for signature in (self, *self.older))
        return next((bound for bound in bounds if bound is not None), None)


class Transform(Signature, frozen=True):
    """A transform of data sets; `random` when its result may differ from call to call, `random_if` an argument is True.

    category    normalize, rescale, totensor, decode, layout, cast, resize, crop, resized-crop, flip, geometry, color,
                blur, pad, erase, mix, compose, one-hot, tokenize, lookup, truncate, text, filter, spectrum, ...
    """

    category: str = ""
    random: bool = False
    random_if: str | None = None
    gone: str | None = None


class Torch(Signature, frozen=True):
    """An API of PyTorch. `api` is MindSpore's nearest; `aligned` the one with PyTorch's own parameters and defaults.

    `renamed` are parameters that are called otherwise in `api`.
    """

    api: str = ""
    renamed: dict[str, str] = {}
    aligned: str | None = None

    def counterpart(self, parameter: str) -> str | None:
        """The parameter of `api` that does what this parameter does; None when there is none."""
        name = self.renamed.get(parameter, parameter)
        return name if name in load().apis[self.api].parameters else None


class Difference(msgspec.Struct, frozen=True):
    """A difference of `apis` from `torch` (one each, or one for all), in versions from `since` to `until`, both included.

    grave       reversal (the same number means the opposite), default (another value when left out) or meaning
    mindspore, pytorch  the defaults of `parameter` and `torch_parameter`; UNSET where it is not about a default
    """

    apis: list[str]
    torch: list[str]
    grave: str
    effect: str
    parameter: str | None = None
    torch_parameter: str | None = None
    mindspore: Any = msgspec.UNSET
    pytorch: Any = msgspec.UNSET
    since: str | None = None
    until: str | None = None

    @property
    def says(self) -> dict[str, str]:
        """What is different, in both languages."""
        return load().effects[self.effect].says

    @property
    def shows(self) -> dict[str, str]:
        """How it shows itself."""
        return load().effects[self.effect].shows

    def holds(self, version: str) -> bool:
        return number(self.since or "0") <= number(version)[:2] <= number(self.until or "99")


class Effect(msgspec.Struct, frozen=True):
    says: dict[str, str]
    shows: dict[str, str]


class Knowledge(msgspec.Struct, frozen=True):
    """`mindspore` and `torch` are the versions that all was read from."""

    mindspore: str
    torch: str
    apis: dict[str, Api]
    transforms: dict[str, Transform]
    pytorch: dict[str, Torch]
    differences: list[Difference]
    effects: dict[str, Effect]


@cache
def load() -> Knowledge:
    return msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=Knowledge)


def number(version: str) -> tuple[int, ...]:
    """2.10.0rc1 as (2, 10, 0), to compare."""
    parts = (part[: len(part) - len(part.lstrip("0123456789"))] for part in version.split("."))
    return tuple(int(part) for part in parts if part)


def find(name: str) -> Api | None:
    """The API of this canonical name."""
    return load().apis.get(name)


def is_table(name: str) -> bool:
    """Whether a layer has no weight but a table, of which it gives rows."""
    known = find(name)
    return known is not None and list(known.weights or ()) == ["embedding_table"]


def transform(name: str) -> Transform | None:
    """The data set transform of this canonical name."""
    return load().transforms.get(name)


def parameters(name: str) -> tuple[str, ...] | None:
    """The positional parameters of an API, transform or API of PyTorch."""
    known = load()
    found = known.apis.get(name) or known.transforms.get(name) or known.pytorch.get(name)
    return None if found is None else found.positional


def differences(name: str, version: str | None = None) -> list[Difference]:
    """How an API of this canonical name differs from PyTorch, in a version of MindSpore; the newest known without one."""
    return [row for row in _rows().get(name, ()) if row.holds(version or load().mindspore)]


@cache
def _rows() -> dict[str, list[Difference]]:
    rows: dict[str, list[Difference]] = {}
    for row in load().differences:
        for name in row.apis:
            rows.setdefault(name, []).append(row)
    return rows
