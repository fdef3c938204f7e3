"""A few steps of training on the user's data that are watched: updates against weights, gradients, or the results of activations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from .network import Batch, Setup, Tensor, numbers
from .pipeline import Tell, blamed
from .versions import after_calls, before_calls

#: A rate for which weights that start at zero begin to pass gradients on, and nothing diverges.
TINY = 1e-4


class Training:
    """Steps of the case's optimizer; without one, of the default at a rate that hardly moves anything."""

    def __init__(self, setup: Setup, seconds: float) -> None:
        self.setup, self.seconds = setup, seconds
        own = setup.request.get("optimizer")
        self.optimizer = setup.optimizer() if own else setup.optimizer(learning_rate=TINY)
        self.held, self.weights = setup.weights(self.optimizer)
        scale = getattr(self.optimizer, "loss_scale", 1.0)
        #: An optimizer that divides gradients by a loss scale is given gradients that hold it.
        self.scale = float(scale) if isinstance(scale, (int, float)) else 1.0
        self.batches = setup.endless(setup.dataset())
        self.call = (own or setup.request["network"])["call"]

    def step(self, gradients: tuple[Tensor, ...]) -> None:
        given = gradients[: len(self.held)]
        if self.scale != 1.0:
            given = tuple(gradient * self.scale for gradient in given)
        with blamed(self.call, self.setup.root):
            self.optimizer(tuple(given))

    def rises(self, at: int) -> float | None:
        """How many times the rate of a step, counted from now, the highest one of the schedule is, as far as 10^6 steps; 1 without
        a schedule, None where it cannot be told."""
        import mindspore

        if not getattr(self.optimizer, "dynamic_lr", False):
            return 1.0
        held = self.optimizer.learning_rate
        schedules = list(held) if getattr(self.optimizer, "is_group_lr", False) else [held]
        now = at + int(numbers(self.optimizer.global_step).reshape(-1)[0])
        steps = [now, *(now + int(step) for step in np.geomspace(1, 1e6, 120))]
        most = 1.0
        try:
            for schedule in schedules:
                listed = getattr(schedule, "learning_rate", None)
                if getattr(listed, "ndim", 0) == 1:
                    found = numbers(listed)[now:].tolist()
                else:
                    found = [
                        float(numbers(schedule(mindspore.Tensor([step], mindspore.int32))).reshape(-1)[0])
                        for step in steps
                    ]
                if not found or not np.isfinite(found).all() or found[0] <= 0:
                    return None
                most = max(most, max(found) / found[0])
        except Exception:  # schedules are the user's own code, and may want more than a step
            return None
        return most


def called(setup: Setup, batch: Batch) -> list[int]:
    """The ids of the parameters in the order in which the cells that hold them are called."""
    found: list[int] = []

    def seen(cell: Any, _: Any) -> None:
        found.extend(id(one) for one in cell._params.values() if one is not None)

    handles = [before_calls(cell, seen) for _, cell in setup.network.cells_and_names()]
    with blamed(setup.request["network"]["call"], setup.root):
        setup.loss_of(batch)
    for handle in handles:
        handle.remove()
    return list(dict.fromkeys(found))


def examine(request: dict[str, Any], tell: Tell) -> None:
    setup = Setup(request, tell)
    with blamed(request["network"]["call"], request["root"]):
        setup.network.init_parameters_data()
        if request.get("checkpoint"):
            tell(event="loaded", missing=setup.load(request["checkpoint"]))
        setup.network.set_train(True)
    training = Training(setup, request["seconds"])
    watch = {"updates": updates, "gradients": gradients, "activations": activations}[request["watch"]]
    deadline = time.monotonic() + request["seconds"]
    for done in watch(training, request, tell):
        tell(event="progress", done=done, total=request["steps"])
        if time.monotonic() > deadline:
            break
    tell(event="over", loss_scale=training.scale)


def mean(values: Any) -> float | None:
    """The mean size of values, where it is finite."""
    found = float(np.abs(values).mean(dtype=np.float64)) if values.size else 0.0
    return found if np.isfinite(found) else None


def shape(parameter: Any) -> list[int]:
    return [int(size) for size in parameter.shape]


def updates(training: Training, request: dict[str, Any], tell: Tell) -> Iterator[int]:
    """Each step as an event: the ratio of each weight; rows that did not move, as of words that did not occur, left out.

    Weights count as they were at the beginning: those that a high rate blows up would hide it.
    """
    held = [one for one in training.held if one.requires_grad and one.ndim > 1]
    before = {id(one): numbers(one) for one in held}
    held = [one for one in held if before[id(one)].dtype.kind == "f"]
    zero = [one.name for one in held if not before[id(one)].any()]
    held = [one for one in held if before[id(one)].any()]
    start = {id(one): np.abs(before[id(one)]).reshape(len(before[id(one)]), -1).mean(axis=1) for one in held}
    tell(event="weights", names=[one.name for one in held], shapes=[shape(one) for one in held], zero=zero)
    tell(event="schedule", rises=training.rises(request["steps"] // 2))
    for step in range(request["steps"]):
        loss, found = training.setup.gradients(next(training.batches), training.weights)
        training.step(found)
        ratios = []
        for one in held:
            old, new = before[id(one)], numbers(one)
            moved = (new != old).reshape(len(old), -1).any(axis=1)
            size, change = mean(start[id(one)][moved]), mean((new - old)[moved])
            ratios.append(None if size is None or change is None else change / (size + 1e-30) if moved.any() else 0.0)
            before[id(one)] = new
        value = float(numbers(loss))
        tell(event="step", loss=value if np.isfinite(value) else None, ratios=ratios)
        yield step + 1


def gradients(training: Training, request: dict[str, Any], tell: Tell) -> Iterator[int]:
    """Each step as an event: the norm of each parameter's gradient, in the order in which layers are called."""
    first = next(training.batches)
    order = {key: place for place, key in enumerate(called(training.setup, first))}
    places = sorted(range(len(training.weights)), key=lambda place: order.get(id(training.weights[place]), len(order)))
    held = [training.weights[place] for place in places]
    tell(
        event="weights",
        names=[one.name for one in held],
        shapes=[shape(one) for one in held],
        called=[id(one) in order for one in held],
    )
    for step in range(request["steps"]):
        batch = first if step == 0 else next(training.batches)
        loss, found = training.setup.gradients(batch, training.weights)
        norms = []
        for place in places:
            values = numbers(getattr(found[place], "values", found[place]))
            norm = float(np.sqrt(np.square(values, dtype=np.float64).sum()))
            norms.append(norm if np.isfinite(norm) else None)
        value = float(numbers(loss))
        tell(event="step", loss=value if np.isfinite(value) else None, norms=norms)
        training.step(found)
        yield step + 1


class Activation:
    """What one activation gives, each time it is called within a forward: its units over all samples seen."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        self.alive: Any = None
        self.values = self.zeros = self.far = 0
        self.finite, self.last = True, False

    def see(self, given: Any, result: Any) -> None:
        for values in (given, result):  # ReLU makes 0 of NaN on a CPU
            self.finite &= values is None or bool(np.isfinite(values).all())
        self.values += result.size
        self.zeros += int((result == 0).sum())
        self.far += 0 if given is None else int((np.abs(given) >= FAR).sum())
        axis = 1 if result.ndim > 3 else result.ndim - 1  # channels of pictures, features of rows and sequences
        alive = (result != 0).any(axis=tuple(other for other in range(result.ndim) if other != axis))
        if self.alive is None:
            self.alive = alive
        elif self.alive.shape == alive.shape:
            self.alive = self.alive | alive

    def told(self) -> dict[str, Any]:
        alive = np.zeros(0, bool) if self.alive is None else np.atleast_1d(self.alive)
        return {
            **{"name": self.name, "kind": self.kind, "finite": self.finite, "last": self.last},
            **{"dead": int((~alive).sum()), "units": int(alive.size)},
            "zero": self.zeros / max(self.values, 1),
            "saturated": self.far / max(self.values, 1),
        }


#: Before Sigmoid and Tanh, what is further from 0 lies where they are flat (DeepDiagnosis, ICSE 2022).
FAR = 5.0
#: Activations by the name of their class.
FAMILIES = {
    **dict.fromkeys(("ReLU", "ReLU6"), "relu"),
    **dict.fromkeys(("Sigmoid", "Tanh"), "sigmoid"),
    **dict.fromkeys(
        [
            "LeakyReLU",
            "PReLU",
            "RReLU",
            "ELU",
            "CELU",
            "SeLU",
            "SELU",
            "GELU",
            "FastGelu",
            "SiLU",
            "Mish",
            "HSwish",
            "HSigmoid",
            "Hardtanh",
            "Softsign",
            "Softmax",
            "LogSoftmax",
            "LogSigmoid",
            "GLU",
            "PReLUExt",
            "SoftmaxExt",
        ],
        "other",
    ),
}


def activations(training: Training, request: dict[str, Any], tell: Tell) -> Iterator[int]:
    """Trains for request["steps"] steps, then tells what each activation gives on the next batches."""
    import mindspore

    setup = training.setup
    half = time.monotonic() + training.seconds / 2
    for step in range(request["steps"]):
        if time.monotonic() > half:
            break
        _, found = setup.gradients(next(training.batches), training.weights)
        training.step(found)
        yield step + 1
    seen: dict[tuple[str, int], Activation] = {}
    calls: dict[str, int] = {}
    tensors: list[Any] = []

    def hook(name: str, cls: str) -> Any:
        def see(_: Any, given: Any, result: Any) -> None:
            count = calls[name] = calls.get(name, 0) + 1
            if not isinstance(result, mindspore.Tensor):
                return
            one = seen.setdefault((name, count), Activation(name if count == 1 else f"{name} ({count})", cls))
            values = numbers(result)
            one.see(numbers(given[0]) if given and isinstance(given[0], mindspore.Tensor) else None, values)
            tensors[:] = [one, values]

        return see

    cells = [(name, cell, type(cell).__name__) for name, cell in setup.network.cells_and_names()]
    hooked = [(name, cell, cls) for name, cell, cls in dict.fromkeys(cells) if cls in FAMILIES]
    for name, cell, cls in hooked:
        after_calls(cell, hook(name or ".", cls))
    for _ in range(request["batches"]):
        batch = next(training.batches)
        calls.clear()
        tensors.clear()
        output = setup.output(batch)
        first = output[0] if isinstance(output, (list, tuple)) and output else output
        if tensors and isinstance(first, mindspore.Tensor):
            result = numbers(first)
            tensors[0].last |= result.size == tensors[1].size and bool((result.ravel() == tensors[1].ravel()).all())
    kinds = [{**one.told(), "family": FAMILIES[one.kind]} for one in seen.values()]
    tell(event="activations", found=kinds, batches=request["batches"])
