"""The user's network in training mode against inference mode, on the same batches: losses, predicted classes, and which layers
make the difference."""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .network import Batch, Cell, Setup, numbers
from .pipeline import EndRun, Tell, blamed, kinds

#: Names of layers that are told, at most.
SHOWN = 20


class Layers:
    """The cells of a network whose result may depend on the mode, by kind: "BatchNorm", "Dropout", or the name of a class."""

    def __init__(self, network: Cell) -> None:
        self.found: dict[str, list[tuple[str, Cell]]] = {}
        for name, cell in network.cells_and_names():
            if (kind := kind_of(cell)) is not None:
                self.found.setdefault(kind, []).append((name, cell))
        network.set_train(True)
        self.switched = {kind: [cell for _, cell in held if cell.training] for kind, held in self.found.items()}

    def only(self, network: Cell, kind: str) -> None:
        """Inference mode, but for the layers of this kind that training mode reaches."""
        network.set_train(False)
        for cell in self.switched[kind]:
            cell.add_flags(training=True)


def kind_of(cell: Cell) -> str | None:
    """The kind of a cell that looks at its mode; None where it does not."""
    names = kinds(cell)
    for kind in ("BatchNorm", "Dropout"):
        if any(kind.lower() in name.lower() for name in names):
            return kind
    for cls in type(cell).__mro__[: names.index("Cell")]:
        for name, function in vars(cls).items():
            if name in ("__init__", "set_train") or not isinstance(function, types.FunctionType):
                continue
            if "training" in function.__code__.co_names:
                return type(cell).__name__
    return None


def rates(held: Sequence[tuple[str, Cell]]) -> list[float]:
    """The shares that layers of dropout drop."""
    found = []
    for _, cell in held:
        rate = getattr(cell, "p", None)
        if isinstance(rate, (int, float)) and not isinstance(rate, bool):
            found.append(float(rate))
        elif isinstance(getattr(cell, "keep_prob", None), (int, float)):
            found.append(1.0 - float(cell.keep_prob))
    return found


class Result:
    """What a mode gives on all batches: the mean loss, the first tensor of each output, and its classes, where it has any."""

    def __init__(self, losses: list[float], outputs: list[Any], labels: list[Any]) -> None:
        self.loss = float(np.mean(losses))
        self.outputs = outputs
        self.classes = [predicted(output, label) for output, label in zip(outputs, labels)]  # noqa: B905

    def agreement(self, other: Result) -> float | None:
        """The share of predicted classes that are the same."""
        pairs = [
            (one == two).reshape(-1)
            for one, two in zip(self.classes, other.classes)  # noqa: B905
            if one is not None and two is not None and one.shape == two.shape
        ]
        return float(np.concatenate(pairs).mean()) if pairs else None

    def difference(self, other: Result) -> float:
        """The largest difference of the outputs, relative to the largest output; inf where shapes differ."""
        worst = 0.0
        for one, two in zip(self.outputs, other.outputs):  # noqa: B905
            if (one is None) != (two is None) or (one is not None and one.shape != two.shape):
                return float("inf")
            if one is not None and one.size and not np.array_equal(one, two, equal_nan=True):
                apart = np.abs(one - two).max() / max(float(np.abs(two).max()), 1e-30)
                worst = max(worst, float(apart) if np.isfinite(apart) else float("inf"))
        return worst

    def same(self, other: Result) -> bool:
        return self.difference(other) == 0 and (self.loss == other.loss or self.loss != self.loss)


def first_tensor(value: Any) -> Any:
    import mindspore

    if isinstance(value, mindspore.Tensor):
        return value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next((found for one in value if (found := first_tensor(one)) is not None), None)
    return None


def predicted(output: Any, label: Any) -> Any:
    """The class of each sample or place, where the labels are integers that have one dimension less than the scores."""
    if output is None or label is None or output.ndim < 2 or output.dtype.kind != "f" or label.dtype.kind not in "iu":
        return None
    if label.shape == output.shape[:-1]:
        return output.argmax(axis=-1) if output.shape[-1] > 1 else None
    if label.shape == output.shape[:1] + output.shape[2:]:
        return output.argmax(axis=1) if output.shape[1] > 1 else None
    return None


class Measure:
    """Runs batches through the network; what training mode moves (moving statistics) is put back after each."""

    def __init__(self, setup: Setup, batches: list[Batch], repeats: int) -> None:
        self.setup, self.batches, self.repeats = setup, batches, repeats
        self.labels = [self._label(batch) for batch in batches]
        self.dtype = ""
        self.keep()

    def keep(self) -> None:
        held = [one for one in self.setup.network.get_parameters() if not one.requires_grad]
        self.kept = [(one, numbers(one)) for one in held]

    def _label(self, batch: Batch) -> Any:
        import mindspore

        columns = self.setup.columns(batch, self.setup.labels)
        return numbers(columns[0]) if len(columns) == 1 and isinstance(columns[0], mindspore.Tensor) else None

    def result(self) -> Result:
        import mindspore

        setup = self.setup
        losses, outputs = [], []
        for batch in self.batches:
            output = setup.output(batch)
            loss = output
            if setup.loss is not None:
                with blamed(setup.request["loss"]["call"], setup.root):
                    loss = setup.loss_given(output, setup.columns(batch, setup.labels))
            value = first_tensor(loss)
            first = first_tensor(output)
            self.dtype = "" if first is None else str(first.dtype)
            losses.append(float(numbers(value).mean()) if value is not None else float("nan"))
            outputs.append(None if first is None else numbers(first))
            for parameter, before in self.kept:
                mindspore.ops.assign(parameter, mindspore.Tensor(before, parameter.dtype))
        return Result(losses, outputs, self.labels)

    def mean(self) -> tuple[Result, bool, float]:
        """A result, whether the next one is another, and the mean loss of several."""
        one, two = self.result(), self.result()
        if one.same(two):
            return one, False, one.loss
        more = [self.result().loss for _ in range(self.repeats - 2)]
        return one, True, float(np.mean([one.loss, two.loss, *more]))


def examine(request: dict[str, Any], tell: Tell) -> None:
    setup = Setup(request, tell)
    network = setup.network
    batches = setup.batches(request["batches"])
    with blamed(request["network"]["call"], request["root"]):
        network.init_parameters_data()
    layers = Layers(network)
    measure = Measure(setup, batches, request["repeats"])
    deadline = time.monotonic() + request["seconds"]
    told: dict[str, Any] = {"built": None, "missing": [], "inference": None, "kinds": [], "whole": True}
    if request["checkpoint"]:
        told["built"] = finite(measure.mean()[2])
        told["missing"] = setup.load(request["checkpoint"])
        measure.keep()
    network.set_train(True)
    training, random, loss = measure.mean()
    told |= {"training": finite(loss), "random": random, "dtype": measure.dtype}
    network.set_train(False)
    try:
        inference, lottery, other = measure.mean()
    except EndRun as stop:  # what the network gives in inference may be of another form, which the loss does not take
        told["error"] = stop.event.get("error", "")
    else:
        told |= {"inference": finite(other), "lottery": lottery, "agreement": inference.agreement(training)}
        told["difference"] = finite(training.difference(inference))
    for kind, held in layers.found.items():
        entry: dict[str, Any] = {"kind": kind, "count": len(held), "names": [name or "." for name, _ in held[:SHOWN]]}
        entry |= {"switched": len(layers.switched[kind]), "loss": None, "agreement": None, "random": None}
        entry["rates"] = sorted(set(rates(held)))[-SHOWN:] if kind == "Dropout" else []
        if told["inference"] is not None and layers.switched[kind]:
            if time.monotonic() > deadline:
                told["whole"] = False
            else:
                layers.only(network, kind)
                entry |= alone(measure.mean, inference)
        told["kinds"].append(entry)
    tell(event="modes", batches=len(batches), **told)


def alone(mean: Callable[[], tuple[Result, bool, float]], inference: Result) -> dict[str, Any]:
    """What one kind of layer alone does in training mode. Empty where the user's code does not stand it."""
    try:
        result, random, loss = mean()
    except EndRun:
        return {}
    return {"loss": finite(loss), "agreement": inference.agreement(result), "random": random}


def finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
