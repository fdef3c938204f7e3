"""The user's network against what was exported of it (MindIR), on the same batches: weights, outputs, and in which mode it was exported."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .network import Batch, Cell, Setup, numbers
from .pipeline import EndRun, Tell, shown

#: Weights that differ by less, relative to the largest, are the same: they may have been kept in 16 bits.
WEIGHTS = 1e-2
#: A mode is told by outputs that agree so far, relative to the largest.
SAME = 1e-3


def examine(request: dict[str, Any], tell: Tell) -> None:
    """Tells "exported", or "cannot" with the error where MindSpore does not take the file or does not run it."""
    import mindspore
    from mindspore import nn

    setup = Setup(request, tell)
    network = setup.network
    batches = setup.batches(request["batches"])
    if request["checkpoint"]:
        setup.load(request["checkpoint"])
    try:
        exported = nn.GraphCell(mindspore.load(request["exported"]))
        stored = {name: numbers(one) for name, one in exported.parameters_dict().items()}
        there = _outputs(exported, setup, batches)
        again = _outputs(exported, setup, batches)
    except EndRun:
        raise
    except Exception as error:
        tell(event="cannot", error=shown(error))
        return
    begin = time.monotonic()
    network.set_train(False)
    own = _outputs(network, setup, batches)
    told: dict[str, Any] = {"own": _apart(own, there), "random": _apart(there, again)["difference"]}
    told["weights"] = _with_weights(network, stored)
    told["known"] = bool(request["checkpoint"]) or setup.loaded > 0
    network.set_train(False)
    graph = _outputs(network, setup, batches)
    told["graph"] = _apart(graph, there)
    told["activation"] = next((name for name, made in ACTIVATIONS.items() if _close(made(graph), there)), None)
    network.set_train(True)
    told["training"] = _apart(_outputs(network, setup, batches), there)
    told["modes"] = _apart(_outputs(network, setup, batches), graph)["difference"]
    tell(event="exported", batches=len(batches), seconds=time.monotonic() - begin, **told)


def _outputs(cell: Any, setup: Setup, batches: Sequence[Batch]) -> list[Any]:
    """All that a cell gives, batch by batch; one that was exported for fewer samples is given them one by one."""
    found: list[Any] = []
    for batch in batches:
        columns = setup.columns(batch, setup.inputs)
        try:
            found += _flat(cell(*columns))
        except Exception:
            if cell is setup.network:
                raise
            rows = [_flat(cell(*(column[at : at + 1] for column in columns))) for at in range(len(columns[0]))]
            found += [np.concatenate(parts) for parts in zip(*rows)]  # noqa: B905
    return found


def _flat(value: Any) -> list[Any]:
    import mindspore

    if isinstance(value, mindspore.Tensor):
        return [numbers(value)]
    if isinstance(value, dict):
        value = list(value.values())
    return [one for part in value for one in _flat(part)] if isinstance(value, (list, tuple)) else []


def _apart(one: Sequence[Any], two: Sequence[Any]) -> dict[str, Any]:
    """How far outputs are apart: None where they have other shapes; relative to the largest, and the share of largest places that agree."""
    shapes = [[list(output.shape) for output in side] for side in (one, two)]
    if shapes[0] != shapes[1]:
        return {"difference": None, "shapes": [side[:8] for side in shapes], "agreement": None}
    worst, agreeing = 0.0, []
    for left, right in zip(one, two):  # noqa: B905
        scale = max(float(np.abs(left).max()), 1e-30) if left.size else 1.0
        apart = float(np.abs(left.astype(np.float64) - right).max()) / scale if left.size else 0.0
        worst = max(worst, apart if np.isfinite(apart) else 1e30)
        if left.ndim > 1 and left.shape[-1] > 1 and left.dtype.kind == "f":
            agreeing.append(left.argmax(-1).ravel() == right.argmax(-1).ravel())
    agreement = float(np.concatenate(agreeing).mean()) if agreeing else None
    return {"difference": worst, "shapes": None, "agreement": agreement}


def _close(one: Sequence[Any], two: Sequence[Any]) -> bool:
    difference = _apart(one, two)["difference"]
    return difference is not None and difference <= SAME


def _with_weights(network: Cell, stored: dict[str, Any]) -> dict[str, Any]:
    """Puts the weights of the export into the network, and tells how far they were from its own. Names may have a part before them."""
    import mindspore

    apart: list[tuple[float, str]] = []
    own = {one.name: one for one in network.get_parameters()}
    for name, value in stored.items():
        key = name if name in own else next((key for key in own if name.endswith("." + key)), None)
        parameter = own[key] if key is not None else None
        if parameter is None or tuple(parameter.shape) != value.shape:
            continue
        before = numbers(parameter)
        scale = max(float(np.abs(before).max()), float(np.abs(value).max()), 1e-30) if value.size else 1.0
        apart.append((float(np.abs(before - value).max()) / scale if value.size else 0.0, parameter.name))
        mindspore.ops.assign(parameter, mindspore.Tensor(value, parameter.dtype))
    other = sorted((each for each in apart if not each[0] <= WEIGHTS), reverse=True)
    worst = {"difference": min(other[0][0], 1e30), "name": other[0][1]} if other else {}
    return {"matched": len(apart), "all": len(own), "other": len(other), **worst}


def _softmax(value: Any) -> Any:
    powers = np.exp(value - value.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _each(made: Callable[[Any], Any]) -> Callable[[Sequence[Any]], list[Any]]:
    return lambda outputs: [made(one) if one.dtype.kind == "f" and one.ndim else one for one in outputs]


#: What an export may add at the end of a network.
ACTIVATIONS: dict[str, Callable[[Sequence[Any]], list[Any]]] = {
    "softmax": _each(_softmax),
    "log_softmax": _each(lambda value: np.log(np.maximum(_softmax(value), 1e-38))),
    "sigmoid": _each(lambda value: 1 / (1 + np.exp(-np.clip(value, -80, 80)))),
    "argmax": _each(lambda value: value.argmax(-1).astype(np.int32)),
}
