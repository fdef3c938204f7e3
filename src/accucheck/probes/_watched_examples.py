"""A recording as accucheck watch writes it of a small training, for the examples of the probes that read one.

The network is Dense, BatchNorm, Dense, Dense; each of its parameters is given to one Momentum unless said otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_DENSE, _NORM = "mindspore.nn.layer.basic.Dense", "mindspore.nn.layer.normalization.BatchNorm1d"
_CELLS = [
    ("", "__main__.Net", 20),
    ("first", _DENSE, 5),
    ("norm", _NORM, 6),
    ("second", _DENSE, 7),
    ("head", _DENSE, 8),
]
_SHAPES = {
    "first.weight": [16, 8],
    "first.bias": [16],
    "norm.gamma": [16],
    "norm.beta": [16],
    "norm.moving_mean": [16],
    "second.weight": [16, 16],
    "second.bias": [16],
    "head.weight": [2, 16],
    "head.bias": [2],
}
_BELOW = {"low": -6.9, "high": -4.7}
_STATISTICS = ("norm.moving_mean",)
_HEAD = {"recording": 1, "accucheck": "1.0.0", "time": "2026-01-31T08:00:00+00:00", "mindspore": "2.10.0", "rank": 0}


def recording(
    steps: int = 10,
    *,
    norms: Mapping[str, float | None] | None = None,
    idle: Sequence[str] = (),
    broken: int | None = None,
    decay: Mapping[str, float] | None = None,
    rates: Mapping[str, float] | None = None,
    groups: Sequence[Sequence[str]] = ((*_SHAPES,),),
    still: Sequence[str] = (),
    frozen: Sequence[str] = (),
    weights: Mapping[str, Mapping[str, Any]] | None = None,
    modes: Mapping[int, Sequence[str]] | None = None,
    shared: Sequence[Sequence[str]] = (),
    more: Sequence[Mapping[str, Any]] = (),
    raw: Sequence[float] = (),
    only: Sequence[Sequence[int]] = (),
    totals: Sequence[float] = (),
    scales: Sequence[float] = (),
    divisor: float = 1.0,
    made: Mapping[str, Any] | None = None,
    half: Sequence[str] = (),
    dark: Sequence[str] = (),
    below: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    arguments: Mapping[str, Mapping[str, Any]] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch: int = 0,
    growth: float = 0.98,
    ratio: float = 1e-3,
    end: bool = True,
) -> str:
    """Lines of JSON. `norms` of gradients by layer or parameter; `idle` layers are not called; from step `broken` on gradients are NaN;
    `groups` are the parameters of each optimizer, `still` those that never change, `frozen` those of requires_grad=False; `weights` add to
    what is told of a parameter; `modes` are the cells in inference mode from a step on; `more` facts come first. By step: `raw` are the
    norms of all gradients as the pass gave them, `only` the tables of which one row has a gradient, `totals` those that the optimizer
    got, `scales` the loss scales; `divisor` is the optimizer's own, `made` what it was made with.
    `half` are the layers that give float16, `dark` those that give nothing but zeros, `below` those that give nothing above 0. Of layers:
    `kinds` are other classes, `arguments` what they were made with, `shapes` those of what they gave; a `batch` of so many samples and
    labels is given to each pass. The loss is multiplied by `growth` in each step, and each update changes a parameter by `ratio` of its
    size.
    """
    layers = [(name, (kinds or {}).get(name, kind), line) for name, kind, line in _CELLS]
    ids = {name: number for number, name in enumerate(_SHAPES, 1)}
    held = [[name for name in group if name not in _STATISTICS] for group in groups]
    moves = {name for group in held for name in group if name not in still} | {*_STATISTICS}
    lines: list[Mapping[str, Any]] = [
        _HEAD,
        *more,
        _network(layers, arguments or {}, ids, frozen, weights or {}, shared),
    ]
    lines += [
        {**_optimizer(number, group, ids, decay or {}), "loss_scale": divisor, "arguments": dict(made or {})}
        for number, group in enumerate(held)
    ]
    called = [
        [name, kind, True, [_given(name in half, name in dark, (shapes or {}).get(name), name in below)]]
        for name, kind, _ in layers
        if name not in idle
    ]
    modes = modes or {1: []}
    for step in range(1, steps + 1):
        if step in modes:
            lines.append({"fact": "modes", "step": step, "networks": [0], "inference": [*modes[step]], "cells": 5})
        lines.append(_pass(step, batch, called))
        for number, group in enumerate(held):
            nan = broken is not None and step >= broken
            gradients, changes = _update(step, number, group, norms or {}, still, nan, ratio)
            told = {**({"raw": raw[step - 1]} if raw else {}), **({"only": only} if only else {})}
            lines += [{**gradients, **told}, changes]
        lines.append(_step(step, growth, rates, totals, scales))
    if end:
        lines.append(_end(held, moves, frozen, weights or {}))
    return "\n".join(json.dumps(line) for line in lines) + "\n"


def _step(
    step: int, growth: float, rates: Mapping[str, float] | None, totals: Sequence[float], scales: Sequence[float]
) -> Mapping[str, Any]:
    by_step = {key: values[step - 1] for key, values in (("grad_norm", totals), ("loss_scale", scales)) if values}
    told = {"loss": 2.0 * growth**step, **(rates or {"lr": 0.1}), **by_step}
    return {"step": step, "epoch": 1, "seconds": 0.1, **told}


def _pass(step: int, batch: int, called: Sequence[Any]) -> Mapping[str, Any]:
    given = [{"shape": [batch, 8]}, {"shape": [batch]}] if batch else []
    fact = {"fact": "pass", "step": step, "training": True, "networks": [0], "data": 0}
    return {**fact, "batch": given, "calls": called}


def _given(half: bool, dark: bool, shape: Sequence[int] | None, below: bool) -> Mapping[str, Any]:
    told = {"type": "float16"} if half else {}
    spread = {"zero": 1.0, "std": 0.0} if dark else {"zero": 0.0, "std": 0.8}
    return {**spread, **told, **({"shape": [*shape]} if shape else {}), **(_BELOW if below else {})}


def _optimizer(
    number: int, group: Sequence[str], ids: Mapping[str, int], decay: Mapping[str, float]
) -> Mapping[str, Any]:
    return {
        **{"fact": "optimizer", "number": number, "class": "mindspore.nn.optim.momentum.Momentum"},
        **{"place": ["train.py", 30 + number], "parameters": [*group], "ids": [ids[name] for name in group]},
        "decay": [decay.get(name, 0.0) for name in group],
        "digests": [f"start-{name}" for name in group],
    }


def _update(
    step: int,
    number: int,
    group: Sequence[str],
    norms: Mapping[str, float | None],
    still: Sequence[str],
    nan: bool,
    ratio: float,
) -> list[Mapping[str, Any]]:
    told = {"step": step, "optimizer": number}
    values = ["nan" if nan else norms.get(name, norms.get(name.partition(".")[0], 0.5)) for name in group]
    return [
        {"fact": "gradients", **told, "norms": values, "zeros": [0.0] * len(group)},
        {"fact": "changes", **told, "ratios": [0.0 if name in still else ratio for name in group]},
    ]


def _network(
    layers: Sequence[tuple[str, str, int]],
    arguments: Mapping[str, Mapping[str, Any]],
    ids: Mapping[str, int],
    frozen: Sequence[str],
    weights: Mapping[str, Mapping[str, Any]],
    shared: Sequence[Sequence[str]],
) -> Mapping[str, Any]:
    cells = [[name, kind, ["net.py", line], dict(arguments.get(name, {}))] for name, kind, line in layers]
    parameters = [
        {
            **{"name": name, "path": name, "id": ids[name], "shape": shape, "type": "float32", "zero": 0.0},
            **{"trained": name not in (*_STATISTICS, *frozen), "digest": f"start-{name}", "constant": False},
            **weights.get(name, {}),
        }
        for name, shape in _SHAPES.items()
    ]
    found = {"number": 0, "at": 5, "class": "__main__.Net", "cells": cells, "ids": [101, 102, 103, 104, 105]}
    return {"fact": "network", **found, "modes": ["norm"], "parameters": parameters, "shared": [*map(list, shared)]}


def _end(
    held: Sequence[Sequence[str]], moves: set[str], frozen: Sequence[str], weights: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    def digest(name: str) -> str:
        return f"end-{name}" if name in moves else f"start-{name}"

    network = {
        "trained": [name not in (*_STATISTICS, *frozen) for name in _SHAPES],
        "digests": [digest(name) for name in _SHAPES],
        "alike": [bool(weights.get(name, {}).get("alike")) for name in _SHAPES],
    }
    digests = {str(number): [digest(name) for name in group] for number, group in enumerate(held)}
    return {"fact": "end", "why": "exit", "steps": 0, "inferences": 0, "digests": digests, "networks": {"0": network}}
